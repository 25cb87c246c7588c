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

      With --tiled, the file is read, blurred and written in bands of rows, so that the picture can be \
      larger than memory. The result is bit-identical to that of the same kernel without --tiled. The rows, \
      the scratch memory and the codecs together take at most --memory, in addition to about 30 MB for the \
      program itself. A file with alpha is read twice. --tiled does not support the edge mode wrap \
      (with which the first rows depend on the last ones), interlaced PNG files, or kernels that need the \
      whole image for each part of the result.

      Examples:
        blurbench blur in.png out.png --sigma 12
        blurbench blur in.png out.png --sigma 12 --tiled --memory 256M
        blurbench blur photo.png out.png --sigma 12 --linear-light
        blurbench blur photo.png out.png --sigma 24 --mask depth.png
        blurbench blur in.png out.png --sigma 12 --edge constant --constant '#ff8800'
        pngtopnm in.png | blurbench blur - - --sigma 12 | pnmtopng >out.png

      With --mask, sigma varies from pixel to pixel: it is --sigma where the gray mask is white, and 0 where \
      the mask is black. The methods for this are:\(methods)

      Exit codes: 0 success, 1 the command could not be carried out, 64 wrong usage.
      """)

  private static let methods =
    VariableMethod.allCases.map { "\n  \($0.rawValue): \($0.summary)" }.joined()

  @Argument(help: "The picture to read, or - for the standard input.", completion: .picture)
  var input: String
  @Argument(
    help: ArgumentHelp(
      "The picture to write. The file extension determines its format. With -, the picture is written to the "
        + "standard output, in the format of the picture that is read."),
    completion: .picture)
  var output: String
  @Option(parsing: .unconditional, help: "The standard deviation in pixels; 5x2 is 5 across and 2 down.")
  var sigma: String
  @Option(
    help:
      "The name of a kernel, or auto for the fastest kernel that promises an error of at most --max-error.",
    completion: .list(Registry.kernels.map(\.name) + ["auto"]))
  var kernel = "auto"
  @Option(
    help:
      "The edge mode, for the pixels beyond the image: \(EdgeMode.all.map(\.name).listed).",
    completion: .list(EdgeMode.all.map(\.name)))
  var edge = "clamp"
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The colour for --edge constant, such as #ff8800, #ff880080 with alpha, 0.5 for a gray, or 1,0.5,0; "
        + "by default transparent black.",
      valueName: "colour"))
  var constant: String?
  @Option(parsing: .unconditional, help: "The number of threads, or all.", completion: .threads)
  var threads = "1"
  @Option(help: "The widest instruction set to use.", completion: .list(InstructionSet.allCases.map(\.name)))
  var isa = InstructionSet.best.name
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The largest error that the kernel may promise for the stored picture, "
        + "in levels of 1/255 of full scale; by default 1.",
      valueName: "levels"))
  var maxError: Double?
  @Flag(
    help: ArgumentHelp(
      "Blur linear light instead of the stored sRGB values, as a lens does. "
        + "This works for 8-bit pictures, and for 16-bit pictures without transparency."))
  var linearLight = false
  @Option(
    help: ArgumentHelp(
      "A gray picture with the strength of the blur: white means --sigma, black means no blur.",
      valueName: "file"),
    completion: .picture)
  var mask: String?
  @Option(
    help: "The method for --mask: \(VariableMethod.allCases.map(\.rawValue).listed).",
    completion: .list(VariableMethod.allCases.map(\.rawValue)))
  var method = VariableMethod.levels.rawValue
  @Flag(help: "Blur in bands of rows, with limited memory.") var tiled = false
  @Option(
    help: ArgumentHelp(
      "The memory limit for --tiled, in bytes or with the suffix K, M or G; by default 256M.",
      valueName: "size"))
  var memory: String?
  @Flag(name: .shortAndLong, help: "Report on standard error which kernel was used and how long it took.")
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
    if mask != nil {
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
          + "because with that edge mode the first rows depend on the last ones; omit --tiled")
    }
    do { try ImageFile.checkEnding(of: output) } catch { throw ValidationError("\(error)") }
  }

  func run() throws {
    if tiled { return try runTiled() }
    var picture = try ImageFile.read(input)
    let image = linearLight ? try light(of: picture) : picture.image
    let parameters = try parameters(edge: try edge(of: picture))
    let layout = image.layout
    if let mask {
      let result = try variable(image, mask, of: picture.image.layout.format, parameters)
      picture.image = linearLight ? try result.sRGB() : result
      return try ImageFile.write(picture, to: output)
    }
    let bound =
      linearLight ? LinearLight.bound(levels: levels, for: picture.image.layout.format) : .levels(levels)
    let plan = try plan(for: layout, parameters, within: bound)
    warnOfLongBlur(plan)
    let error = StoredError(
      of: plan.kernel, light: layout.format, picture: picture.image.layout.format, edge: plan.parameters.edge)
    warnOfDark(error)
    var result = try Image(layout)
    let time = try ContinuousClock().measure { try plan.blur(image, into: &result) }
    picture.image = linearLight ? try result.sRGB() : result
    try ImageFile.write(picture, to: output)
    guard verbose else { return }
    tell(
      layout, plan.kernel, plan.parameters.instructionSet, threads: plan.threads,
      "\(plan.halvings.of("halving")), \(time.shown)")
    if linearLight { Terminal.say("error: \(error.summary)") }
    if let choice = plan.choice { Terminal.say("chosen: \(choice)") }
    if let path = LinkedWisdom.path { Terminal.say("wisdom: \(path)") }
  }

  /// Returns the picture converted from sRGB to linear light.
  ///
  /// - Throws: ``Blur/BlurError/invalidLayout(_:)`` if the picture cannot be converted. This is the case if
  ///   it stores floats, or if it has 16 bits and transparent pixels. The error contains the reason.
  private func light(of picture: Picture) throws -> Image {
    guard picture.image.layout.format.component == .float32 else { return try picture.image.linearLight() }
    let reason =
      picture.depth == .bits16
      ? "has 16 bits and transparent pixels; make it opaque, or store it with 8 bits"
      : "stores floats, which are linear light already; omit --linear-light"
    throw BlurError.invalidLayout(
      "\(input): \(reason) (--linear-light supports 8-bit pictures, and opaque 16-bit pictures)")
  }

  /// Returns the edge mode. The colour of a constant edge is converted to linear light like the picture.
  private func edge(of picture: Picture) throws -> EdgeMode {
    guard let constant else { return try OptionValue.edge(edge) }
    var pixel = picture
    pixel.image = try EdgeColour(constant).pixel(picture.image.layout.format)
    return .constant(firstPixelOf: linearLight ? try light(of: pixel) : pixel.image)
  }

  /// Returns `image` blurred with a sigma that varies from pixel to pixel, as the mask in `file` says.
  ///
  /// - Parameters:
  ///   - image: the pixels to blur, already in linear light if the user asked for `--linear-light`.
  ///   - file: the path of the mask.
  ///   - format: the format of the original picture, before any conversion to linear light.
  private func variable(
    _ image: Image, _ file: String, of format: PixelFormat, _ parameters: BlurParameters
  ) throws -> Image {
    let mask = try ImageFile.readMask(file)
    let (layout, size) = (image.layout, mask.layout)
    try require(
      (size.width, size.height) == (layout.width, layout.height),
      "--mask \(file): must have \(layout.width)x\(layout.height) pixels like the picture, "
        + "not \(size.width)x\(size.height)")
    let kernel = try mixedKernel(for: layout, of: format, parameters)
    var stored = kernel.map {
      StoredError(of: $0, light: layout.format, picture: format, edge: parameters.edge)
    }
    stored.map(warnOfDark)
    let plan = try VariableBlurPlan(
      for: layout, sigma: parameters.sigma.x, mask: mask, edge: parameters.edge,
      method: try variableMethod(), kernel: kernel, isa: parameters.instructionSet,
      threads: try OptionValue.threads(threads))
    var result = try Image(layout)
    let time = try ContinuousClock().measure { try plan.blur(image, into: &result) }
    if verbose {
      let error =
        plan.error.map { error in
          // Here the error in linear light is converted to sRGB as if the colour were black. The sRGB curve
          // is steepest there, so this is the largest error in levels that can occur for any colour.
          let levels = linearLight ? 255 * LinearLight.colour(of: error / 255) : error
          return ", mixing adds an error of at most \(levels.threeDigits) levels to the error of the blurs"
            + (linearLight ? ", near black" : "")
        } ?? ""
      Terminal.say(
        "\(layout.format) \(layout.width)x\(layout.height), sigma \(sigma), edge \(edge): method \(method)"
          + "\(error), \(time.shown)")
      stored?.mixing = plan.error
      if linearLight, let stored { Terminal.say("error: \(stored.summary)") }
    }
    return result
  }

  /// Returns the kernel for a blur with a mask, which mixes several blurs of the picture. The result is nil
  /// if the library may choose a separate kernel for each of these blurs.
  private func mixedKernel(
    for light: ImageLayout, of format: PixelFormat, _ parameters: BlurParameters
  ) throws -> Kernel? {
    if kernel != "auto" { return try Registry.kernel(named: kernel) }
    // `--kernel auto` promises an error of at most one level in the stored sRGB picture. The conversion from
    // linear light to sRGB magnifies errors near black, so with `--linear-light` the kernel must promise a
    // smaller error.
    return linearLight
      ? try BlurPlan(for: light, parameters, accuracy: LinearLight.bound(levels: 1, for: format)).kernel : nil
  }

  private func variableMethod() throws -> VariableMethod {
    try OptionValue.chosen(method, "method", from: VariableMethod.allCases, named: \.rawValue)
  }

  private func runTiled() throws {
    let file = try TiledBlur(reading: input)
    let pixel = try constant.map { try EdgeColour($0).pixel(file.layout.format) }
    let parameters = try parameters(
      edge: pixel.map { .constant(firstPixelOf: $0) } ?? OptionValue.edge(edge))
    let (threads, memory) = (try OptionValue.threads(threads), try OptionValue.bytes(memory ?? "256M"))
    let bands: Bands
    let bound = ErrorBound.levels(levels)
    if let named = try named(for: file.layout.format, within: bound) {
      bands = try Bands(named, for: file.layout, parameters, threads: threads, memory: memory)
    } else {
      let choices = try Chooser.shared.choices(for: file.layout, parameters, within: bound, threads: threads)
      bands = try Bands(firstOf: choices, for: file.layout, parameters, threads: threads, memory: memory)
    }
    try file.blur(bands, to: output)
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
  /// linear light. There is no warning if the user set a bound with `--max-error`.
  private func warnOfDark(_ error: StoredError) {
    if linearLight, maxError == nil, let warning = error.warning { Terminal.say(warning) }
  }

  private func parameters(edge: EdgeMode) throws -> BlurParameters {
    BlurParameters(
      sigma: try OptionValue.sigma(sigma), edge: edge, instructionSet: try OptionValue.instructionSet(isa))
  }

  /// The largest error in levels that the user accepts: `--max-error`, or 1 if it is not given.
  private var levels: Double { maxError ?? 1 }

  private func plan(
    for layout: ImageLayout, _ parameters: BlurParameters, within bound: ErrorBound
  ) throws -> BlurPlan {
    let threads = try OptionValue.threads(threads)
    guard let named = try named(for: layout.format, within: bound) else {
      return try BlurPlan(for: layout, parameters, accuracy: bound, threads: threads)
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
  /// The duration in milliseconds, with a note that a single blur is not a measurement.
  fileprivate var shown: String {
    "\((self / .milliseconds(1)).threeDigits) ms for this one blur (`blurbench run` measures more precisely)"
  }
}
