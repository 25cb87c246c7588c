import Blur

/// Functions that mix and copy rgba8 pixels. Weights are given in 256ths: a layer with the weight 0 is
/// invisible, and a layer with the weight 256 replaces what is below it exactly.
enum Compositing {
  /// Returns the weight in 256ths for an opacity from 0 to 1.
  static func share(_ opacity: Double) -> Int { Int((max(0, min(1, opacity)) * 256).rounded()) }

  /// Copies the pixels of `source` into `target`, which has the same size.
  static func copy(_ source: ImageView, into target: MutableImageView) {
    for y in 0..<target.layout.height {
      // SAFETY: both views have the same size and format, so both rows hold `rowBytes` bytes of pixels.
      target.row(y).copyMemory(from: source.row(y), byteCount: target.layout.rowBytes)
    }
  }

  /// Mixes `above` into `target` with a weight of `share`/256. Both views have the same size.
  static func mix(_ above: ImageView, _ share: Int, into target: MutableImageView) {
    guard share < 256 else { return copy(above, into: target) }
    for y in 0..<target.layout.height {
      mix(above.row(y), share, into: target.row(y), count: target.layout.rowBytes)
    }
  }

  /// Mixes a single row into every row of `target` with a weight of `share`/256. The row is as wide as
  /// `target`.
  static func mix(row: ImageView, _ share: Int, into target: MutableImageView) {
    for y in 0..<target.layout.height {
      mix(row.base, share, into: target.row(y), count: target.layout.rowBytes)
    }
  }

  /// Mixes `count` bytes of `above` into `target`. Each result is (old byte · (256 − share) + new byte ·
  /// share + 128) / 256.
  @inline(__always)
  static func mix(
    _ above: UnsafeRawPointer, _ share: Int, into target: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: the caller guarantees that both pointers refer to at least `count` bytes.
    let above = above.assumingMemoryBound(to: UInt8.self)
    let target = target.assumingMemoryBound(to: UInt8.self)
    let (new, old) = (UInt16(share), UInt16(256 - share))
    // Overflow checks would prevent vectorization, so the loop uses wrapping operators. No sum exceeds 255 ·
    // 256 + 128, which fits in 16 bits.
    for i in 0..<count {
      let sum = UInt16(target[i]) &* old &+ UInt16(above[i]) &* new &+ 128
      target[i] = UInt8(truncatingIfNeeded: sum &>> 8)
    }
  }

  /// Mixes two images pixel by pixel: a fraction mask/255 of each pixel comes from `image`, and the rest
  /// comes from `below`. The result is rounded once and replaces the pixel of `image`.
  static func mask(
    _ below: UnsafeRawPointer, _ mask: UnsafeRawPointer, into image: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: the caller guarantees that both images hold `count` pixels of four bytes, and that the mask
    // holds `count` bytes.
    let below = below.assumingMemoryBound(to: UInt8.self)
    let mask = mask.assumingMemoryBound(to: UInt8.self)
    let image = image.assumingMemoryBound(to: UInt8.self)
    for x in 0..<count where mask[x] < 255 {
      let weight = Int(mask[x])
      for i in 4 * x..<4 * x + 4 {
        image[i] = UInt8((Int(below[i]) * (255 - weight) + Int(image[i]) * weight + 127) / 255)
      }
    }
  }
}
