import Blur
import Foundation

/// A small test image whose correct blur is stored in a file.
protocol GoldenPicture {
  var format: PixelFormat { get }
  var fileName: String { get }

  /// Returns the correct result, computed by the reference implementation and not rounded.
  func truth() throws -> Truth
}

extension GoldenPicture {
  static var width: Int { 24 }
  static var height: Int { 16 }

  /// The kind of test image: noise for gray formats and dead leaves for colour formats.
  var kind: TestImage { format.channels == 1 ? .noise : .deadLeaves }

  var layout: ImageLayout { get throws { try ImageLayout(format, width: Self.width, height: Self.height) } }

  /// Returns the image before it is blurred.
  func image() throws -> Image { try kind.image(layout, seed: 2026) }

  /// Returns the correct result, computed by the reference implementation and rounded.
  func expected() throws -> Image {
    let truth = try truth()
    return try Image.painted(layout) { x, y, c in
      truth.values[y * truth.layout.rowComponents + x * format.channels + c]
    }
  }

  /// Returns the correct result, read from its file in `folder`.
  func stored(in folder: URL) throws -> Image {
    let file = folder.appendingPathComponent(fileName)
    do {
      return try PAMFile.image(Data(contentsOf: file), layout)
    } catch GoldenError.unreadable(let reason) {
      throw GoldenError.unreadable("\(file.relativePath) \(reason)")
    } catch {
      throw GoldenError.unreadable(
        "\(file.relativePath) cannot be read; create it with: blurbench verify --regenerate")
    }
  }
}
