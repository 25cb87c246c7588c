import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurScenes
import BlurText
import Foundation

/// The verb `blurbench select`, which finds the fastest kernel for a workload.
struct SelectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "select",
    abstract:
      "Find the fastest kernel that is accurate enough. The times are measured now or taken from records.",
    discussion: """
      Options such as --sigma take lists that are separated by commas. A kernel is selected for each \
      combination of their values. The defaults are rgba8, 1920x1080, sigma 10, edge mode clamp and 1 \
      thread. Errors are in levels. A level is 1/255 of full scale in every format. A kernel is selected \
      only if it promises an error within the bound. With --from, a kernel that makes no promise can be \
      selected too, if its certified error in the records is within the bound.

      Examples:
        blurbench select --format rgba8 --size 1920x1080 --sigma 5 --explain
        blurbench select --from run.csv --format rgba8 --size 1920x1080 --sigma 5

      Exit codes: 0 success, 1 the command could not be carried out, 4 no kernel is accurate enough, 64 \
      wrong usage.
      """)

  @Option(help: CaseDimension.kernel.argumentHelp, completion: .dimension(.kernel))
  var kernel: String?
  @OptionGroup var workloads: WorkloadOptions
  @Option(help: CaseDimension.pace.argumentHelp, completion: .dimension(.pace)) var pace: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The largest accepted error on any image, in levels.", valueName: "levels"))
  var maxError = 1.0
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Choose the kernel by the times in record files from `blurbench run`, instead of measuring.",
      valueName: "FILE.csv"),
    completion: .records)
  var from: [String] = []
  @Option(help: ArgumentHelp("The minimum duration of one sample, in seconds.", valueName: "seconds"))
  var minTime = 0.01
  @Option(
    help: ArgumentHelp(
      "The time limit for a single blur. Kernels that take longer are left out.",
      valueName: "seconds"))
  var maxCaseSeconds = 3.0
  @Option(
    help: ArgumentHelp(
      "The time limit for certifying the selected kernel. 0 means no certificate.", valueName: "seconds"))
  var certifySeconds = 5.0
  @Flag(help: "Measure all kernels within the error bound, and list why the other kernels were not selected.")
  var explain = false
  @Flag(help: "Print a JSON array with one object for each workload.") var json = false

  func validate() throws {
    try require(maxError >= 0, "--max-error \(maxError): must be at least 0 levels")
    try require((1e-6...3600).contains(minTime), "--min-time \(minTime): must be from 1e-6 to 3600 seconds")
    try require(maxCaseSeconds > 0, "--max-case-seconds \(maxCaseSeconds): must be above 0")
    try require(certifySeconds >= 0, "--certify-seconds \(certifySeconds): must be at least 0")
  }

  func run() throws {
    let selections = try select()
    Terminal.progress("")
    if json {
      print(try selections.json(), terminator: "")
    } else {
      for selection in selections { print(selection.text(explains: explain), terminator: "") }
    }
    if lists.isEmpty && from.isEmpty { Terminal.say(Self.hint) }
    if selections.contains(where: { $0.chosen == nil }) { throw ExitCode.cannotTell }
  }

  /// A hint that shows how to select a kernel for other images. It is printed if the user has not described
  /// any images, because the user may not know the options that describe them.
  private static let hint = """
    Other images: blurbench select --format gray8 --size 640x480 --sigma 3 --threads all --max-error 2
    """

  /// The comma-separated lists that the user gave, such as `2,10` for sigma.
  private var lists: [CaseDimension: String] { workloads.given(kernels: kernel, pace: pace) }

  private func select() throws -> [Selection] {
    let machine = Machine.current
    let run = try SelectionRun(
      lists: lists, within: .levels(maxError), cores: machine.cores, catalog: .interface)
    guard from.isEmpty else {
      return try run.selections(from: from.flatMap { try RecordsCSV.read(at: $0) })
    }
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    let progress = { (progress: RunProgress) in Terminal.progress(progress.line) }
    return try run.selections(
      measuresAll: explain, settings: TimingSettings(repetitions: 7, minTime: minTime, warmUp: minTime),
      maxCaseSeconds: maxCaseSeconds, certifySeconds: certifySeconds, machineKey: machine.key,
      progress: progress, scenes: SceneRunner(passes: 2, machineKey: machine.key, progress: progress))
  }
}
