import ArgumentParser
import Blur
import BlurVerification
import Foundation

/// `blurbench certify`: the largest error that any image can get.
struct CertifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certify",
    abstract: "Measure the largest error that any image can get from a kernel, and build that image.",
    discussion: """
      A kernel's weights are measured for every pixel of a line, at every phase and at every distance from an \
      edge. The worst case is 255 times the sum of the weights' errors of one sign, in the plane: no image of \
      values from black to white is further off, before rounding. The image that gets there is blurred too.

      Exit codes: 0 promises kept, 1 could not do it, 3 a promise is broken, 4 nothing could be certified, \
      64 usage.
      """)

  @Option(help: "Kernels to certify, by name.") var kernel: String?
  @OptionGroup var choices: CertificateChoices
  @OptionGroup var foreign: ForeignOptions
  @Flag(help: "Print a JSON array with one object for each certificate.") var json = false
  @Flag(help: "Print one CSV line for each certificate.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    _ = try choices.subjects([])
    if !foreign.isGiven { _ = try Words.kernels(kernel, from: Registry.kernels) }
  }

  func run() throws {
    let others = try foreign.described()
    let kernels = try Words.kernels(kernel, from: Registry.kernels + others.map(\.elsewhere))
    let names = Set(others.map(\.name))
    let own = CertificateReport(
      try choices.subjects(kernels.filter { !names.contains($0.name) }), limit: choices.limit
    ) { number, all in Terminal.progress("certificate \(number) of \(all)") }
    Terminal.progress("")
    let report = CertificateReport(
      try own.rows + kernels.filter { names.contains($0.name) }.flatMap(certifiedApart))
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.isEmpty { throw ExitCode.cannotTell }
  }

  /// A foreign kernel, in a process of its own that it may take down.
  private func certifiedApart(_ kernel: Kernel) throws -> [CertificateRow] {
    Terminal.progress("\(kernel.name)")
    defer { Terminal.progress("") }
    do {
      return try foreign.ask(["certify"] + choices.words + ["--kernel", kernel.name] + foreign.libraries())
    } catch {
      return try choices.subjects([kernel]).map { CertificateRow($0.0, $0.1, skipped: "\(error)") }
    }
  }
}

/// What kernels are certified for.
struct CertificateChoices: ParsableArguments {
  @Option(parsing: .unconditional, help: "Sigmas in pixels; 5x2 is 5 across and 2 down.")
  var sigma = "1,2,5,10"
  @Option(help: "Pixel formats: \(PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format = "gray8"
  @Option(help: "Edge modes: \(EdgeMode.all.map(\.name).joined(separator: ", ")).") var edge = "clamp"
  @Option(help: "Instruction sets; each kernel's widest by default.") var isa: String?
  @Option(help: ArgumentHelp("Skip certificates that would take longer.", valueName: "seconds"))
  var limit = 120.0

  /// The options as words of a command line.
  var words: [String] {
    ["--sigma", sigma, "--format", format, "--edge", edge, "--limit", "\(limit)"]
      + (isa.map { ["--isa", $0] } ?? [])
  }

  /// Each kernel with each subject.
  func subjects(_ kernels: [Kernel]) throws -> [(Kernel, Subject)] {
    let formats = try Words.chosen(list: format, "format", from: PixelFormat.allCases, named: \.rawValue)!
    let edges = try Words.items(edge, "edge").map(Words.edge)
    let sigmas = try Words.items(sigma, "sigma").map(Words.sigma)
    let sets = try isa.map { try Words.items($0, "instruction set").map(Words.instructionSet) }
    var subjects: [(Kernel, Subject)] = []
    for kernel in kernels {
      for (sigma, format) in sigmas.flatMap({ sigma in formats.map { (sigma, $0) } }) {
        for (edge, set) in edges.flatMap({ edge in (sets ?? [kernel.best]).map { (edge, $0) } }) {
          subjects.append((kernel, Subject(format, sigma: sigma, edge: edge, instructionSet: set)))
        }
      }
    }
    return subjects
  }
}

extension Kernel {
  /// The widest instruction set that the kernel and this CPU have.
  fileprivate var best: InstructionSet { instructionSet(upTo: .best) }
}
