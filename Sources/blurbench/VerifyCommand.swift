import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurReport
import BlurVerification
import Foundation
import Synchronization

/// `blurbench verify`: kernels checked for their promises and the properties of a correct blur.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check kernels against the reference, the goldens and the properties of a right blur.",
    discussion: """
      Without options, every kernel and every method of variable sigma is checked for every property, each on \
      its own choice of formats, sigmas, edge modes and instruction sets, in a process of its own; with --plugin, \
      --python or --peers, every kernel of these. Lists are separated by commas. Each failure is reduced to a \
      smaller image that fails too, and ends with the command that repeats it.

      Examples:
        blurbench verify --kernel simd
        blurbench verify --plugin ./libmine.so --fail-fast
        blurbench verify --target ./blur-worker

      Exit codes: 0 all passed, 1 could not do it, 3 a check failed, 4 no check could be made, 64 usage.
      """)

  @Option(help: "Kernels to check, by name.", completion: .kernels) var kernel: String?
  @Option(
    help: "Properties to check: \(VerificationChoices.propertyNames.joined(separator: ", ")).",
    completion: .words(VerificationChoices.propertyNames))
  var property: String?
  @OptionGroup var choices: VerificationChoices
  @OptionGroup var plugins: PluginOptions
  @OptionGroup var target: TargetOptions
  @Flag(help: "Begin no other property once a check has failed.") var failFast = false
  @Flag(help: "Compute the goldens anew and write them, instead of checking.") var regenerate = false
  @Flag(help: "Print a JSON array with one object for each kernel and property.") var json = false
  @Flag(help: "Print one CSV line for each kernel and property.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    _ = try choices.run(properties: property)
    if !plugins.isGiven && !target.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.all) }
  }

  func run() throws {
    if regenerate {
      print("wrote \(try Golden.regenerate(in: choices.goldensFolder)) goldens to \(choices.goldens)")
      return
    }
    let (all, launcher) = try plugins.kernels(target)
    let kernels = try OptionValue.kernels(plugins.checked(kernel), from: all)
    var run = try choices.run(properties: property)
    if !target.isGiven && property == nil { run.properties.removeAll { $0.name == Property.portable.name } }
    var choices = choices
    if choices.seconds == nil, kernels.count > 1 { choices.seconds = 2 }
    let repeated = plugins.words + choices.goldensWords + target.words
    let verification = IsolatedVerification(launcher, run, words: choices.words)
    let isNamed = self.kernel != nil && property != nil
    let jobs = kernels.flatMap { kernel in
      // What says nothing is skipped by name where both were named.
      run.properties.filter { isNamed || $0.applies(to: kernel) }.map { (kernel, $0) }
    }
    let isOver = Atomic(false)
    let answers = try Concurrent.map(jobs) { kernel, property -> IsolatedVerification.Answer? in
      if isOver.load(ordering: .relaxed) { return nil }
      let answer = try verification.answer(kernel, property, repeated: repeated)
      if failFast, answer.row.status == .failed { isOver.store(true, ordering: .relaxed) }
      return answer
    } progress: { done in
      Terminal.progress(done == jobs.count ? "" : "\(done) of \(jobs.count) properties")
    }.compactMap(\.self)
    for path in answers.flatMap(\.pictures) { Terminal.say("picture: \(path)") }
    let report = VerificationReport(rows: answers.map(\.row) + run.lackingSets(of: kernels))
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.isEmpty { throw ExitCode.cannotTell }
  }
}

/// What kernels are verified with.
struct VerificationChoices: ParsableArguments {
  @Option(
    help: "Pixel formats: \(PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .formats)
  var format: String?
  @Option(parsing: .unconditional, help: "Sigmas in pixels; 5x2 is 5 across and 2 down.") var sigma: String?
  @Option(
    help: "Edge modes: \(Subject.edgeNames.joined(separator: ", ")).", completion: .words(Subject.edgeNames))
  var edge: String?
  @Option(
    help: "Instruction sets: \(InstructionSet.allCases.map(\.name).joined(separator: ", ")).",
    completion: .instructionSets)
  var isa: String?
  @Option(help: "Numbers of threads.", completion: .dimension(.threads)) var threads = "1"
  @Option(help: "Sizes of images, for properties that try many.") var size: String?
  @Option(
    help: "What is on them: \(TestImage.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .words(TestImage.allCases.map(\.rawValue)))
  var image: String?
  @Flag(help: "Try all images that a property has, however long it takes.") var thorough = false
  @Option(
    help:
      "Seconds after which a property begins no other of its thousands of images: 5, or 2 for several kernels."
  )
  var seconds: Double?
  @Option(
    help: ArgumentHelp(
      "Where pictures of failures go: the image, the truth, the result, their difference.",
      valueName: "folder"), completion: .directory)
  var pictures = FileManager.default.temporaryDirectory.appending(path: "blurbench-failures").path
  @Option(help: "The folder of the goldens.", completion: .directory) var goldens = "Tests/Goldens"

  static let propertyNames = (Property.all + Property.variableOnly).map(\.name) + ["portable", "goldens"]

  var goldensFolder: URL { URL(fileURLWithPath: goldens, isDirectory: true) }

  /// The folder of the goldens as words of a command line, where it is another than by default.
  var goldensWords: [String] { goldens == "Tests/Goldens" ? [] : ["--goldens", goldens] }

  /// The options as words of a command line.
  var words: [String] {
    let given = [
      ("--format", format), ("--sigma", sigma), ("--edge", edge), ("--isa", isa), ("--size", size),
      ("--image", image),
    ]
    return given.flatMap { option, value in value.map { [option, $0] } ?? [] }
      + ["--threads", threads, "--goldens", goldens, "--pictures", pictures]
      + (thorough ? ["--thorough"] : []) + (seconds.map { ["--seconds", "\($0)"] } ?? [])
  }

  /// What the options ask for, of the properties that a list names, or all.
  func run(properties named: String?) throws -> VerificationRun {
    let properties = Property.all + Property.variableOnly
    var run = VerificationRun(properties: properties + [.portable, .goldens(in: goldensFolder)])
    run.properties =
      try OptionValue.chosen(list: named, "property", from: run.properties, named: \.name)
      ?? run.properties
    run.formats = try format.map(OptionValue.formats)
    run.edgeNames = try OptionValue.chosen(list: edge, "edge mode", from: Subject.edgeNames, named: \.self)
    run.instructionSets = try OptionValue.chosen(
      list: isa, "instruction set", from: InstructionSet.allCases, named: \.name)
    run.sigmas = try sigma.map { try OptionValue.items($0, "sigma").map(OptionValue.sigma) }
    run.threads = try OptionValue.threadCounts(threads)
    run.images = try images()
    run.isThorough = thorough
    if let seconds { run.seconds = seconds }
    return run
  }

  /// The images that are named: of each kind in each size.
  private func images() throws -> [SampleImage]? {
    guard size != nil || image != nil else { return nil }
    let kinds = try OptionValue.chosen(list: image, "image", from: TestImage.allCases, named: \.rawValue)
    let sizes = try OptionValue.items(size ?? "37x29", "size").map { text in
      guard let size = Size(text) else { throw ValidationError("size '\(text)': must be WxH in pixels") }
      return size
    }
    return sizes.flatMap { size in
      (kinds ?? [.noise]).map { SampleImage(kind: $0, width: size.width, height: size.height) }
    }
  }
}
