import Blur
import Foundation

/// A reader and writer for 8- and 16-bit images as PAM files (Netpbm `P7`). A PAM file consists of a few
/// header lines, followed by the components in big-endian byte order.
enum PAMFile {
  /// Returns the content of a file that holds `image`, which must not have a float format.
  static func data(of image: Image) -> Data {
    let (layout, format) = (image.layout, image.layout.format)
    let header = [
      "P7", "WIDTH \(layout.width)", "HEIGHT \(layout.height)", "DEPTH \(format.channels)",
      "MAXVAL \(Int(format.fullScale))",
      "TUPLTYPE \(format.channels == 1 ? "GRAYSCALE" : format.channels == 3 ? "RGB" : "RGB_ALPHA")",
      "ENDHDR", "",
    ]
    var data = Data(header.joined(separator: "\n").utf8)
    image.withView { view in
      for value in (0..<layout.height).flatMap(view.values(ofRow:)) {
        if format.component.bytes == 2 { data.append(UInt8(Int(value) >> 8)) }
        data.append(UInt8(Int(value) & 255))
      }
    }
    return data
  }

  /// Returns the image in `data`, which must have exactly the given layout.
  static func image(_ data: Data, _ layout: ImageLayout) throws -> Image {
    let header = try Self.data(of: Image(layout)).dropLast(layout.byteCount)
    let body = Array(data.dropFirst(header.count))
    guard data.prefix(header.count) == header, body.count == layout.byteCount else {
      throw GoldenError.unreadable("is not a PAM file of \(layout.format) \(layout.width)x\(layout.height)")
    }
    let (isWide, channels) = (layout.format.component.bytes == 2, layout.format.channels)
    return try Image.painted(layout) { x, y, c in
      let i = y * layout.rowComponents + x * channels + c
      return isWide ? Double(body[2 * i]) * 256 + Double(body[2 * i + 1]) : Double(body[i])
    }
  }
}
