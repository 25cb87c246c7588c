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
      Without options, every kernel and every method of `blur --mask` is checked for every property. Each \
      property is checked for its own selection of formats, sigmas, edge modes and instruction sets, in its \
      own process. With --plugin, --python or --peers, only the kernels from these options are checked. \
      Lists are separated by commas. For each failure, the command looks for a smaller image that still \
      fails, and prints the command line that repeats the failure.

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
    help: "The properties to check: \(VerifyCommand.propertyNames.listed).",
    completion: .words(VerifyCommand.propertyNames))
  var property: String?
  @Option(
    help: "The pixel formats: \(PixelFormat.allCases.map(\.rawValue).listed).",
    completion: .formats)
  var format: String?
  @Option(
    parsing: .unconditional,
    help: "The sigmas in pixels. 5x2 means 5 pixels across and 2 pixels down.")
  var sigma: String?
  @Option(
    help: "The edge modes: \(Subject.edgeNames.listed).",
    completion: .words(Subject.edgeNames))
  var edge: String?
  @Option(
    help: """
      The instruction sets: best, all, \(InstructionSet.allCases.map(\.name).listed). By default, if a \
      property is slow to check, some cases use only the best instruction set.
      """,
    completion: .instructionSets)
  var isa: String?
  @Option(parsing: .unconditional, help: "The numbers of threads.", completion: .dimension(.threads))
  var threads = "1"
  @Option(help: "The image sizes, such as 37x29,640x480, for properties that are checked on several images.")
  var size: String?
  @Option(
    help: "The contents of the images: \(TestImage.allCases.map(\.rawValue).listed).",
    completion: .words(TestImage.allCases.map(\.rawValue)))
  var image: String?
  @Flag(help: "Check each property on all of its test images, however long that takes.") var thorough = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time limit in seconds for each property. After this time, no further images are tried. "
        + "The default is 3 seconds, or 0.3 seconds if several kernels are checked."))
  var seconds: Double?
  @Option(
    help: ArgumentHelp(
      "The folder for pictures of failures. "
        + "A picture shows the image, the exact blur, the result and the difference. "
        + "By default, each run creates a new folder in the system's temporary directory.",
      valueName: "folder"), completion: .directory)
  var pictures: String?
  @Option(
    help: "The folder with the golden results, which are stored results of the reference implementation.",
    completion: .directory)
  var goldens = "Tests/Goldens"
  @OptionGroup var plugins: PluginOptions
  @OptionGroup var target: TargetOptions
  @Flag(help: "Stop at the first property that fails.") var failFast = false
  @Flag(help: "Compute and store new golden results, instead of checking kernels.")
  var regenerate = false
  @Flag(help: "Print a JSON array with one object for each kernel and property.") var json = false
  @Flag(help: "Print one CSV line for each kernel and property.") var csv = false
  @Option(
    help: ArgumentHelp("Write the results as JUnit XML.", valueName: "FILE.xml"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  /// The names of all properties. They do not depend on the folder with the golden results, so any folder can
  /// be passed here.
  private static let propertyNames = Property.everything(goldens: URL(filePath: ".")).map(\.name)

  /// The folder for pictures: the one that the user named, or a new one for this run.
  private var picturesFolder: String { pictures ?? Self.ownFolder }

  /// A folder for the pictures of this run. Its name begins with the time, so that the folders of several
  /// runs are sorted by age.
  private static let ownFolder: String = {
    let time = Date().formatted(.iso8601.timeSeparator(.omitted).dateSeparator(.dash)).replacing(
      "Z", with: "")
    return FileManager.default.temporaryDirectory
      .appending(path: "blurbench-failures/\(time)-\(ProcessInfo.processInfo.processIdentifier)").path
  }()

  private var goldensFolder: URL { URL(fileURLWithPath: goldens, isDirectory: true) }

  /// The option `--goldens` as command-line arguments, or an empty array if the option has its default value
  /// or the folder does not exist.
  private var goldensWords: [String] {
    goldens == "Tests/Goldens" || !TextFile.isFolder(goldens) ? [] : ["--goldens", goldens]
  }

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    try junit.map(OptionValue.checkOutput)
    _ = try verificationRun(seconds: seconds)
    try require(
      !regenerate || kernel == nil && property == nil && !choosesProblems,
      "--regenerate writes all golden results, so only --goldens can be combined with it")
    if !plugins.isGiven && !target.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.all) }
  }

  mutating func run() throws {
    if regenerate {
      print("wrote \(try Golden.regenerate(in: goldensFolder)) goldens to \(goldens)")
      return
    }
    // If a file cannot be loaded, `load` also removes its path from `plugins`. Therefore, `load` must be
    // called before `verify`, which reads `plugins`.
    let external = try plugins.load()
    try verify(external)
  }

  /// Runs the checks and shows the report. In the report, each file of external kernels that could not be
  /// loaded counts as a failure.
  private func verify(_ external: PluginOptions.Loaded) throws {
    let target = try self.target.kernels(besides: plugins, isTimed: false)
    let all = target?.kernels ?? (Registry.all + external.kernels)
    let kernels = try OptionValue.kernels(plugins.checked(kernel), from: all)
    if plugins.isGiven, kernels.external.isEmpty, !all.external.isEmpty {
      Terminal.say(
        "warning: --kernel names no kernel of the plug-ins, so these kernels are not checked: "
          + all.external.map(\.name).listed)
    }
    let seconds = seconds ?? (kernels.count > 1 ? 0.3 : nil)
    var run = try verificationRun(seconds: seconds)
    if target == nil && property == nil { run.properties.removeAll { $0.name == Property.portable.name } }
    let repeated = plugins.words + goldensWords + self.target.words
    let (folder, origin) = (picturesFolder, plugins.words.joined(separator: " "))
    let request = CheckRequest(run, goldens: goldens, pictures: folder)
    let verification = IsolatedVerification(
      plugins.launcher, target: target, request, words: words(seconds: seconds)
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
    let progress = VerificationProgress(jobs: jobs.count, isThorough: thorough)
    var rows = try concurrentMap(jobs) { kernel, property -> VerificationSummary? in
      if isOver.load(ordering: .relaxed) { return nil }
      let title = kernels.count == 1 ? property.name : "\(kernel.name) \(property.name)"
      let planned = try planning.subjects(isRemote ? kernel.refusingNothing : kernel, property).count
      let row = try verification.row(kernel, property, repeated: repeated) {
        progress.reached($0, of: planned, title)
      }
      progress.ended(title)
      if failFast, row.status.isFailure { isOver.store(true, ordering: .relaxed) }
      return row
    } progress: { done in
      progress.done(done)
    }.compactMap(\.self)
    // Other threads may have finished more properties after the first failure. Their rows are removed, so
    // that the report ends with the first failure.
    if failFast, let first = rows.firstIndex(where: \.status.isFailure) {
      rows = Array(rows[...first])
    }
    let lacking = run.lackingSets(of: kernels) + run.lackingSets(target?.lackingSets ?? [:], kernels)
    let unloaded = external.failures.map { file, reason in
      VerificationSummary(
        unloaded: URL(filePath: file).lastPathComponent, reason: reason,
        (["blurbench", "list"] + (file.hasSuffix(".py") ? ["--python", file] : ["--plugin", file]))
          .joined(separator: " "))
    }
    try show(VerificationReport(rows: rows + lacking + unloaded))
  }

  /// Whether the user restricted the checks to certain formats, sigmas, edge modes, instruction sets or
  /// images.
  private var choosesProblems: Bool { [format, sigma, edge, isa, size, image].contains { $0 != nil } }

  /// Returns the options as command-line arguments, for a command that repeats the checks.
  private func words(seconds: Double?) -> [String] {
    let given: [(option: String, value: String?)] = [
      ("--format", format), ("--sigma", sigma), ("--edge", edge), ("--isa", isa), ("--size", size),
      ("--image", image), ("--threads", threads), ("--pictures", pictures),
      ("--seconds", seconds.map { "\($0)" }),
    ]
    var words = thorough ? ["--thorough"] : []
    for case (let option, let value?) in given { words += [option, value] }
    return words
  }

  /// Returns the verification that the options ask for.
  ///
  /// - Parameter seconds: The time limit for each property, or nil for the default limit.
  private func verificationRun(seconds: Double?) throws -> VerificationRun {
    try require(
      !FileManager.default.fileExists(atPath: goldens) || TextFile.isFolder(goldens),
      "--goldens \(goldens): must be a folder, but is a file")
    var run = VerificationRun(properties: Property.everything(goldens: goldensFolder))
    run.properties =
      try OptionValue.chosen(list: property, "property", from: run.properties, named: \.name)
      ?? run.properties
    run.formats = try format.map(OptionValue.formats)
    run.edgeNames = try OptionValue.chosen(list: edge, "edge mode", from: Subject.edgeNames, named: \.self)
    let sets = try OptionValue.chosen(
      list: isa, "instruction set", from: InstructionSet.allCases.map(Optional.some) + [nil],
      named: { $0?.name ?? "best" })
    run.instructionSets = sets?.compactMap(\.self)
    run.includesWidest = sets?.contains(nil) ?? false
    run.sigmas = try sigma.map { try OptionValue.items($0, "sigma").map(OptionValue.sigma) }
    run.threads = try OptionValue.threadCounts(threads)
    run.images = try images()
    run.isThorough = thorough
    if let seconds {
      guard seconds > 0 else { throw ValidationError("--seconds \(seconds): must be above 0") }
      run.seconds = seconds
    }
    return run
  }

  /// Returns a test image for each combination of the kinds and sizes that the user named, or nil if the user
  /// named neither kinds nor sizes.
  private func images() throws -> [SampleImage]? {
    guard size != nil || image != nil else { return nil }
    let kinds = try OptionValue.chosen(list: image, "image", from: TestImage.allCases, named: \.rawValue)
    let sizes = try OptionValue.items(size ?? "37x29", "size").map { text in
      guard let size = Size(text) else {
        throw ValidationError("size '\(text)': must be a width and a height in pixels, such as 640x480")
      }
      return size
    }
    return sizes.flatMap { size in
      (kinds ?? [.noise]).map { SampleImage(kind: $0, width: size.width, height: size.height) }
    }
  }

  /// Writes and prints the report. Throws an exit code if a check failed, or if no check could be run.
  private func show(_ report: VerificationReport) throws {
    if let junit { try TextFile.write(report.junit, to: junit) }
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.isEmpty { throw ExitCode.cannotTell }
  }
}

