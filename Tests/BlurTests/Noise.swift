@testable import Blur

extension Image {
  /// Returns an image whose bytes look random, also between the rows. Read as floats, they include huge
  /// values and NaN.
  static func noise(_ layout: ImageLayout) throws -> Image {
    var state: UInt32 = 7
    let bytes = (0..<layout.byteCount).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    return try Image(layout, copying: bytes.span.bytes)
  }
}
