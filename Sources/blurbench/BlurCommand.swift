import ArgumentParser
import Blur
import BlurImageIO
import BlurText
import BlurWisdom
import Foundation

/// `blurbench blur`: an image file blurred by one kernel.
struct BlurCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blur",
    abstract: "Blur an image file: PNG (8 and 16 bits, gray, RGB, RGBA), PNM, PAM or PFM.",
    discussion: """
      Alpha is straight in files and premultiplied inside, so that transparent edges get no dark halo.

      With --tiled a file is read, blurred and written in bands of rows, so that a picture larger than \
      memory can be blurred. The result is bit-identical to the untiled one by the same kernel. Rows, \
      scratch and codecs take --memory at most, beside the program itself (some 30 MB). A file with alpha is \
      read twice. Refused: edge wrap, whose first rows are blurred from the last; interlaced PNG; kernels \
      that read the whole image for any part.

      Examples:
        blurbench blur in.png out.png --sigma 12
        blurbench blur in.png out.png --sigma 12 --tiled --memory 256M
        blurbench blur photo.png out.png --sigma 12 --linear-light
        blurbench blur photo.png out.png --sigma 24 --mask depth.png

      With --mask, sigma differs from pixel to pixel: --sigma where the gray 8-bit mask is white, none where \
      it is black. The methods:\(methods)

      Exit codes: 0 good, 1 could not do it, 64 usage.
      """)

  private static let methods =
    VariableMethod.allCases.map { "\n  \($0.rawValue): \($0.summary)" }.joined()

  @Argument(help: "The picture to read.", completion: .picture) var input: String
  @Argument(help: "The picture to write; its ending names the format.", completion: .picture)
  var output: String
  @Option(parsing: .unconditional, help: "Standard deviation in pixels; 5x2 is 5 across and 2 down.")
  var sigma: String
  @Option(
    help: "A kernel by name, or auto: the fastest that keeps --max-error.",
    completion: .list(Registry.kernels.map(\.name) + ["auto"]))
  var kernel = "auto"
  @Option(
    help: "What is beyond the image: \(EdgeMode.all.map(\.name).joined(separator: ", ")).",
    completion: .list(EdgeMode.all.map(\.name)))
  var edge = "clamp"
  @Option(parsing: .unconditional, help: "Number of threads, or all.", completion: .threads) var threads = "1"
  @Option(help: "The widest instruction set to use.", completion: .list(InstructionSet.allCases.map(\.name)))
  var isa = InstructionSet.best.name
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The largest error that the kernel may promise; 1 if not given, less with --linear-light.",
      valueName: "levels"))
  var maxError: Double?
  @Flag(
    help:
      "Blur light instead of stored colours, as a lens does: sRGB pictures of 8 bits, or opaque ones of 16.")
  var linearLight = false
  @Option(
    help: ArgumentHelp("A gray picture that says how much each pixel is blurred.", valueName: "file"),
    completion: .picture)
  var mask: String?
  @Option(
    help: "How, with --mask: \(VariableMethod.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .list(VariableMethod.allCases.map(\.rawValue)))
  var method = VariableMethod.levels.rawValue
  @Flag(help: "Blur in bands of rows, in bounded memory.") var tiled = false
  @Option(help: ArgumentHelp("Memory for --tiled, in bytes, or with K, M or G.", valueName: "size"))
  var memory = "256M"
  @Flag(name: .shortAndLong, help: "Say on standard error what was done.") var verbose = false

  func validate() throws {
    _ = try OptionValue.sigma(sigma)
    _ = try OptionValue.edge(edge)
    _ = try OptionValue.threads(threads)
    _ = try OptionValue.instructionSet(isa)
    if kernel != "auto" {
      _ = try OptionValue.chosen(kernel, "kernel", from: Registry.kernels, named: \.name)
    }
    if let maxError, !(maxError >= 0 && maxError.isFinite) {
      throw ValidationError("--max-error \(maxError): must be a number of levels from 0")
    }
    _ = try OptionValue.bytes(memory)
    guard !tiled || !linearLight else {
      throw ValidationError("--tiled and --linear-light exclude each other")
    }
    _ = try variableMethod()
    if mask != nil {
      guard !tiled else { throw ValidationError("--tiled and --mask exclude each other") }
      guard maxError == nil else {
        throw ValidationError("--max-error and --mask exclude each other; --method says how far it is off")
      }
      let sigma = try OptionValue.sigma(sigma)
      guard sigma.x == sigma.y else { throw ValidationError("--mask needs one --sigma for both axes") }
    } else if method != VariableMethod.levels.rawValue {
      throw ValidationError("--method is for --mask")
    }
    if tiled, edge == EdgeMode.wrap.name {
      throw ValidationError(
        "--tiled: edge wrap blurs the first rows from the last ones; blur without --tiled")
    }
    do { try ImageFile.checkEnding(of: output) } catch { throw ValidationError("\(error)") }
  }

  func run() throws {
    if tiled { return try runTiled() }
    var picture = try ImageFile.read(input)
    let image = linearLight ? try light(of: picture) : picture.image
    let layout = image.layout
    if let mask {
      let result = try variable(image, mask, of: picture.image.layout.format)
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

  /// The picture in linear light, or why it has none.
  private func light(of picture: Picture) throws -> Image {
    guard picture.image.layout.format.component == .float32 else { return try picture.image.linearLight() }
    let reason =
      picture.depth == .bits16
      ? "has 16 bits and transparent pixels; make it opaque, or store 8 bits"
      : "has floats, which are light already; blur it without --linear-light"
    throw BlurError.invalidLayout(
      "\(input): \(reason) (--linear-light takes 8 bits, and 16 bits of opaque pixels)")
  }

  /// The image blurred as much as a mask says; `format` is the picture's, before it became light.
  private func variable(_ image: Image, _ file: String, of format: PixelFormat) throws -> Image {
    let mask = try ImageFile.read(file).image
    guard mask.layout.format == .gray8 else {
      throw ValidationError("--mask \(file): must be gray with 8 bits, not \(mask.layout.format)")
    }
    let (layout, size) = (image.layout, mask.layout)
    guard (size.width, size.height) == (layout.width, layout.height) else {
      throw ValidationError(
        "--mask \(file): must be \(layout.width)x\(layout.height) as the picture, "
          + "not \(size.width)x\(size.height)")
    }
    let kernel = try mixedKernel(for: layout, of: format)
    var stored = try kernel.map {
      StoredError(of: $0, light: layout.format, picture: format, edge: try OptionValue.edge(edge))
    }
    stored.map(warnOfDark)
    let plan = try VariableBlurPlan(
      for: layout, sigma: try OptionValue.sigma(sigma).x, mask: mask, edge: try OptionValue.edge(edge),
      method: try variableMethod(), kernel: kernel, isa: try OptionValue.instructionSet(isa),
      threads: try OptionValue.threads(threads))
    var result = try Image(layout)
    let time = try ContinuousClock().measure { try plan.blur(image, into: &result) }
    if verbose {
      let error =
        plan.error.map { error in
          // The curve is steepest from black on: nowhere does that much light make more of a difference.
          let levels = linearLight ? 255 * LinearLight.colour(of: error / 255) : error
          return ", at most \(levels.threeDigits) levels by mixing, beside the blurs' own error"
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

  /// What makes the blurs that are mixed; nil where the library chooses one for each.
  private func mixedKernel(for light: ImageLayout, of format: PixelFormat) throws -> Kernel? {
    if kernel != "auto" { return try Registry.kernel(named: kernel) }
    // Within a level of the picture, which is less of light.
    return linearLight
      ? try BlurPlan(for: light, parameters, accuracy: LinearLight.bound(levels: 1, for: format)).kernel : nil
  }

  private func variableMethod() throws -> VariableMethod {
    try OptionValue.chosen(method, "method", from: VariableMethod.allCases, named: \.rawValue)
  }

  private func runTiled() throws {
    let file = try TiledBlur(reading: input)
    let (threads, memory) = (try OptionValue.threads(threads), try OptionValue.bytes(memory))
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
    Terminal.say("\(kernel.name) takes some \((time / 1e9).rounded().short) s for this picture (estimate)")
  }

  /// Where a kernel is named without a bound, light may ask for more than it promises.
  private func warnOfDark(_ error: StoredError) {
    if linearLight, maxError == nil, let warning = error.warning { Terminal.say(warning) }
  }

  private var parameters: BlurParameters {
    get throws {
      BlurParameters(
        sigma: try OptionValue.sigma(sigma), edge: try OptionValue.edge(edge),
        instructionSet: try OptionValue.instructionSet(isa))
    }
  }

  /// The largest error, where the kernel is chosen by it.
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

  /// The kernel that was asked for; nil for auto.
  private func named(for format: PixelFormat, within bound: ErrorBound) throws -> Kernel? {
    guard kernel != "auto" else { return nil }
    let named = try Registry.kernel(named: kernel)
    if let maxError, !bound.allows(named, for: format) {
      throw ValidationError(
        "kernel \(named.name) promises '\(named.promise.description)', not an error of at most "
          + "\(maxError) levels" + (linearLight ? " after --linear-light" : ""))
    }
    return named
  }
}

extension Duration {
  /// The time of one blur, which is no measurement.
  fileprivate var shown: String {
    "\((self / .milliseconds(1)).threeDigits) ms (once; `blurbench run` measures)"
  }
}