extension VerifyCommand {
  /// Returns the properties with the slow ones at the end, so that a failure is found soon. A property is
  /// slow if it tries thousands of images, or if it computes the kernel's worst case over all images
  /// (`certificate`).
  private static func quickFirst(_ properties: [Property]) -> [Property] {
    let isSlow = { (property: Property) in property.scope.timeLimit != nil || property.name == "certificate" }
    return properties.filter { !isSlow($0) } + properties.filter(isSlow)
  }
}

extension VerificationRun {
  /// Returns a report row, marked as skipped, for each instruction set that the target's CPU lacks but for
  /// which a kernel has code. This code cannot be checked on the target.
  fileprivate func lackingSets(
    _ lacking: [String: [InstructionSet]], _ kernels: [Kernel]
  ) -> [VerificationSummary] {
    kernels.flatMap { kernel in
      lacking[kernel.name, default: []].filter { instructionSets?.contains($0) != false }.map {
        VerificationSummary(
          kernel: kernel.name, property: $0.name, skipped: "the target's CPU has no \($0.name)")
      }
    }
  }
}

extension Kernel {
  /// A kernel with the same name that supports every problem. It replaces a target's kernel when the number
  /// of checks is estimated for the progress line, because asking the target what its kernel supports would
  /// take time.
  fileprivate var refusingNothing: Kernel {
    Kernel(name: name, summary: summary, promise: promise, instructionSets: instructionSets) {
      (problem) throws(BlurError) in CopyPlan(problem)
    }
  }
}
