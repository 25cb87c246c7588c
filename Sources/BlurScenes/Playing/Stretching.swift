import Blur

extension Image {
  /// Replaces this image with `source`, stretched to the size of this image by bilinear interpolation between
  /// the centres of pixels.
  mutating func stretch(_ source: Image) {
    let columns = Self.places(source.layout.width, layout.width)
    let rows = Self.places(source.layout.height, layout.height)
    source.withView { source in
      withMutableView { target in
        for (y, down) in rows.enumerated() {
          // SAFETY: `places` returns only rows and columns that the source contains, and each pixel has four
          // bytes in both images.
          let above = source.row(down.first).assumingMemoryBound(to: UInt8.self)
          let below = source.row(down.second).assumingMemoryBound(to: UInt8.self)
          let pixels = target.row(y).assumingMemoryBound(to: UInt8.self)
          for (x, across) in columns.enumerated() {
            for c in 0..<4 {
              let (i, j) = (4 * across.first + c, 4 * across.second + c)
              let left = Int(above[i]) * (256 - down.share) + Int(below[i]) * down.share
              let right = Int(above[j]) * (256 - down.share) + Int(below[j]) * down.share
              pixels[4 * x + c] = UInt8((left * (256 - across.share) + right * across.share + 32768) >> 16)
            }
          }
        }
      }
    }
  }

  /// Returns the positions for stretching a line of `length` pixels to `count` pixels. Each new pixel is a
  /// mixture of two adjacent old pixels, `first` and `second`. The value `share` is the weight of `second` in
  /// 256ths.
  private static func places(_ length: Int, _ count: Int) -> [(first: Int, second: Int, share: Int)] {
    (0..<count).map { i in
      let place = max(0, (Double(i) + 0.5) * Double(length) / Double(count) - 0.5)
      let first = min(Int(place), length - 1)
      return (first, min(first + 1, length - 1), Int((place - Double(first)) * 256))
    }
  }
}
