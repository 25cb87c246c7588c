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
  @Option(help: "Sigmas in pixels; 5x2 is 5 across and 2 down.") var sigma: String?
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
    if report.hasFailures { throw ExitCode(3) }
    if report.isEmpty { throw ExitCode(4) }
  }

  private func regenerateGoldens() throws {
    do {
      print("wrote \(try Golden.regenerate(in: goldensFolder)) goldens to \(goldens)")
    } catch let error as GoldenError {
      FileHandle.standardError.write(Data("blurbench verify: \(error)\n".utf8))
      throw ExitCode(1)
    }
  }

  private var goldensFolder: URL { URL(fileURLWithPath: goldens, isDirectory: true) }

  /// What the options ask for.
  private func run(of folder: URL) throws -> VerificationRun {
    var run = VerificationRun(properties: Property.all + [.goldens(in: folder)])
    run.kernels = try Self.chosen(kernel, "kernel", from: run.kernels, named: \.name) ?? run.kernels
    run.properties =
      try Self.chosen(property, "property", from: run.properties, named: \.name) ?? run.properties
    run.formats = try Self.chosen(format, "format", from: PixelFormat.allCases, named: \.rawValue)
    run.edgeNames = try Self.chosen(edge, "edge mode", from: Subject.edgeNames, named: \.self)
    run.instructionSets = try Self.chosen(
      isa, "instruction set", from: InstructionSet.allCases, named: \.name)
    run.sigmas = try sigma.map { try Self.items($0).map(Self.parsedSigma) }
    run.threads = try Self.items(threads).map { item in
      guard let count = Int(item), (1...1024).contains(count) else {
        throw ValidationError("--threads \(item): must be a number from 1 to 1024")
      }
      return count
    }
    return run
  }

  private func showProgress(_ done: Int, _ all: Int) {
    guard isatty(2) == 1 else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(done == all ? "" : "check \(done) of \(all)")".utf8))
  }
}

extension VerifyCommand {
  private static let propertyNames = Property.all.map(\.name) + ["goldens"]

  /// The items of a list separated by commas.
  private static func items(_ list: String) throws -> [String] {
    let items = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if items.isEmpty { throw ValidationError("'\(list)': a list must name something") }
    return items
  }

  /// The candidates that a list names, or nil without a list.
  private static func chosen<T>(
    _ list: String?, _ kind: String, from candidates: [T], named name: (T) -> String
  ) throws -> [T]? {
    try list.map { list in
      try items(list).map { item in
        if let match = candidates.first(where: { name($0) == item }) { return match }
        let names = candidates.map(name)
        let hint =
          NameDistance.nearest(to: item, in: names).map { "did you mean '\($0)'?" }
          ?? "there are \(names.joined(separator: ", "))"
        throw ValidationError("no \(kind) is called '\(item)'; \(hint)")
      }
    }
  }

  private static func parsedSigma(_ item: String) throws -> Sigma {
    let numbers = item.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...2).contains(numbers.count), let x = numbers[0], let y = numbers[numbers.count - 1] else {
      throw ValidationError("--sigma \(item): must be a number of pixels, or two as in 5x2")
    }
    do {
      return try Sigma(x: x, y: y)
    } catch {
      throw ValidationError("--\(error)")
    }
  }
}
