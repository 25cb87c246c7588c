import Blur
import Foundation

/// A small picture of which the right blur is kept as a file.
protocol GoldenPicture {
  var format: PixelFormat { get }
  var fileName: String { get }

  /// What the reference computes.
  func truth() throws -> Truth
}

extension GoldenPicture {
  static var width: Int { 24 }
  static var height: Int { 16 }

  /// Gray images are noise; colour images are dead leaves.
  var kind: TestImage { format.channels == 1 ? .noise : .deadLeaves }

  var layout: ImageLayout { get throws { try ImageLayout(format, width: Self.width, height: Self.height) } }

  /// The image that is blurred.
  func image() throws -> Image { try kind.image(layout, seed: 2026) }

  /// The right answer: what the reference computes, rounded.
  func expected() throws -> Image {
    let truth = try truth()
    return try Image.painted(layout) { x, y, c in
      truth.values[y * truth.layout.rowComponents + x * format.channels + c]
    }
  }

  /// The right answer, read from its file in `folder`.
  func stored(in folder: URL) throws -> Image {
    let file = folder.appendingPathComponent(fileName)
    do {
      return try PAMFile.image(Data(contentsOf: file), layout)
    } catch GoldenError.unreadable(let reason) {
      throw GoldenError.unreadable("\(file.relativePath) \(reason)")
    } catch {
      throw GoldenError.unreadable(
        "\(file.relativePath) cannot be read; write it with: blurbench verify --regenerate")
    }
  }
}
