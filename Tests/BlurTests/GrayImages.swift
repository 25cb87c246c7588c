@testable import Blur

/// Images in the format `grayf32` for tests.
enum GrayImages {
  /// Returns an image with the values that `value` returns for each pixel.
  static func painted(_ width: Int, _ height: Int, _ value: (_ x: Int, _ y: Int) -> Float) throws -> Image {
    var image = try Image(.grayf32, width: width, height: height)
    image.withMutableView { view in
      for y in 0..<height {
        for x in 0..<width { view.unsafeRow(y).setComponent(x, to: value(x, y)) }
      }
    }
    return image
  }

  /// Returns an image of uniform noise from 0 to 1.
  static func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> Image {
    var state = seed
    return try painted(width, height) { _, _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(state >> 40) / Float(1 << 24)
    }
  }

  /// Returns all values of an image, row by row.
  static func values(_ image: Image) -> [Float] {
    image.withView { view in
      (0..<view.layout.height).flatMap { y in
        (0..<view.layout.width).map { view.unsafeRow(y).component($0, as: Float.self) }
      }
    }
  }
}
