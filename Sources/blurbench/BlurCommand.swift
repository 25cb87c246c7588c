import ArgumentParser
import Blur
import BlurFiles
import BlurText
import BlurWisdom
import Foundation

/// The verb `blurbench blur`, which blurs an image file with one kernel.
struct BlurCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blur",
    abstract: "Blur an image file: PNG (8 and 16 bits, gray, RGB, RGBA), PNM, PAM or PFM.",
    discussion: """
      Files store straight alpha. The picture is premultiplied before it is blurred, so that transparent \
      edges get no dark halo.

      PFM files hold linear light. PNM and PAM files hold sRGB values. PNG files hold sRGB values unless a \
      chunk of the file specifies another transfer curve. Without --linear-light, the values are blurred as \
      they are stored. If the output file has a different transfer curve, the values are converted after the \
      blur. A PNG output keeps the colour description, the orientation and the resolution of its source; -v \
      lists everything that was dropped.

      With --tiled, the file is read, blurred and written in bands of rows, so that the picture can be \
      larger than memory. The same kernel gives a bit-identical result without --tiled. The rows in memory, \
      the scratch memory and the codecs together take at most --memory. The program itself takes about 30 MB \
      more. A file with alpha is read twice. --tiled does not support interlaced PNG files, or kernels that \
      need the whole image for each part of the result. It does not support the edge mode wrap either, \
      because with wrap, the first rows of the result depend on the last rows of the picture.

      Examples:
        blurbench blur in.png out.png --sigma 12
        blurbench blur in.png out.png --sigma 12 --tiled --memory 256M
        blurbench blur photo.png out.png --sigma 12 --linear-light
        blurbench blur photo.png out.png --sigma 24 --mask depth.png
        blurbench blur in.png out.png --sigma 12 --edge constant --constant '#ff8800'
        pngtopnm in.png | blurbench blur - - --sigma 12 | pnmtopng >out.png

      With --mask, sigma varies from pixel to pixel: it is --sigma where the gray mask is white, and 0 where \
      the mask is black. The option --method selects the algorithm for such a blur:\(methods)

      Exit codes: 0 success, 1 the command could not be carried out, 64 wrong usage.
      """)

  private static let methods =
    VariableMethod.allCases.map { "\n  \($0.rawValue): \($0.summary)" }.joined()

  @Argument(help: "The picture to read, or - to read it from standard input.", completion: .picture)
  var input: String
  @Argument(
    help: ArgumentHelp(
      "The picture to write. The file extension determines its format. "
        + "With -, the picture is written to standard output, in the format of the input."),
    completion: .picture)
  var output: String
  @Option(
    parsing: .unconditional,
    help: "The standard deviation in pixels. 5x2 means 5 pixels across and 2 pixels down.")
  var sigma: String
  @Option(
    help:
      "The name of a kernel. `auto` chooses the fastest kernel whose promised error is at most --max-error.",
    completion: .list(Registry.kernels.map(\.name) + ["auto"]))
  var kernel = "auto"
  @Option(
    help:
      "The edge mode, which defines the pixels beyond the image: \(EdgeMode.allCases.map(\.name).listed).",
    completion: .list(EdgeMode.allCases.map(\.name)))
  var edge = "clamp"
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The colour for --edge constant: #ff8800 (red, green, blue), #ff880080 (also alpha), 0.5 (gray), or "
        + "1,0.5,0 (red, green, blue). The default colour is transparent black.",
      valueName: "colour"))
  var constant: String?
  @Option(
    parsing: .unconditional, help: "The number of threads. `all` means one thread per core.",
    completion: .threads)
  var threads = "1"
  @Option(help: "The widest instruction set to use.", completion: .list(InstructionSet.allCases.map(\.name)))
  var isa = InstructionSet.best.name
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Use only a kernel that promises an error of at most this many levels in the output file. "
        + "A level is 1/255 of full scale. The default is 1.",
      valueName: "levels"))
  var maxError: Double?
  @Flag(
    help: ArgumentHelp(
      "Convert the picture to linear light before the blur, so that the result looks like a lens blur. "
        + "In a PNG file, the cICP, sRGB or gAMA chunk specifies the curve for this conversion. "
        + "16-bit pictures must not have transparent pixels."))
  var linearLight = false
  @Option(
    help: ArgumentHelp(
      "A gray picture that sets the strength of the blur: white means --sigma, black means no blur.",
      valueName: "file"),
    completion: .picture)
  var mask: String?
  @Option(
    help: "The algorithm for a blur with --mask: \(VariableMethod.allCases.map(\.rawValue).listed).",
    completion: .list(VariableMethod.allCases.map(\.rawValue)))
  var method = VariableMethod.levels.rawValue
  @Flag(help: "Read, blur and write the picture in bands of rows, so that it need not fit into memory.")
  var tiled = false
  @Option(
    help: ArgumentHelp(
      "The memory limit for --tiled, in bytes or with the suffix K, M or G. The default is 256M.",
      valueName: "size"))
  var memory: String?
  @Flag(
    name: .shortAndLong, help: "Report on standard error which kernel was used and how long the blur took.")
  var verbose = false

  func validate() throws {
    _ = try OptionValue.sigma(sigma)
    let edge = try OptionValue.edge(edge)
    if let constant {
      _ = try EdgeColour(constant)
      try require(edge == .transparent, "--constant can only be used together with --edge constant")
    }
    _ = try OptionValue.threads(threads)
    _ = try OptionValue.instructionSet(isa)
    if kernel != "auto" {
      _ = try OptionValue.chosen(kernel, "kernel", from: Registry.kernels, named: \.name)
    }
    if let maxError, !(maxError >= 0 && maxError.isFinite) {
      throw ValidationError("--max-error \(maxError): must be at least 0 levels")
    }
    if let memory {
      _ = try OptionValue.bytes(memory)
      guard tiled else { throw ValidationError("--memory can only be used together with --tiled") }
    }
    try require(!tiled || !linearLight, "--tiled and --linear-light cannot be combined")
    _ = try variableMethod()
    if let mask {
      try OptionValue.checkInputs([input, mask])
      guard !tiled else { throw ValidationError("--tiled and --mask cannot be combined") }
      try require(
        maxError == nil,
        "--max-error and --mask cannot be combined; --help states the error of each --method")
      let sigma = try OptionValue.sigma(sigma)
      guard sigma.x == sigma.y else { throw ValidationError("--mask needs the same --sigma for both axes") }
    } else if method != VariableMethod.levels.rawValue {
      throw ValidationError("--method can only be used together with --mask")
    }
    if tiled, edge == .wrap {
      throw ValidationError(
        "--tiled does not support --edge wrap, "
          + "because with this edge mode, the first rows depend on the last rows; omit --tiled")
    }
    do { try ImageFile.checkEnding(of: output) } catch { throw ValidationError("\(error)") }
  }

  func run() throws {
    if tiled { return try runTiled() }
    var picture = try ImageFile.read(input)
    tell(of: input, picture.metadata)
    let format = picture.image.layout.format
    // If linear light is blurred, the error bound applies to the result after it has been encoded with this
    // curve.
    let curve = try blurCurve(isLight: picture.isLinearLight, from: picture.ending, picture.curve)
    let parameters = try parameters(edge: try edge(of: picture))
    if linearLight { picture = try light(of: picture) }
    let image = picture.image
    let layout = image.layout
    if let mask {
      picture.image = try variable(image, mask, of: format, curve, parameters)
      return tellLosses(try ImageFile.write(picture, to: output), picture.metadata, from: picture.ending)
    }
    let bound = curve.bound(levels: levels, for: format)
    let plan = try plan(for: layout, parameters, within: bound)
    warnOfLongBlur(plan)
    let error = StoredError(
      of: plan.kernel, light: layout.format, picture: format, edge: plan.parameters.edge, curve)
    warnOfDark(error)
    var result = try Image(layout)
    let time = try ContinuousClock().measure { try plan.blur(image, into: &result) }
    picture.image = result
    tellLosses(try ImageFile.write(picture, to: output), picture.metadata, from: picture.ending)
    guard verbose else { return }
    tell(
      layout, plan.kernel, plan.parameters.instructionSet, threads: plan.threads,
      "\(plan.halvings.of("halving")), \(time.shown)")
    if linearLight { Terminal.say("error: \(error.summary)") }
    if let choice = plan.choice { Terminal.say("chosen: \(choice)") }
    if let path = LinkedWisdom.path { Terminal.say("wisdom: \(path)") }
  }

  /// Returns the curve that encodes the result of the blur, or `linear` if the blurred values are stored as
  /// they are.
  ///
  /// - Parameters:
  ///   - isLight: Whether the input file holds linear light.
  ///   - ending: The file extension of the input format.
  ///   - own: The curve of the input file, which is only evaluated if it is needed.
  private func blurCurve(
    isLight: Bool, from ending: String, _ own: @autoclosure () throws -> TransferCurve
  ) throws -> TransferCurve {
    guard isLight || linearLight else { return .linear }
    let target = ImageFile.curve(of: output, from: ending)
    // For a PNG output, `target` is nil, because the output uses the same transfer curve as the input. For a
    // PFM output, `target` is `linear`, because the output stores linear light. But the error bound still
    // applies to values that are encoded with the curve of the input.
    if let target, isLight || target != .linear { return target }
    return try own()
  }

  /// Returns the picture converted to linear light.
  ///
  /// - Throws: ``Blur/BlurError/invalidLayout(_:)`` if the picture has 16 bits per component and transparent
  ///   pixels, and ``BlurFiles/ImageFileError`` if the curve of the picture is unknown.
  private func light(of picture: Picture) throws -> Picture {
    let isWide = picture.image.layout.format.component == .float32 && !picture.isLinearLight
    guard isWide else { return try picture.linearLight() }
    throw BlurError.invalidLayout(
      "\(input): has 16 bits and transparent pixels; make it opaque, or store it with 8 bits "
        + "(--linear-light supports 8-bit pictures, opaque 16-bit pictures, and PFM)")
  }

  /// Returns the edge mode. With `--linear-light`, the colour of a constant edge is converted to linear
  /// light, like the picture.
  private func edge(of picture: Picture) throws -> EdgeMode {
    guard let constant else { return try OptionValue.edge(edge) }
    var pixel = picture
    pixel.image = try EdgeColour(constant).pixel(picture.image.layout.format, channels: picture.channels)
    return .constant(firstPixelOf: linearLight ? try light(of: pixel).image : pixel.image)
  }

  /// Prints the warnings about an input file. With `--verbose`, also lists the data in the file that is not
  /// kept because it would be wrong after a blur.
  func tell(of file: String, _ metadata: PictureMetadata) {
    for line in metadata.warnings + (verbose ? metadata.notes : []) { Terminal.say("\(file): \(line)") }
  }

  /// Lists the data in the input that the output file could not hold. Without `--verbose`, lists only the
  /// losses that change how the picture looks.
  private func tellLosses(_ losses: [String], _ metadata: PictureMetadata, from ending: String) {
    let always = metadata.warnings(for: ImageFile.ending(of: output, from: ending))
    for line in losses where verbose || always.contains(line) { Terminal.say("\(output): \(line)") }
  }

  func variableMethod() throws -> VariableMethod {
    try OptionValue.chosen(method, "method", from: VariableMethod.allCases, named: \.rawValue)
  }

  private func runTiled() throws {
    let file = try TiledBlur(reading: input)
    let pixel = try constant.map { try EdgeColour($0).pixel(file.layout.format, channels: file.channels) }
    let parameters = try parameters(
      edge: pixel.map { .constant(firstPixelOf: $0) } ?? OptionValue.edge(edge))
    let (threads, memory) = (try OptionValue.threads(threads), try OptionValue.bytes(memory ?? "256M"))
    let bands: Bands
    let curve = try blurCurve(isLight: file.isLinearLight, from: file.ending, file.curve)
    let bound = curve.bound(levels: levels, for: file.layout.format)
    if let named = try named(for: file.layout.format, within: bound) {
      bands = try Bands(named, for: file.layout, parameters, threads: threads, memory: memory)
    } else {
      let choices = try Chooser.shared.choices(for: file.layout, parameters, within: bound, threads: threads)
      bands = try Bands(firstOf: choices, for: file.layout, parameters, threads: threads, memory: memory)
    }
    let losses = try file.blur(bands, to: output)
    tell(of: input, file.metadata)
    tellLosses(losses, file.metadata, from: file.ending)
    guard verbose else { return }
    tell(file.layout, bands.kernel, bands.instructionSet, threads: bands.threads, "\(bands)")
  }

  private func tell(
    _ layout: ImageLayout, _ kernel: Kernel, _ set: InstructionSet, threads: Int, _ more: String
  ) {
    Terminal.say(
      "\(layout.format) \(layout.width)x\(layout.height), sigma \(sigma), edge \(edge): \(kernel.name), "
        + "\(set.name), \(threads.of("thread")), \(more)")
  }

  private func warnOfLongBlur(_ plan: BlurPlan) {
    let (kernel, parameters) = (plan.kernel, plan.parameters)
    let time = kernel.estimate(plan.layout, parameters, parameters.instructionSet, threads: plan.threads)
    guard time.isFinite, time > 5e9 else { return }
    Terminal.say("\(kernel.name) takes about \((time / 1e9).rounded().short) s for this picture (estimated)")
  }

  /// Warns if the chosen kernel can cause an error of more than one level in dark colours when it blurs in
  /// linear light. If the user set a bound with `--max-error`, no warning is needed.
  func warnOfDark(_ error: StoredError) {
    if linearLight, maxError == nil, let warning = error.warning { Terminal.say(warning) }
  }

  private func parameters(edge: EdgeMode) throws -> BlurParameters {
    BlurParameters(
      sigma: try OptionValue.sigma(sigma), edge: edge, instructionSet: try OptionValue.instructionSet(isa))
  }

  /// The largest error in levels that the user accepts: `--max-error`, or 1 if it is not given.
  private var levels: Double { maxError ?? 1 }

  func plan(
    for layout: ImageLayout, _ parameters: BlurParameters, within bound: ErrorBound
  ) throws -> BlurPlan {
    let threads = try OptionValue.threads(threads)
    guard let named = try named(for: layout.format, within: bound) else {
      do { return try BlurPlan(for: layout, parameters, accuracy: bound, threads: threads) } catch {
        // A curve without a straight part near black, such as a gamma of 2.2, needs a smaller bound than any
        // kernel promises. For such a curve, the most accurate kernel is used, and a warning says how large
        // its error can be.
        guard linearLight, maxError == nil, case BlurError.noKernel = error,
          let least = Registry.kernels.compactMap({ $0.promise.bound(for: layout.format) }).min()
        else { throw error }
        return try BlurPlan(for: layout, parameters, accuracy: .levels(least), threads: threads)
      }
    }
    return try BlurPlan(named, for: layout, parameters, threads: threads)
  }

  /// Returns the kernel named by `--kernel`, or nil for `--kernel auto`.
  ///
  /// - Throws: `ValidationError` if the user gave `--max-error` and the kernel does not promise that bound.
  private func named(for format: PixelFormat, within bound: ErrorBound) throws -> Kernel? {
    guard kernel != "auto" else { return nil }
    let named = try Registry.kernel(named: kernel)
    if let maxError, !bound.allows(named, for: format) {
      throw ValidationError(
        "--max-error \(maxError): kernel \(named.name) does not promise such a small error"
          + (linearLight ? " with --linear-light" : "") + "; it promises '\(named.promise.description)'")
    }
    return named
  }
}

extension Duration {
  /// The duration in milliseconds as text, with a hint that `blurbench run` measures more precisely than a
  /// single blur.
  var shown: String {
    "\((self / .milliseconds(1)).threeDigits) ms for this one blur (`blurbench run` measures more precisely)"
  }
}
