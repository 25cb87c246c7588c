import ArgumentParser
import Blur
import BlurFiles
import BlurMeasurement
import BlurRecords
import BlurReport
import BlurVerification

/// The verb `blurbench picture`, which draws the results of several kernels side by side. Below each result,
/// the picture shows the amplified difference between the result and the exact blur.
struct PictureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "picture",
    abstract:
      "Draw a strip of pictures: the source, the exact blur, and each kernel's result and amplified error.",
    discussion: """
      Below the result of each kernel, the strip shows the difference between this result and the exact \
      blur. The difference is multiplied by a factor, so that it can be seen. A caption states the factor \
      and the largest difference, or says that every pixel is right. Without --input, the strip shows a \
      generated picture of overlapping discs, which statistically resembles a photograph. The format of this \
      picture is the first of rgba8, rgb8 and gray8 that all kernels support.

      Examples:
        blurbench picture strip.png
        blurbench picture strip.png --input photo.png --kernel pyramid,stack
        blurbench picture strip.png --plugin ./libmine.so

      Exit codes: 0 success, 1 the command could not be carried out, 64 wrong usage.
      """)

  @Argument(help: "The picture file to write.", completion: .picture) var output: String
  @Option(help: "The kernels to draw: a comma-separated list of names.", completion: .kernels)
  var kernel: String?
  @Option(help: "An 8-bit picture to blur.", completion: .picture) var input: String?
  @Option(
    parsing: .unconditional,
    help: "The standard deviation in pixels. 5x2 means 5 pixels across and 2 pixels down.")
  var sigma = "4"
  @Option(
    help: "The edge mode, which determines the pixels beyond the image.",
    completion: .list(EdgeMode.allCases.map(\.name)))
  var edge = "clamp"
  @OptionGroup var plugins: PluginOptions

  func validate() throws {
    _ = try OptionValue.sigma(sigma)
    _ = try OptionValue.edge(edge)
    if !plugins.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.kernels) }
    do { try ImageFile.checkEnding(of: output) } catch { throw ValidationError("\(error)") }
    try OptionValue.checkOutput(output, isNotAmong: input.map { [$0] } ?? [])
  }

  mutating func run() throws {
    let external = try plugins.load()
    let all = Registry.kernels + external.kernels
    let kernels = try OptionValue.kernels(plugins.checked(kernel), from: all)
    let request = PictureRequest(
      kernels: kernels.map(\.name), input: input, sigma: try OptionValue.sigma(sigma),
      edge: try OptionValue.edge(edge), output: output)
    // Plug-in kernels may crash. If plug-ins are given, a server process therefore draws the picture instead
    // of this process.
    let captions: [String] =
      try plugins.isGiven
      ? plugins.launcher.connect().answer(to: ServerRequest.draw(request)) : request.draw(kernels)
    for line in captions { print(line) }
    try external.expectComplete()
  }
}

extension PictureRequest {
  /// Draws the source, the exact blur and the result of each kernel side by side, and writes this picture to
  /// the file ``output``. Returns one line per kernel that states its largest error.
  func draw(_ kernels: [Kernel]) throws -> [String] {
    let edge = try OptionValue.edge(edge)
    let source =
      try input.map { try ImageFile.read($0).image }
      ?? Self.sample(for: kernels, BlurParameters(sigma: sigma, edge: edge))
    try require(
      source.layout.format.component == .uint8,
      "--input \(input ?? ""): a strip needs an 8-bit picture without transparency")
    let strip = PictureStrip(source, sigma: sigma, edge: edge, kernels: kernels)
    let (image, captions) = try strip.drawn()
    try ImageFile.write(Picture(image), to: output)
    return captions
  }

  /// Returns a generated picture in a format that all kernels support: rgba8 if possible, or else rgb8 or
  /// gray8.
  private static func sample(for kernels: [Kernel], _ parameters: BlurParameters) throws -> Image {
    let layouts = try [PixelFormat.rgba8, .rgb8, .gray8].map { try ImageLayout($0, width: 160, height: 120) }
    let fitting = layouts.first { layout in
      kernels.allSatisfy { $0.planningError(of: parameters, for: layout) == nil }
    }
    return try TestImage.deadLeaves.image(fitting ?? layouts[2], seed: 3)
  }
}
