import ArgumentParser
import Blur
import BlurMeasurement
import BlurScenes
import Foundation

/// `blurbench select`: the quickest kernel for a workload.
struct SelectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "select",
    abstract: "The quickest kernel for your images that keeps an error bound, measured now or from records.",
    discussion: """
      Lists are separated by commas, and their product is selected for. Errors are in levels, 1/255 of full scale \
      in every format. A kernel must promise the bound; one that promises nothing must have a certificate within it \
      in the records.

      Exit codes: 0 good, 1 could not do it, 4 no kernel keeps the bound, 64 usage.
      """)

  @OptionGroup var lists: CaseLists
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The largest error of any image that is accepted.", valueName: "levels"))
  var maxError = 1.0
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Select by records of `blurbench run` instead of measuring.", valueName: "FILE.csv"))
  var from: [String] = []
  @Option(help: ArgumentHelp("Seconds of one sample at least.", valueName: "seconds")) var minTime = 0.01
  @Option(
    help: ArgumentHelp("Certify what is taken, unless that takes longer; 0 for none.", valueName: "seconds"))
  var certifySeconds = 5.0
  @Flag(help: "Measure every kernel that keeps the bound, and say why the others were not taken.")
  var explain = false
  @Flag(help: "Print a JSON array with one object for each workload.") var json = false

  func validate() throws {
    guard maxError >= 0 else {
      throw ValidationError("--max-error \(maxError): must be a number of levels from 0")
    }
    guard (1e-6...3600).contains(minTime) else {
      throw ValidationError("--min-time \(minTime): must be from 1e-6 to 3600 seconds")
    }
    guard certifySeconds >= 0 else { throw ValidationError("--certify-seconds: must not be below 0") }
  }

  func run() throws {
    let selections = try select()
    Terminal.progress("")
    if json {
      print(try selections.json(), terminator: "")
    } else {
      for selection in selections { print(selection.text(explains: explain), terminator: "") }
    }
    if selections.contains(where: { $0.chosen == nil }) { throw ExitCode.cannotTell }
  }

  private func select() throws(MeasurementError) -> [Selection] {
    let machine = Machine.current
    let run = try SelectionRun(
      lists: lists.given, within: .levels(maxError), cores: machine.cores, catalog: .interface)
    guard from.isEmpty else {
      var records: [Record] = []
      for path in from { records += try RecordsCSV.read(SuiteFiles.text(at: path), path: path) }
      return try run.selections(from: records)
    }
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    return try run.selections(
      measuresAll: explain, settings: TimingSettings(repetitions: 7, minTime: minTime, warmUp: minTime),
      certifySeconds: certifySeconds, machineKey: machine.key
    ) {
      Terminal.progress($0.line)
    } scenes: { (jobs, found) throws(MeasurementError) in
      let runner = SceneRunner(passes: 2, machineKey: machine.key) { Terminal.progress($0.line) }
      try runner.run(jobs, record: found)
    }
  }
}
