import ArgumentParser
import Blur
import BlurImageIO
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
      picture of overlapping discs is taken, whose statistics are those of photographs.

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
    let captions: [String]
    if plugins.isGiven {
      // External kernels may end a process: it is another one.
      let words =
        ["--kernel", kernels.map(\.name).joined(separator: ","), "--output", output] + choices.words
      captions = try plugins.launcher.answer(to: ["draw"] + words + plugins.launcher.libraries())
    } else {
      captions = try choices.draw(kernels, to: output)
    }
    for line in captions { print(line) }
  }
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
    let source = try input.map { try ImageFile.read($0).image } ?? sample
    guard source.layout.format.component == .uint8 else {
      throw ValidationError("--input \(input ?? ""): a strip needs an 8-bit picture without transparency")
    }
    let strip = try PictureStrip(
      source, sigma: OptionValue.sigma(sigma), edge: OptionValue.edge(edge), kernels: kernels,
      amplification: amplify)
    let (image, captions) = try strip.drawn()
    try ImageFile.write(Picture(image), to: output)
    return captions
  }

  private var sample: Image {
    get throws { try TestImage.deadLeaves.image(ImageLayout(.rgba8, width: 160, height: 120), seed: 3) }
  }
}
