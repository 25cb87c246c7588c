import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurReport
import BlurServer
import BlurText
import BlurVerification
import Foundation
import Synchronization

/// The verb `blurbench verify`, which checks that kernels keep their promises and have the properties of a
/// correct blur.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract:
      "Check kernels against the reference, stored golden results and the properties of a correct blur.",
    discussion: """
      Without options, every kernel and every method of variable sigma is checked for every property. Each \
      property has its own choice of formats, sigmas, edge modes and instruction sets, and runs in its own \
      process. With --plugin, --python or --peers, only the kernels that these options name are checked. \
      Lists are separated by commas. Each failure is reduced to a smaller image that still fails, and is \
      shown with the command that repeats it.

      Examples:
        blurbench verify --kernel simd
        blurbench verify --plugin ./libmine.so --fail-fast
        blurbench verify --target ./blur-worker

      Exit codes: 0 all passed, 1 the command could not be carried out, 3 a check failed, 4 no check could \
      be made, 64 wrong usage.
      """)

  @Option(help: "The kernels to check: a comma-separated list of names.", completion: .kernels)
  var kernel: String?
  @Option(
    help: "The properties to check: \(VerificationChoices.propertyNames.joined(separator: ", ")).",
    completion: .words(VerificationChoices.propertyNames))
  var property: String?
  @OptionGroup var choices: VerificationChoices
  @OptionGroup var plugins: PluginOptions
  @OptionGroup var target: TargetOptions
  @Flag(help: "Stop at the first property that fails.") var failFast = false
  @Flag(help: "Recompute the golden results and write them, instead of checking.") var regenerate = false
  @Flag(help: "Print a JSON array with one object for each kernel and property.") var json = false
  @Flag(help: "Print one CSV line for each kernel and property.") var csv = false
  @Option(
    help: ArgumentHelp("Write the results as JUnit XML.", valueName: "FILE.xml"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    try junit.map(OptionValue.checkOutput)
    _ = try choices.run(properties: property)
    try require(
      !regenerate || kernel == nil && property == nil && !choices.isGiven,
      "--regenerate writes all golden results, so only --goldens can be combined with it")
    if !plugins.isGiven && !target.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.all) }
  }

  func run() throws {
    if regenerate {
      print("wrote \(try Golden.regenerate(in: choices.goldensFolder)) goldens to \(choices.goldens)")
      return
    }
    let target = try self.target.kernels(besides: plugins, isTimed: false)
    let all = try target?.kernels ?? (Registry.all + plugins.placeholders())
    let kernels = try OptionValue.kernels(plugins.checked(kernel), from: all)
    if plugins.isGiven, kernels.external.isEmpty, !all.external.isEmpty {
      Terminal.say(
        "warning: not checked, because --kernel names other kernels: \(all.external.map(\.name).listed)")
    }
    var choices = choices
    if choices.seconds == nil, kernels.count > 1 { choices.seconds = 1 }
    var run = try choices.run(properties: property)
    if target == nil && property == nil { run.properties.removeAll { $0.name == Property.portable.name } }
    let repeated = plugins.words + choices.goldensWords + self.target.words
    let (folder, origin) = (choices.pictures, plugins.words.joined(separator: " "))
    let request = CheckRequest(run, goldens: choices.goldens, pictures: choices.pictures)
    let verification = IsolatedVerification(
      plugins.launcher, target: target, request, words: choices.words
    ) {
      try FailurePicture.written($0, to: folder, origin: origin)
    }
    if failFast { run.properties = Self.quickFirst(run.properties) }
    let isNamed = self.kernel != nil && property != nil
    let jobs = kernels.flatMap { kernel in
      // Properties that cannot be checked for a kernel are normally left out of the report. If the user named
      // the kernel and the property, however, the report lists the property as skipped.
      run.properties.filter { isNamed || $0.applies(to: kernel) }.map { (kernel, $0) }
    }
    let isOver = Atomic(false)
    let (planning, isRemote) = (run, target != nil)
    let progress = VerificationProgress(jobs: jobs.count, isThorough: choices.thorough)
    var rows = try Concurrent.map(jobs) { kernel, property -> VerificationSummary? in
      if isOver.load(ordering: .relaxed) { return nil }
      let title = kernels.count == 1 ? property.name : "\(kernel.name) \(property.name)"
      let planned = try planning.subjects(isRemote ? kernel.refusingNothing : kernel, property).count
      let row = try verification.row(kernel, property, repeated: repeated) {
        progress.reached($0, of: planned, title)
      }
      progress.ended(title)
      if failFast, row.status == .failed { isOver.store(true, ordering: .relaxed) }
      return row
    } progress: { done in
      progress.done(done)
    }.compactMap(\.self)
    // Other threads may have finished more properties after the first failure. Only the rows up to that
    // failure are shown.
    if failFast, let first = rows.firstIndex(where: { $0.status == .failed }) {
      rows = Array(rows[...first])
    }
    let lacking = run.lackingSets(of: kernels) + run.lackingSets(target?.lackingSets ?? [:], kernels)
    try show(VerificationReport(rows: rows + lacking))
  }

  /// Writes and prints the report, and throws the exit code if a check failed or none could be made.
  private func show(_ report: VerificationReport) throws {
    if let junit { try TextFile.write(report.junit, to: junit) }
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.isEmpty { throw ExitCode.cannotTell }
  }
}

extension VerifyCommand {
  /// Returns the properties in a different order: those that take long to check come last, so that a failure
  /// is found soon. Checking takes long if a property tries thousands of images, or if it computes the
  /// kernel's worst case over all images (`certificate`).
  private static func quickFirst(_ properties: [Property]) -> [Property] {
    let isSlow = { (property: Property) in property.scope.timeLimit != nil || property.name == "certificate" }
    return properties.filter { !isSlow($0) } + properties.filter(isSlow)
  }
}

extension VerificationRun {
  /// Returns a row of the report, marked as skipped, for each instruction set that a kernel has code for but
  /// that the target's CPU lacks. The code for such an instruction set cannot be checked.
  fileprivate func lackingSets(_ lacking: [String: [String]], _ kernels: [Kernel]) -> [VerificationSummary] {
    let wanted = instructionSets.map { Set($0.map(\.name)) }
    return kernels.flatMap { kernel in
      lacking[kernel.name, default: []].filter { wanted?.contains($0) != false }.map {
        VerificationSummary(kernel: kernel.name, property: $0, skipped: "the target's CPU has no \($0)")
      }
    }
  }
}

extension Kernel {
  /// A kernel with this name that supports everything. Asking a target what its kernel supports takes time,
  /// and the line of progress needs only an estimate.
  fileprivate var refusingNothing: Kernel {
    Kernel(name: name, summary: summary, promise: promise, instructionSets: instructionSets) {
      (problem) throws(BlurError) in CopyPlan(problem)
    }
  }
}
