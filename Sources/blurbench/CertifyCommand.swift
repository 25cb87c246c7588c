import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// `blurbench certify`: the largest error that any image can get.
struct CertifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certify",
    abstract: "Measure the largest error that any image can get from a kernel, and build that image.",
    discussion: """
      A kernel's weights are measured for every pixel of a line, at every offset and at every distance from \
      an edge. The worst case is 255 times the sum of the weights' errors of one sign, in the plane: no \
      image of values from black to white is further off, before rounding. The image that gets there is \
      blurred too.

      docs/ERRORS.md explains every column.

      With --mask the kernels are the methods of variable sigma, which are no convolutions: their weights \
      are measured for every pixel of a small image in floats.

      Examples:
        blurbench certify --kernel simd --sigma 10
        blurbench certify --kernel box-triple --format gray8 --sigma 2 --edge mirror
        blurbench certify --mask linear,scattered --kernel levels --sigma 4

      Exit codes: 0 promises kept, 1 could not do it, 3 a promise is broken or a kernel crashed, \
      4 nothing could be certified, 64 usage.
      """)

  @Option(help: "Kernels to certify, by name.", completion: .kernels) var kernel: String?
  @OptionGroup var choices: CertificateChoices
  @Option(
    help:
      "Certify blurs of variable sigma with these masks: \(MaskShape.names.joined(separator: ", ")), or all.",
    completion: .dimension(.mask))
  var mask: String?
  @OptionGroup var plugins: PluginOptions
  @Flag(help: "Print a JSON array with one object for each certificate.") var json = false
  @Flag(help: "Print one CSV line for each certificate.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    _ = try choices.run([])
    guard mask == nil else {
      if plugins.isGiven { throw ValidationError("--mask: plug-ins have no blurs of variable sigma") }
      _ = try masked()
      return
    }
    if !plugins.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.kernels) }
  }

  func run() throws {
    guard mask == nil else { return try certifyMasked() }
    let external = try plugins.placeholders()
    let kernels = try OptionValue.kernels(plugins.checked(kernel), from: Registry.kernels + external)
    let names = Set(external.map(\.name))
    let own = try choices.run(kernels.filter { !names.contains($0.name) }).report { number, all in
      Terminal.progress("certificate \(number) of \(all)")
    }
    Terminal.progress("")
    let report = CertificateReport(
      try own.rows + kernels.filter { names.contains($0.name) }.flatMap(certifiedApart))
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.isEmpty { throw ExitCode.cannotTell }
  }

  /// What is certified of blurs of variable sigma.
  private func masked() throws -> VariableCertificateRun {
    guard ["gray8", PixelFormat.grayf32.rawValue].contains(choices.format) else {
      throw ValidationError("--format: with --mask weights are read from grayf32")
    }
    let shapes = mask == "all" ? nil : mask
    return VariableCertificateRun(
      methods: try OptionValue.kernels(kernel, from: Kernel.variable).compactMap(\.variableMethod),
      shapes: try OptionValue.chosen(list: shapes, "mask", from: MaskShape.allCases, named: \.rawValue)
        ?? MaskShape.allCases,
      sigmas: try OptionValue.items(choices.sigma, "sigma").map(OptionValue.sigma),
      edges: try OptionValue.items(choices.edge, "edge").map(OptionValue.edge),
      instructionSet: try choices.isa.map(OptionValue.instructionSet) ?? .best)
  }

  private func certifyMasked() throws {
    let report = try masked().report { number, all in Terminal.progress("certificate \(number) of \(all)") }
    Terminal.progress("")
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
  }

  /// An external kernel, each certificate in a process of its own that it may take down.
  private func certifiedApart(_ kernel: Kernel) throws -> [CertificateRow] {
    let launcher = plugins.launcher
    defer { Terminal.progress("") }
    return try choices.single.flatMap { (choices) -> [CertificateRow] in
      Terminal.progress("\(kernel.name), sigma \(choices.sigma)")
      do {
        let words = ["certify"] + choices.words + ["--kernel", kernel.name]
        return try launcher.answer(
          to: words + launcher.libraries(), within: (choices.limit, option: "--limit"))
      } catch {
        return try choices.run([kernel]).failed("\(error)")
      }
    }
  }
}

/// What kernels are certified for.
struct CertificateChoices: ParsableArguments {
  @Option(parsing: .unconditional, help: "Sigmas in pixels; 5x2 is 5 across and 2 down.")
  var sigma = "1,2,5,10"
  @Option(
    help: "Pixel formats: \(PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .formats)
  var format = "gray8"
  @Option(help: "Edge modes: \(EdgeMode.all.map(\.name).joined(separator: ", ")).", completion: .edges)
  var edge = "clamp"
  @Option(help: "Instruction sets; each kernel's widest by default.", completion: .instructionSets)
  var isa: String?
  @Option(help: ArgumentHelp("Skip certificates that would take longer.", valueName: "seconds"))
  var limit = 120.0

  /// The options as words of a command line.
  var words: [String] {
    ["--sigma", sigma, "--format", format, "--edge", edge, "--limit", "\(limit)"]
      + (isa.map { ["--isa", $0] } ?? [])
  }

  /// The same certificates, those of one format, sigma and edge mode at a time.
  var single: [Self] {
    get throws {
      let edges = try OptionValue.edges(edge).map(\.name)
      let formats = try OptionValue.formats(format)
      return try OptionValue.items(sigma, "sigma").flatMap { sigma in
        formats.flatMap { format in
          edges.map { edge in
            var single = self
            (single.format, single.sigma, single.edge) = (format.rawValue, sigma, edge)
            return single
          }
        }
      }
    }
  }

  /// What the options ask for, of these kernels.
  func run(_ kernels: [Kernel]) throws -> CertificateRun {
    CertificateRun(
      kernels: kernels,
      formats: try OptionValue.formats(format),
      sigmas: try OptionValue.items(sigma, "sigma").map(OptionValue.sigma),
      edges: try OptionValue.edges(edge), instructionSets: try isa.flatMap(OptionValue.instructionSets),
      limit: limit)
  }
}
