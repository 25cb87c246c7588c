import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurText
import BlurVerification

/// The verb `blurbench certify`, which computes the largest error that a kernel can make on any image.
struct CertifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certify",
    abstract:
      "Measure the largest error that a kernel can make on any image, and build an image with this error.",
    discussion: """
      A kernel computes each pixel of the result as a weighted sum of pixels of the image. The command \
      measures these weights for every pixel of a line, so that every offset and every distance from an edge \
      is covered. It then compares the weights in two dimensions with the exact weights. The largest error \
      in levels is 255 times the sum of all positive weight errors, or the sum of all negative weight errors \
      if that sum is larger in magnitude. No image with values from black to white can have a larger error \
      before rounding. As a check, the command also builds the image that reaches this error, and blurs it.

      docs/VERIFICATION.md explains every column.

      With --mask, the command certifies the methods of `blur --mask`, which vary sigma from pixel to pixel. \
      They are not convolutions, so their weights are measured for every pixel of a small float image.

      With --alpha straight, the command certifies the blur of the colours multiplied by alpha. The library \
      uses a format with more bits for this blur: rgba16 for rgba8, and rgbaf32 for rgba16 and rgbaf32.

      Examples:
        blurbench certify --kernel simd --sigma 10
        blurbench certify --kernel box-triple --format gray8 --sigma 2 --edge mirror
        blurbench certify --kernel simd --format rgba8 --alpha straight
        blurbench certify --mask linear,scattered --kernel levels --sigma 4

      Exit codes: 0 all promises are kept, 1 the command could not be carried out, 3 a promise is broken or \
      a kernel crashed, 4 nothing could be certified, 64 wrong usage.
      """)

  @Option(help: "The kernels to certify: a comma-separated list of names.", completion: .kernels)
  var kernel: String?
  @Option(
    parsing: .unconditional,
    help: "The sigmas in pixels. 5x2 means 5 pixels across and 2 pixels down.")
  var sigma = "1,2,5,10"
  @Option(
    help: "The pixel formats: \(PixelFormat.allCases.map(\.rawValue).listed).",
    completion: .formats)
  var format = "gray8"
  @Option(
    help: "The meaning of the fourth channel: \(ImageLayout.Alpha.allCases.map(\.rawValue).listed).",
    completion: .dimension(.alpha))
  var alpha = ImageLayout.Alpha.premultiplied.rawValue
  @Option(help: "The edge modes: \(EdgeMode.allCases.map(\.name).listed).", completion: .edges)
  var edge = "clamp"
  @Option(
    help: "The instruction sets. The default is the widest one that each kernel supports.",
    completion: .instructionSets)
  var isa: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time limit for each certificate. A certificate that would take longer is skipped.",
      valueName: "seconds"))
  var limit = 120.0
  @Option(
    help: ArgumentHelp(
      "Certify blurs whose sigma follows one of these masks: \(MaskShape.names.listed). "
        + "`all` means all of these masks."),
    completion: .dimension(.mask))
  var mask: String?
  @OptionGroup var plugins: PluginOptions
  @Flag(help: "Print a JSON array with one object for each certificate.") var json = false
  @Flag(help: "Print one CSV line for each certificate.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    try require(
      try mask == nil || chosenAlpha == .premultiplied,
      "--mask cannot be combined with --alpha, because methods for masks are certified only for gray floats")
    _ = try certification(of: [])
    if mask != nil {
      try require(
        !plugins.isGiven, "--mask cannot be used for plug-ins, because they cannot vary sigma in an image")
      _ = try masked()
    } else if !plugins.isGiven {
      _ = try OptionValue.kernels(kernel, from: Registry.kernels)
    }
  }

  mutating func run() throws {
    guard mask == nil else { return try certifyMasked() }
    let external = try plugins.load()
    try certify(external.kernels)
    try external.expectComplete()
  }

  /// Certifies the chosen kernels and prints the report.
  ///
  /// - Parameter external: The kernels of all plug-ins.
  private func certify(_ external: [Kernel]) throws {
    let kernels = try OptionValue.kernels(plugins.checked(kernel), from: Registry.kernels + external)
    let names = Set(external.map(\.name))
    let own = try certification(of: kernels.filter { !names.contains($0.name) }).report { number, all in
      Terminal.progress("certificate \(number) of \(all)")
    }
    Terminal.progress("")
    let report = try own + kernels.filter { names.contains($0.name) }.flatMap(certifiedApart)
    let text = report.text + (try straightNote())
    print(json ? try report.json() : csv ? report.csv : text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
    if report.areUncertified { throw ExitCode.cannotTell }
  }

  /// Returns a text that says what the certificates mean for images with straight alpha, or an empty string
  /// if the images have no straight alpha.
  private func straightNote() throws -> String {
    guard try chosenAlpha == .straight else { return "" }
    let rounding = try formats.map(\.straightRounding).max() ?? 0
    let added = "Rounding to 16 bits can add \(rounding.threeDigits) levels to the worst case.\n"
    return """

      With straight alpha, the worst case is the largest error of alpha, and the error of a colour is at most
      the worst case divided by alpha. `blurbench verify` checks the multiplication and the division.

      """ + (rounding > 0 ? added : "")
  }

  private var chosenAlpha: ImageLayout.Alpha {
    get throws {
      try OptionValue.chosen(alpha, "alpha", from: ImageLayout.Alpha.allCases, named: \.rawValue)
    }
  }

  /// The pixel formats in which the kernels blur. For images with straight alpha, they can have more bits
  /// than the chosen formats.
  private var formats: [PixelFormat] {
    get throws {
      let alpha = try chosenAlpha
      do {
        return try OptionValue.formats(format).map { try $0.blurred(alpha) }
      } catch let error as BlurError {
        throw ValidationError("\(error); use rgba8, rgba16 or rgbaf32")
      }
    }
  }

  /// Returns one function for each certificate to make with `--mask`. Each function computes the largest
  /// error that one method of blurring with a variable sigma can make with one mask, sigma and edge mode.
  private func masked() throws -> [() throws -> VariableCertificate] {
    try require(
      ["gray8", PixelFormat.grayf32.rawValue].contains(format),
      "--format: with --mask, only grayf32 can be certified")
    let sigmas = try OptionValue.items(sigma, "sigma").map(OptionValue.sigma)
    try require(
      sigmas.allSatisfy({ $0.x == $0.y }),
      "--sigma \(sigma): with --mask, sigma must be the same for both axes")
    let methods = try OptionValue.kernels(kernel, from: Kernel.variable).compactMap(\.variableMethod)
    let shapes =
      try OptionValue.chosen(
        list: mask == "all" ? nil : mask, "mask", from: MaskShape.allCases, named: \.rawValue)
      ?? MaskShape.allCases
    let edges = try OptionValue.items(edge, "edge").map(OptionValue.edge)
    let set = try isa.map(OptionValue.instructionSet) ?? .best
    var certificates: [() throws -> VariableCertificate] = []
    for (method, shape) in methods.flatMap({ method in shapes.map { (method, $0) } }) {
      for (sigma, edge) in sigmas.flatMap({ sigma in edges.map { (sigma, $0) } }) {
        certificates.append {
          try VariableCertificate(method, shape, sigma: sigma, edge: edge, instructionSet: set)
        }
      }
    }
    return certificates
  }

  private func certifyMasked() throws {
    let certificates = try masked()
    let report = try certificates.enumerated().map { index, certificate in
      Terminal.progress("certificate \(index + 1) of \(certificates.count)")
      return try certificate()
    }
    Terminal.progress("")
    print(json ? try report.json() : csv ? report.csv : report.text, terminator: "")
    if report.hasFailures { throw ExitCode.checkFailed }
  }

  /// Computes the certificates of an external kernel. Each certificate is computed in a separate process, so
  /// that only one certificate is lost if the kernel crashes.
  private func certifiedApart(_ kernel: Kernel) throws -> [CertificateRow] {
    let launcher = plugins.launcher
    let run = try certification(of: [kernel])
    defer { Terminal.progress("") }
    return run.subjects.map { _, subject in
      Terminal.progress("\(kernel.name), sigma \(subject.sigma.spelled)")
      do {
        return try launcher.connect().answer(
          to: ServerRequest.certify(
            kernel: kernel.name, CertificateRun.conditions(kernel, subject), limit: run.limit),
          within: (run.limit, option: "--limit"))
      } catch {
        return CertificateRow(kernel, subject, failure: "\(error)")
      }
    }
  }

  /// Returns a run that computes the largest errors of `kernels` for the chosen sigmas, formats, edge modes
  /// and instruction sets.
  private func certification(of kernels: [Kernel]) throws -> CertificateRun {
    guard limit > 0 else { throw ValidationError("--limit \(limit): must be above 0 seconds") }
    return CertificateRun(
      kernels: kernels,
      formats: try formats,
      sigmas: try OptionValue.items(sigma, "sigma").map(OptionValue.sigma),
      edges: try OptionValue.edges(edge), instructionSets: try isa.flatMap(OptionValue.instructionSets),
      limit: limit)
  }
}
