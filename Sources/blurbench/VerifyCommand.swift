import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurReport
import BlurVerification
import Foundation

/// `blurbench verify`: kernels checked for their promises and the properties of a correct blur.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check kernels against the reference, the goldens and the properties of a right blur.",
    discussion: """
      Without options, every kernel is checked for every property, each on its own choice of formats, sigmas, \
      edge modes and instruction sets. Lists are separated by commas. Each failure ends with the command that \
      repeats it.

      Exit codes: 0 all passed, 1 could not do it, 3 a check failed, 4 no check could be made, 64 usage.
      """)

  @Option(help: "Kernels to check, by name.") var kernel: String?
  @Option(help: "Properties to check: \(VerificationChoices.propertyNames.joined(separator: ", ")).")
  var property: String?
  @OptionGroup var choices: VerificationChoices
  @OptionGroup var plugins: PluginOptions
  @Flag(help: "Compute the goldens anew and write them, instead of checking.") var regenerate = false
  @Option(
    help: ArgumentHelp(
      "Write a PNG for each property that a kernel of this build fails: picture, truth, result, difference.",
      valueName: "folder"))
  var pictures: String?
  @Flag(help: "Print a JSON array with one object for each kernel and property.") var json = false
  @Flag(help: "Print one CSV line for each kernel and property.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    _ = try choices.run(properties: property)
    if !plugins.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.kernels) }
  }

  func run() throws {
    if regenerate {
      print("wrote \(try Golden.regenerate(in: choices.goldensFolder)) goldens to \(choices.goldens)")
      return
    }
    let external = try plugins.placeholders()
    let kernels = try OptionValue.kernels(kernel, from: Registry.kernels + external)
    let isExternal = { (kernel: Kernel) in external.contains { $0.name == kernel.name } }
    var run = try choices.run(properties: property)
    run.kernels = kernels.filter { !isExternal($0) }
    let checks = try run.checks { done, all in
      Terminal.progress(done == all ? "" : "check \(done) of \(all)")
    }
    for path in try pictures.map(FailurePictures(checks).write) ?? [] { Terminal.say("picture: \(path)") }
    let rows = try VerificationReport(checks).rows + kernels.filter(isExternal).flatMap(checkedApart)
    let report = VerificationReport(rows: rows)
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.isEmpty { throw ExitCode.cannotTell }
  }

  /// Each property in a process of its own: what kills it fails that property and no other.
  private func checkedApart(_ kernel: Kernel) throws -> [VerificationSummary] {
    try choices.run(properties: property).properties.flatMap { property in
      Terminal.progress("\(kernel.name): \(property.name)")
      defer { Terminal.progress("") }
      let words = choices.words + ["--property", property.name, "--kernel", kernel.name]
      do {
        return try plugins.launcher.answer(to: ["check"] + words + plugins.launcher.libraries())
          as [VerificationSummary]
      } catch {
        let command =
          "blurbench verify \(words.joined(separator: " ")) \(plugins.words.joined(separator: " "))"
        return [
          VerificationSummary(kernel: kernel.name, property: property.name, failure: "\(error)", command)
        ]
      }
    }
  }
}

/// What kernels are verified with.
struct VerificationChoices: ParsableArguments {
  @Option(help: "Pixel formats: \(PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: String?
  @Option(parsing: .unconditional, help: "Sigmas in pixels; 5x2 is 5 across and 2 down.") var sigma: String?
  @Option(help: "Edge modes: \(Subject.edgeNames.joined(separator: ", ")).") var edge: String?
  @Option(help: "Instruction sets: \(InstructionSet.allCases.map(\.name).joined(separator: ", ")).")
  var isa: String?
  @Option(help: "Numbers of threads.") var threads = "1"
  @Option(help: "The folder of the goldens.") var goldens = "Tests/Goldens"

  static let propertyNames = Property.all.map(\.name) + ["goldens"]

  var goldensFolder: URL { URL(fileURLWithPath: goldens, isDirectory: true) }

  /// The options as words of a command line.
  var words: [String] {
    let given = [("--format", format), ("--sigma", sigma), ("--edge", edge), ("--isa", isa)]
    return given.flatMap { option, value in value.map { [option, $0] } ?? [] }
      + ["--threads", threads, "--goldens", goldens]
  }

  /// What the options ask for, of the properties that a list names, or all.
  func run(properties: String?) throws -> VerificationRun {
    var run = VerificationRun(properties: Property.all + [.goldens(in: goldensFolder)])
    run.properties =
      try OptionValue.chosen(list: properties, "property", from: run.properties, named: \.name)
      ?? run.properties
    run.formats = try OptionValue.chosen(
      list: format, "format", from: PixelFormat.allCases, named: \.rawValue)
    run.edgeNames = try OptionValue.chosen(list: edge, "edge mode", from: Subject.edgeNames, named: \.self)
    run.instructionSets = try OptionValue.chosen(
      list: isa, "instruction set", from: InstructionSet.allCases, named: \.name)
    run.sigmas = try sigma.map { try OptionValue.items($0, "sigma").map(OptionValue.sigma) }
    run.threads = try OptionValue.items(threads, "threads").map(OptionValue.threads)
    return run
  }
}
