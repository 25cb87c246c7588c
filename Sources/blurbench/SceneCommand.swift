import ArgumentParser
import Blur
import BlurScenes
import BlurText

/// The verb `blurbench scene`, which plays a scene (a user interface effect with blurs) and writes its frames
/// as pictures.
struct SceneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Play an interface scene and write its frames as PNG, with a contact sheet.",
    discussion: """
      Writes frame-0000.png and so on, and contact-sheet.png with about twelve of the frames. `blurbench \
      list --scenes` lists the scenes.

      Examples:
        blurbench scene modal-over-split-view --folder frames
        blurbench scene reveal --device phone-3x --frames /10 --folder frames

      Exit codes: 0 success, 1 the command could not be carried out, 64 wrong usage.
      """)

  @Argument(
    help: "The scene: \(Scene.all.map(\.name).listed).",
    completion: .list(Scene.all.map(\.name)))
  var name: String
  @Option(
    help: ArgumentHelp("The folder to write to. It is created if it does not exist.", valueName: "DIR"),
    completion: .directory)
  var folder: String
  @Option(
    help: "The device that shows the scene: \(Device.all.map(\.name).listed).",
    completion: .list(Device.all.map(\.name)))
  var device = "phone-3x"
  @Option(
    help: "The name of a kernel. With `auto`, the library chooses one.",
    completion: .list(Registry.kernels.map(\.name) + ["auto"]))
  var kernel = "auto"
  @Option(
    parsing: .unconditional, help: "The number of threads. `all` means one thread per core.",
    completion: .threads)
  var threads = "1"
  @Option(help: "The widest instruction set to use.", completion: .list(InstructionSet.allCases.map(\.name)))
  var isa = InstructionSet.best.name
  @Option(
    help: ArgumentHelp(
      "The frames to write, such as 5, 10-20, /4 (every 4th frame) or 10-20/4. "
        + "By default, all frames are written.",
      valueName: "A-B"))
  var frames: String?
  @Option(help: "The seed of the random content of the scene.") var seed: UInt64 = 1
  @Flag(help: "Draw plain colours instead of blurred backgrounds.") var reduceTransparency = false
  @Flag(help: "Let the pixels next to a blurred bar influence the colours inside the bar.") var bleed = false
  @Option(
    help: ArgumentHelp(
      "When to round a blur to 8 bits. `bytes` rounds the blur before its colours are changed, for example "
        + "by a tint. `fine` blurs in 16 bits, and rounds once, after the last colour change. "
        + "`dithered` is like `fine`, but with dithering.",
      valueName: "P"), completion: .words(Stage.Precision.allCases.map(\.rawValue)))
  var precision = "bytes"
  @Flag(help: "Print one JSON object that describes the written files.") var json = false

  func validate() throws {
    _ = try played
    _ = try screen
    _ = try chosenKernel
    _ = try chosenFrames
    _ = try chosenPrecision
    _ = try OptionValue.threads(threads)
    _ = try OptionValue.instructionSet(isa)
  }

  func run() throws {
    let player = try ScenePlayer(
      played,
      Stage(
        screen, kernel: chosenKernel, isa: OptionValue.instructionSet(isa),
        threads: OptionValue.threads(threads), seed: seed,
        reduceTransparency: reduceTransparency, isIsolated: !bleed, precision: chosenPrecision))
    let files = try SceneFiles(writing: chosenFrames, of: player, to: folder) {
      Terminal.progress("frame \($0)")
    }
    Terminal.progress("")
    print(json ? try files.json() : files.text(folder: folder), terminator: "")
  }

  private var played: Scene {
    get throws { try OptionValue.chosen(name, "scene", from: Scene.all, named: \.name) }
  }

  private var screen: Device {
    get throws { try OptionValue.chosen(device, "device", from: Device.all, named: \.name) }
  }

  private var chosenPrecision: Stage.Precision {
    get throws {
      try OptionValue.chosen(
        precision, "precision", from: Stage.Precision.allCases, named: \.rawValue)
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
      let scene = try played
      guard let frames else { return Array(0..<scene.frames) }
      guard let chosen = scene.selectedFrames(frames) else {
        throw ValidationError(
          "--frames '\(frames)': must be frames from 0 to \(scene.frames - 1), such as 5 (one frame), "
            + "10-20 (a range), /4 (every 4th frame) or 10-20/4")
      }
      return chosen
    }
  }
}
