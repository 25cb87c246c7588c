import ArgumentParser
import Blur
import BlurImageIO
import BlurRecords
import BlurReport
import BlurVerification

/// `blurbench picture`: kernels' results side by side, with amplified differences to the truth below.
struct PictureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "picture",
    abstract: "Draw a strip: the source, the truth, each kernel's result; below, |result − truth| amplified.",
    discussion: """
      Each picture has its name below it, and each difference what it was multiplied with and how large it \
      is at most; where every pixel is right, there is no difference to draw. Without an input, a seeded \
      picture of overlapping discs is taken, whose statistics are those of photographs: in rgba8, rgb8 or \
      gray8, whichever all kernels take.

      Examples:
        blurbench picture strip.png
        blurbench picture strip.png --input photo.png --kernel pyramid,stack
        blurbench picture strip.png --plugin ./libmine.so

      Exit codes: 0 good, 1 could not do it, 64 usage.
      """)

  @Argument(help: "The strip to write.", completion: .picture) var output: String
  @Option(help: "Kernels, by name.", completion: .kernels) var kernel: String?
  @OptionGroup var choices: PictureChoices
  @OptionGroup var plugins: PluginOptions

  func validate() throws {
    if !plugins.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.kernels) }
    do { try ImageFile.checkEnding(of: output) } catch { throw ValidationError("\(error)") }
  }

  func run() throws {
    let all = try Registry.kernels + plugins.placeholders()
    let kernels = try OptionValue.kernels(plugins.checked(kernel), from: all)
    let drawn: DrawnStrip
    if plugins.isGiven {
      // External kernels may end a process: it is another one.
      let words =
        ["--kernel", kernels.map(\.name).joined(separator: ","), "--output", output] + choices.words
      drawn = try plugins.launcher.answer(to: ["draw"] + words + plugins.launcher.libraries())
    } else {
      drawn = .captions(try choices.draw(kernels, to: output))
    }
    switch drawn {
    case .captions(let captions): for line in captions { print(line) }
    case .refused(let reason): throw MeasurementError.failed(reason)
    }
  }
}

/// What a process answers that was asked to draw a strip.
enum DrawnStrip: Codable {
  /// What is said of each kernel.
  case captions([String])
  /// Why there is no strip.
  case refused(String)
}

/// What a strip shows of its kernels.
struct PictureChoices: ParsableArguments {
  @Option(help: "An 8-bit picture to blur.", completion: .picture) var input: String?
  @Option(parsing: .unconditional, help: "Standard deviation in pixels; 5x2 is 5 across and 2 down.")
  var sigma = "4"
  @Option(help: "What is beyond the image.", completion: .list(EdgeMode.all.map(\.name))) var edge = "clamp"
  @Option(help: "What differences are multiplied with; without it, each until its largest is white.")
  var amplify: Double?

  func validate() throws {
    _ = try OptionValue.sigma(sigma)
    _ = try OptionValue.edge(edge)
    if let amplify, !(amplify > 0 && amplify.isFinite) {
      throw ValidationError("--amplify \(amplify): must be above 0")
    }
  }

  /// The options as words of a command line.
  var words: [String] {
    ["--sigma", sigma, "--edge", edge] + (input.map { ["--input", $0] } ?? [])
      + (amplify.map { ["--amplify", "\($0)"] } ?? [])
  }

  /// Writes the strip, and says of each kernel how far it is off.
  func draw(_ kernels: [Kernel], to output: String) throws -> [String] {
    let (sigma, edge) = (try OptionValue.sigma(sigma), try OptionValue.edge(edge))
    let source =
      try input.map { try ImageFile.read($0).image }
      ?? sample(for: kernels, BlurParameters(sigma: sigma, edge: edge))
    guard source.layout.format.component == .uint8 else {
      throw ValidationError("--input \(input ?? ""): a strip needs an 8-bit picture without transparency")
    }
    let strip = PictureStrip(
      source, sigma: sigma, edge: edge, kernels: kernels, amplification: amplify)
    let (image, captions) = try strip.drawn()
    try ImageFile.write(Picture(image), to: output)
    return captions
  }

  /// In colours, unless a kernel blurs no such picture.
  private func sample(for kernels: [Kernel], _ parameters: BlurParameters) throws -> Image {
    let layouts = try [PixelFormat.rgba8, .rgb8, .gray8].map { try ImageLayout($0, width: 160, height: 120) }
    let fitting = layouts.first { layout in
      kernels.allSatisfy { $0.planningError(of: parameters, for: layout) == nil }
    }
    return try TestImage.deadLeaves.image(fitting ?? layouts[2], seed: 3)
  }
}
