import Blur
import BlurFiles
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// The frames of a scene that `blurbench scene` wrote into a folder as PNG files, together with a contact
/// sheet.
public struct SceneFiles: Encodable {
  private let scene: String, device: String
  private let width: Int, height: Int
  private let sigma: Double
  private let edge: String
  private let seed: UInt64
  private var frames: [Frame] = []

  /// A frame that was written: its index, the name of its file, and the values that the scene measured in
  /// this frame.
  private struct Frame: Encodable {
    let frame: Int
    let file: String
    let findings: [String: Double]
  }

  /// Plays frames of a scene, writes them as `frame-0000.png` and so on, and finally writes
  /// `contact-sheet.png`.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder to write to. The folder is created if it does not exist.
  ///   - progress: A closure that is called before each frame, with the index of the frame.
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)`` if the folder cannot be created, the
  ///   errors of ``BlurFiles/ImageFile``, and ``Blur/BlurError``.
  public init(
    writing frames: [Int], of player: ScenePlayer, to folder: String, progress: (Int) -> Void = { _ in }
  ) throws {
    scene = player.scene.name
    device = player.stage.device.name
    (width, height) = (player.blurred.width, player.blurred.height)
    sigma = player.sigma
    edge = player.edge.name
    seed = player.stage.seed
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw MeasurementError.file(
        path: folder, reason: "cannot be created as a folder: \(error.localizedDescription)")
    }
    func write(_ image: Image, _ file: String) throws {
      try ImageFile.write(Picture(image), to: URL(filePath: folder).appending(path: file).path)
    }
    var sheet = ContactSheet()
    let shown = Set(ContactSheet.chosen(of: frames))
    for frame in frames {
      progress(frame)
      let image = try player.shown(frame)
      let file = String(format: "frame-%04d.png", frame)
      try write(image, file)
      if shown.contains(frame) { try sheet.add(image, number: frame) }
      self.frames.append(Frame(frame: frame, file: file, findings: player.findings(frame)))
    }
    try write(sheet.image(), "contact-sheet.png")
  }

  /// Returns a report about the written files as one line of text.
  public func text(folder: String) -> String {
    "\(scene) on \(device): wrote \(frames.count.of("frame")) and contact-sheet.png to \(folder) "
      + "(blurred image \(width)x\(height), sigma \(sigma), edge \(edge))\n"
  }

  /// Returns a report about the written files as one JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }
}
