import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurScenes
import BlurText
import Foundation

/// `blurbench select`: the fastest kernel for a workload.
struct SelectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "select",
    abstract: "The fastest kernel for your images that keeps an error bound, measured now or from records.",
    discussion: """
      Lists are separated by commas, and their product is selected for; those that are left out are rgba8, \
      1920x1080, sigma 10, edge clamp and 1 thread. Errors are in levels, 1/255 of full scale in every \
      format. A kernel must promise the bound; one that promises nothing must have a certificate within it \
      in the records.

      --fleet takes records of several machines and names, workload by workload, the fastest kernel of each \
      machine, and the one kernel whose worst slowdown against those is least. A kernel counts with the \
      widest instruction set that a machine has, as in a program that names it.

      Examples:
        blurbench select --format rgba8 --size 1920x1080 --sigma 5 --explain
        blurbench select --from run.csv --format rgba8 --size 1920x1080 --sigma 5

      Exit codes: 0 good, 1 could not do it, 4 no kernel keeps the bound, or no two machines have the same \
      workload, 64 usage.
      """)

  @OptionGroup var lists: SelectionOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The largest error of any image that is accepted.", valueName: "levels"))
  var maxError = 1.0
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Select by records of `blurbench run` instead of measuring.", valueName: "FILE.csv"),
    completion: .records)
  var from: [String] = []
  @Flag(help: "Select one kernel for all machines that the records of --from are of.") var fleet = false
  @Option(help: ArgumentHelp("Seconds of one sample at least.", valueName: "seconds")) var minTime = 0.01
  @Option(
    help: ArgumentHelp(
      "Leave out kernels of which a single blur takes longer, and say so.", valueName: "seconds"))
  var maxCaseSeconds = 3.0
  @Option(
    help: ArgumentHelp("Certify what is taken, unless that takes longer; 0 for none.", valueName: "seconds"))
  var certifySeconds = 5.0
  @Flag(help: "Measure every kernel that keeps the bound, and say why the others were not taken.")
  var explain = false
  @Flag(help: "Print a JSON array with one object for each workload.") var json = false

  func validate() throws {
    if fleet && from.isEmpty {
      throw ValidationError("--fleet: needs --from FILE.csv, records of several machines")
    }
    guard maxError >= 0 else {
      throw ValidationError("--max-error \(maxError): must be a number of levels from 0")
    }
    guard (1e-6...3600).contains(minTime) else {
      throw ValidationError("--min-time \(minTime): must be from 1e-6 to 3600 seconds")
    }
    guard maxCaseSeconds > 0 else { throw ValidationError("--max-case-seconds: must be above 0") }
    guard certifySeconds >= 0 else { throw ValidationError("--certify-seconds: must not be below 0") }
  }

  func run() throws {
    if fleet { return try selectForFleet() }
    let selections = try select()
    Terminal.progress("")
    if json {
      print(try selections.json(), terminator: "")
    } else {
      for selection in selections { print(selection.text(explains: explain), terminator: "") }
    }
    if lists.given.isEmpty && from.isEmpty { Terminal.say(Self.hint) }
    if selections.contains(where: { $0.chosen == nil }) { throw ExitCode.cannotTell }
  }

  /// How to ask for something else.
  private static let hint = """
    Other images: blurbench select --format gray8 --size 640x480 --sigma 3 --threads all --max-error 2
    """

  private func selectForFleet() throws {
    let fleet = try selectionRun.fleet(from: try records(), origins: from.flatMap(ProvenanceReader.beside))
    print(json ? try fleet.json() : PlainText.shown(fleet.text(explains: explain)), terminator: "")
    if fleet.choices.isEmpty || fleet.choices.contains(where: { $0.chosen == nil }) {
      throw ExitCode.cannotTell
    }
  }

  private var selectionRun: SelectionRun {
    get throws(MeasurementError) {
      try SelectionRun(
        lists: lists.given, within: .levels(maxError), cores: Machine.current.cores, catalog: .interface)
    }
  }

  private func records() throws(MeasurementError) -> [Record] {
    var records: [Record] = []
    for path in from { records += try RecordsCSV.read(TextFile.text(at: path), path: path) }
    return records
  }

  private func select() throws(MeasurementError) -> [Selection] {
    let machine = Machine.current
    let run = try selectionRun
    guard from.isEmpty else { return try run.selections(from: try records()) }
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    return try run.selections(
      measuresAll: explain, settings: TimingSettings(repetitions: 7, minTime: minTime, warmUp: minTime),
      maxCaseSeconds: maxCaseSeconds, certifySeconds: certifySeconds, machineKey: machine.key
    ) {
      Terminal.progress($0.line)
    } scenes: { (jobs, found) throws(MeasurementError) in
      let runner = SceneRunner(passes: 2, machineKey: machine.key) { Terminal.progress($0.line) }
      try runner.run(jobs, record: found)
    }
  }
}
