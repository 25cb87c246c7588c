import Blur

/// Puts rgba8 pixels over each other. Shares are 256ths, so that 0 and 256 are exact.
enum Compositing {
  /// The share for an opacity from 0 to 1.
  static func share(_ opacity: Double) -> Int { Int((max(0, min(1, opacity)) * 256).rounded()) }

  /// Copies `source` into `target`, which has its size.
  static func copy(_ source: ImageView, into target: MutableImageView) {
    for y in 0..<target.layout.height {
      // SAFETY: both rows hold `rowBytes` bytes of pixels.
      target.row(y).copyMemory(from: source.row(y), byteCount: target.layout.rowBytes)
    }
  }

  /// Mixes `share`/256 of `above` into `target`, which has its size.
  static func mix(_ above: ImageView, _ share: Int, into target: MutableImageView) {
    guard share < 256 else { return copy(above, into: target) }
    for y in 0..<target.layout.height {
      mix(above.row(y), share, into: target.row(y), count: target.layout.rowBytes)
    }
  }

  /// Mixes `share`/256 of a row into each row of `target`, which has its width.
  static func mix(row: ImageView, _ share: Int, into target: MutableImageView) {
    for y in 0..<target.layout.height {
      mix(row.base, share, into: target.row(y), count: target.layout.rowBytes)
    }
  }

  /// Mixes bytes: (below · (256 − share) + above · share + 128) / 256.
  @inline(__always)
  static func mix(
    _ above: UnsafeRawPointer, _ share: Int, into target: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: both sides hold `count` bytes.
    let above = above.assumingMemoryBound(to: UInt8.self)
    let target = target.assumingMemoryBound(to: UInt8.self)
    let (new, old) = (UInt16(share), UInt16(256 - share))
    // Wrapping operators: checked ones would keep the loop from vectors. No sum exceeds 255 · 256 + 128.
    for i in 0..<count {
      let sum = UInt16(target[i]) &* old &+ UInt16(above[i]) &* new &+ 128
      target[i] = UInt8(truncatingIfNeeded: sum &>> 8)
    }
  }

  /// Leaves mask/255 of each pixel of `image` and puts `below` under it, rounded once.
  static func mask(
    _ below: UnsafeRawPointer, _ mask: UnsafeRawPointer, into image: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: both pictures hold `count` pixels of four bytes, the mask `count` bytes.
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
