import ArgumentParser
import Blur
import BlurImageIO
import BlurMeasurement
import BlurRecords
import BlurScenes
import BlurText
import Foundation

/// `blurbench scene`: an interface scene as pictures.
struct SceneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Play an interface scene and write its frames as PNG, with a contact sheet.",
    discussion: """
      Writes frame-0000.png and so on, and contact-sheet.png with about twelve of them. `blurbench list --scenes` \
      says which scenes there are.

      Exit codes: 0 good, 1 could not do it, 64 usage.
      """)

  @Argument(help: "The scene: \(Scenes.all.map { $0.name }.joined(separator: ", ")).") var name: String
  @Option(help: ArgumentHelp("The folder to write to; made if there is none.", valueName: "dir"))
  var out: String
  @Option(help: "The screen: \(Device.all.map(\.name).joined(separator: ", ")).") var device = "phone-3x"
  @Option(help: "A kernel by name, or auto.") var kernel = "auto"
  @Option(help: "Number of threads, or all.") var threads = "1"
  @Option(help: "The widest instruction set to use.") var isa = InstructionSet.best.name
  @Option(
    help: ArgumentHelp("Frames: 5, 10-20, every 4th as /4, or 10-20/4; all if not given.", valueName: "A-B"))
  var frames: String?
  @Option(help: "What the content grows from.") var seed: UInt64 = 1
  @Flag(help: "Plain colours in place of all blurs.") var reduceTransparency = false
  @Flag(help: "Let a bar's neighbourhood bleed into its blur.") var bleed = false
  @Flag(help: "Print one JSON object about what was written.") var json = false

  func validate() throws {
    _ = try played
    _ = try screen
    _ = try chosenKernel
    _ = try chosenFrames
    _ = try Words.threads(threads)
    _ = try Words.chosen(isa, "instruction set", from: InstructionSet.allCases, named: \.name)
  }

  func run() throws {
    let player = try ScenePlayer(
      played, on: screen, kernel: chosenKernel, isa: Words.instructionSet(isa),
      threads: Words.threads(threads),
      seed: seed, settings: SceneSettings(reduceTransparency: reduceTransparency, isolated: !bleed))
    do {
      try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
    } catch {
      throw MeasurementError.file(path: out, reason: "cannot be made a folder: \(error.localizedDescription)")
    }
    let written = try SceneFiles(folder: out).write(player, frames: chosenFrames)
    let report = Report(
      scene: name, device: device, width: player.blurred.width, height: player.blurred.height,
      sigma: player.sigma, edge: player.edge.name, seed: seed, frames: written)
    print(json ? try JSONDocument.text(of: report) : report.text(out) + "\n", terminator: "")
  }

  private var played: any Scene.Type {
    get throws { try Words.chosen(name, "scene", from: Scenes.all, named: { $0.name }) }
  }

  private var screen: Device {
    get throws { try Words.chosen(device, "device", from: Device.all, named: \.name) }
  }

  private var chosenKernel: Kernel? {
    get throws {
      guard kernel != "auto" else { return nil }
      return try Words.chosen(kernel, "kernel", from: Registry.kernels, named: \.name)
    }
  }

  private var chosenFrames: [Int] {
    get throws {
      let all = try 0..<played.frames
      guard let frames else { return Array(all) }
      let allowed = "must be a frame, A-B, /N or A-B/N, with frames from 0 to \(all.upperBound - 1)"
      let wrong = ValidationError("--frames '\(frames)': \(allowed)")
      let parts = frames.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      let step = parts.count > 1 ? Int(parts[1]) : 1
      guard let step, step > 0 else { throw wrong }
      if parts[0].isEmpty && parts.count > 1 { return Array(stride(from: 0, to: all.upperBound, by: step)) }
      guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] else { throw wrong }
      guard first <= last, all.contains(first), all.contains(last) else { throw wrong }
      return Array(stride(from: first, through: last, by: step))
    }
  }

  /// What was written, for programs.
  private struct Report: Encodable {
    let scene: String, device: String
    let width: Int, height: Int
    let sigma: Double
    let edge: String
    let seed: UInt64
    let frames: [SceneFiles.Frame]

    func text(_ folder: String) -> String {
      "\(scene) on \(device): \(frames.count) frames and contact-sheet.png in \(folder) "
        + "(blurred: \(width)x\(height), sigma \(sigma), \(edge))"
    }
  }
}

/// Writes frames of a scene into a folder.
private struct SceneFiles {
  let folder: String

  /// A frame that was written, and what the scene found out about it.
  struct Frame: Encodable {
    let frame: Int
    let file: String
    let findings: [String: Double]
  }

  func write(_ player: ScenePlayer, frames: [Int]) throws -> [Frame] {
    var sheet = ContactSheet()
    let shown = Set(ContactSheet.chosen(of: frames))
    var written: [Frame] = []
    for frame in frames {
      Terminal.progress("frame \(frame)")
      let image = try player.shown(frame)
      let digits = String(frame)
      let file = "frame-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ".png"
      try ImageFile.write(Picture(image), to: path(file))
      if shown.contains(frame) { try sheet.add(image) }
      written.append(Frame(frame: frame, file: file, findings: player.findings(frame)))
    }
    Terminal.progress("")
    try ImageFile.write(Picture(sheet.image()), to: path("contact-sheet.png"))
    return written
  }

  private func path(_ file: String) -> String { URL(filePath: folder).appending(path: file).path }
}

/// The scenes that can be named, for `blurbench list --scenes`.
struct SceneListing: Encodable {
  struct Entry: Encodable {
    let name: String
    let summary: String
    let why: String
    let frames: Int
  }

  struct Screen: Encodable {
    let name: String
    let width: Int, height: Int
    let scale: Double
  }

  let scenes = Scenes.all.map { Entry(name: $0.name, summary: $0.summary, why: $0.why, frames: $0.frames) }
  let devices = Device.all.map { Screen(name: $0.name, width: $0.width, height: $0.height, scale: $0.scale) }

  var text: String {
    let entries = scenes.map { scene in
      "\(scene.name)  (\(scene.frames) frames)\n  \(scene.summary)\n\(Self.wrapped(scene.why))\n"
    }
    let screens = devices.map { [$0.name, "\($0.width)x\($0.height)", "\(Int($0.scale)) pixels a point"] }
    return entries.joined(separator: "\n") + "\ndevices\n"
      + TextTable.aligned(screens.map { [" "] + $0 })
  }

  /// Lines of at most 100 columns, indented.
  private static func wrapped(_ text: String) -> String {
    var lines = ["   "]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count + 1 > 100 { lines.append("   ") }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: "\n")
  }
}
