import ArgumentParser
import Blur
import BlurVerification
import Foundation

/// `blurbench verify`: kernels held to their promises and to the properties of a right blur.
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
  @Option(help: "Properties to check: \(Self.propertyNames.joined(separator: ", ")).") var property: String?
  @Option(help: "Pixel formats: \(PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: String?
  @Option(parsing: .unconditional, help: "Sigmas in pixels; 5x2 is 5 across and 2 down.") var sigma: String?
  @Option(help: "Edge modes: \(Subject.edgeNames.joined(separator: ", ")).") var edge: String?
  @Option(help: "Instruction sets: \(InstructionSet.allCases.map(\.name).joined(separator: ", ")).")
  var isa: String?
  @Option(help: "Numbers of threads.") var threads = "1"
  @Option(help: "The folder of the goldens.") var goldens = "Tests/Goldens"
  @Flag(help: "Compute the goldens anew and write them, instead of checking.") var regenerate = false
  @Flag(help: "Print a JSON array with one object for each kernel and property.") var json = false
  @Flag(help: "Print one CSV line for each kernel and property.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    _ = try run(of: goldensFolder)
  }

  func run() throws {
    if regenerate { return try regenerateGoldens() }
    let report = VerificationReport(try run(of: goldensFolder).checks(progress: showProgress))
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.isEmpty { throw ExitCode.cannotTell }
  }

  private func regenerateGoldens() throws {
    print("wrote \(try Golden.regenerate(in: goldensFolder)) goldens to \(goldens)")
  }

  private var goldensFolder: URL { URL(fileURLWithPath: goldens, isDirectory: true) }

  /// What the options ask for.
  private func run(of folder: URL) throws -> VerificationRun {
    var run = VerificationRun(properties: Property.all + [.goldens(in: folder)])
    run.kernels = try Words.chosen(list: kernel, "kernel", from: run.kernels, named: \.name) ?? run.kernels
    run.properties =
      try Words.chosen(list: property, "property", from: run.properties, named: \.name) ?? run.properties
    run.formats = try Words.chosen(list: format, "format", from: PixelFormat.allCases, named: \.rawValue)
    run.edgeNames = try Words.chosen(list: edge, "edge mode", from: Subject.edgeNames, named: \.self)
    run.instructionSets = try Words.chosen(
      list: isa, "instruction set", from: InstructionSet.allCases, named: \.name)
    run.sigmas = try sigma.map { try Words.items($0, "sigma").map(Words.sigma) }
    run.threads = try Words.items(threads, "threads").map(Words.threads)
    return run
  }

  private func showProgress(_ done: Int, _ all: Int) {
    Terminal.progress(done == all ? "" : "check \(done) of \(all)")
  }
}

extension VerifyCommand {
  private static let propertyNames = Property.all.map(\.name) + ["goldens"]
}
