import Blur
import BlurImageIO
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// Writes frames of a scene into a folder as PNG files, together with a contact sheet.
public struct SceneFiles: Sendable {
  private let folder: String

  /// A frame of the scene that the method `write` has written to a PNG file: the number of the frame, the
  /// name of the file, and the values that the scene measured for the frame.
  public struct Frame: Encodable, Sendable {
    let frame: Int
    let file: String
    let findings: [String: Double]
  }

  /// Creates a writer.
  ///
  /// - Parameter folder: The folder for the files. It is created when the first frames are written.
  public init(folder: String) { self.folder = folder }

  /// Writes the frames as `frame-0000.png` and so on, and then `contact-sheet.png`.
  ///
  /// - Parameter progress: A closure that is called with the frame number before each frame.
  /// - Throws: ``BlurMeasurement/MeasurementError/file(path:reason:)`` if the folder cannot be created, the
  ///   errors of ``BlurImageIO/ImageFile``, and ``Blur/BlurError``.
  public func write(_ player: ScenePlayer, frames: [Int], progress: (Int) -> Void = { _ in }) throws
    -> [Frame]
  {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw MeasurementError.file(
        path: folder, reason: "cannot be created as a folder: \(error.localizedDescription)")
    }
    var sheet = ContactSheet()
    let shown = Set(ContactSheet.chosen(of: frames))
    var written: [Frame] = []
    for frame in frames {
      progress(frame)
      let image = try player.shown(frame)
      let digits = String(frame)
      let file = "frame-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ".png"
      try ImageFile.write(Picture(image), to: path(file))
      if shown.contains(frame) { try sheet.add(image, number: frame) }
      written.append(Frame(frame: frame, file: file, findings: player.findings(frame)))
    }
    try ImageFile.write(Picture(sheet.image()), to: path("contact-sheet.png"))
    return written
  }

  private func path(_ file: String) -> String { URL(filePath: folder).appending(path: file).path }
}

/// A report on the files that `blurbench scene` wrote.
public struct SceneReport: Encodable, Sendable {
  private let scene: String, device: String
  private let width: Int, height: Int
  private let sigma: Double
  private let edge: String
  private let seed: UInt64
  private let frames: [SceneFiles.Frame]

  /// Creates a report on frames that were written to files.
  public init(_ player: ScenePlayer, on device: String, seed: UInt64, frames: [SceneFiles.Frame]) {
    scene = player.scene.name
    self.device = device
    (width, height) = (player.blurred.width, player.blurred.height)
    sigma = player.sigma
    edge = player.edge.name
    self.seed = seed
    self.frames = frames
  }

  /// Returns the report as one line of text.
  public func text(folder: String) -> String {
    "\(scene) on \(device): wrote \(frames.count.of("frame")) and contact-sheet.png to \(folder) "
      + "(blurred image \(width)x\(height), sigma \(sigma), edge \(edge))\n"
  }

  /// Returns the report as one JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }
}
