import ArgumentParser
import Blur
import BlurScenes

/// `blurbench scene`: an interface scene as pictures.
struct SceneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Play an interface scene and write its frames as PNG, with a contact sheet.",
    discussion: """
      Writes frame-0000.png and so on, and contact-sheet.png with about twelve of them. `blurbench list \
      --scenes` says which scenes there are.

      Examples:
        blurbench scene modal-over-split-view --folder frames
        blurbench scene reveal --device phone-3x --frames /10 --folder frames

      Exit codes: 0 good, 1 could not do it, 64 usage.
      """)

  @Argument(
    help: "The scene: \(Scenes.all.map { $0.name }.joined(separator: ", ")).",
    completion: .list(Scenes.all.map { $0.name }))
  var name: String
  @Option(
    help: ArgumentHelp("The folder to write to; made if there is none.", valueName: "DIR"),
    completion: .directory)
  var folder: String
  @Option(
    help: "The screen: \(Device.all.map(\.name).joined(separator: ", ")).",
    completion: .list(Device.all.map(\.name)))
  var device = "phone-3x"
  @Option(help: "A kernel by name, or auto.", completion: .list(Registry.kernels.map(\.name) + ["auto"]))
  var kernel = "auto"
  @Option(parsing: .unconditional, help: "Number of threads, or all.", completion: .threads) var threads = "1"
  @Option(help: "The widest instruction set to use.", completion: .list(InstructionSet.allCases.map(\.name)))
  var isa = InstructionSet.best.name
  @Option(
    help: ArgumentHelp("Frames: 5, 10-20, every 4th as /4, or 10-20/4; all if not given.", valueName: "A-B"))
  var frames: String?
  @Option(help: "What the content grows from.") var seed: UInt64 = 1
  @Flag(help: "Plain colours in place of all blurs.") var reduceTransparency = false
  @Flag(help: "Let a bar's neighbourhood bleed into its blur.") var bleed = false
  @Option(
    help: ArgumentHelp(
      "When blurs are rounded to 8 bits: bytes (before the colours), fine (after them), or dithered.",
      valueName: "P"), completion: .words(BackdropEffect.Precision.allCases.map(\.rawValue)))
  var precision = "bytes"
  @Flag(help: "Print one JSON object about what was written.") var json = false

  func validate() throws {
    _ = try played
    _ = try screen
    _ = try chosenKernel
    _ = try chosenFrames
    _ = try settings
    _ = try OptionValue.threads(threads)
    _ = try OptionValue.instructionSet(isa)
  }

  func run() throws {
    let player = try ScenePlayer(
      played, on: screen, kernel: chosenKernel, isa: OptionValue.instructionSet(isa),
      threads: OptionValue.threads(threads), seed: seed, settings: settings)
    let written = try SceneFiles(folder: folder).write(player, frames: chosenFrames) {
      Terminal.progress("frame \($0)")
    }
    Terminal.progress("")
    let report = SceneReport(player, on: device, seed: seed, frames: written)
    print(json ? try report.json() : report.text(folder: folder), terminator: "")
  }

  private var played: any Scene.Type {
    get throws { try OptionValue.chosen(name, "scene", from: Scenes.all, named: { $0.name }) }
  }

  private var screen: Device {
    get throws { try OptionValue.chosen(device, "device", from: Device.all, named: \.name) }
  }

  private var settings: SceneSettings {
    get throws {
      SceneSettings(
        reduceTransparency: reduceTransparency, isolated: !bleed,
        precision: try OptionValue.chosen(
          precision, "precision", from: BackdropEffect.Precision.allCases, named: \.rawValue))
    }
  }

  private var chosenKernel: Kernel? {
    get throws {
      guard kernel != "auto" else { return nil }
      return try OptionValue.chosen(kernel, "kernel", from: Registry.kernels, named: \.name)
    }
  }

  private var chosenFrames: [Int] {
    get throws {
      let count = try played.frames
      guard let frames else { return Array(0..<count) }
      guard let chosen = FrameRange(frames, count: count) else {
        throw ValidationError("--frames '\(frames)': must be \(FrameRange.allowed(count: count))")
      }
      return chosen.frames
    }
  }
}
