import Blur

/// Functions that mix rgba8 pixels. Weights are given in 256ths: a layer with the weight 0 is invisible, and
/// a layer with the weight 256 replaces the pixels below it exactly.
enum Compositing {
  /// Returns the weight in 256ths for an opacity from 0 to 1.
  static func share(_ opacity: Double) -> Int { Int((max(0, min(1, opacity)) * 256).rounded()) }

  /// Mixes `above` into `target` with a weight of `share`/256. Both views have the same size.
  static func mix(_ above: ImageView, _ share: Int, into target: MutableImageView) {
    guard share < 256 else { return target.copyPixels(of: above) }
    for y in 0..<target.layout.height {
      mix(above.unsafeRow(y), share, into: target.unsafeRow(y), count: target.layout.rowBytes)
    }
  }

  /// Mixes a single row into every row of `target` with a weight of `share`/256. The row is as wide as
  /// `target`.
  static func mix(row: ImageView, _ share: Int, into target: MutableImageView) {
    for y in 0..<target.layout.height {
      mix(row.unsafeBase, share, into: target.unsafeRow(y), count: target.layout.rowBytes)
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

  /// Mixes two images according to a mask. In each pixel, `image` has the weight mask/255, and `below` has
  /// the remaining weight. The result is rounded once and replaces the pixel of `image`.
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

extension Image {
  /// Replaces this image with a copy of `source`, which has the same layout.
  mutating func overwrite(with source: Image) {
    source.withViews(into: &self) { $1.copyPixels(of: $0) }
  }

  /// Replaces a region of this image with the same region of `source`.
  mutating func overwrite(_ region: Region, with source: Image) throws(BlurError) {
    try source.withViews(into: &self) { (source, target) throws(BlurError) in
      try target.cropped(to: region).copyPixels(of: try source.cropped(to: region))
    }
  }

  /// Mixes `above`, which has the same layout, into this image with an opacity from 0 to 1.
  mutating func mix(in above: Image, _ opacity: Double) {
    above.withViews(into: &self) { Compositing.mix($0, Compositing.share(opacity), into: $1) }
  }

  /// Fills the image with one colour.
  mutating func fill(_ colour: Colour) {
    let (width, height) = (Double(layout.width), Double(layout.height))
    withMutableView { Canvas($0, scale: 1).fill(Box(0, 0, width, height), colour) }
  }

  /// Fills this image with a part of `source`: a rectangle as large as this image, with its top-left corner
  /// at (x, y). Where the rectangle extends beyond `source`, the content of `source` is mirrored.
  mutating func gather(_ source: Image, x: Int, y: Int) {
    func mirrored(_ i: Int, _ count: Int) -> Int {
      let rest = ((i % (2 * count)) + 2 * count) % (2 * count)
      return rest < count ? rest : 2 * count - 1 - rest
    }
    let (width, inner) = (layout.width, (-x..<source.layout.width - x).clamped(to: 0..<layout.width))
    source.withViews(into: &self) { source, target in
      for row in 0..<target.layout.height {
        let from = source.unsafeRow(mirrored(y + row, source.layout.height))
        let to = target.unsafeRow(row)
        // SAFETY: `mirrored` returns only rows and columns of the source. `inner` contains only columns
        // that exist both in this image and, moved by `x`, in the source.
        (to + 4 * inner.lowerBound).copyMemory(
          from: from + 4 * (inner.isEmpty ? 0 : x + inner.lowerBound), byteCount: 4 * inner.count)
        for column in 0..<width where !inner.contains(column) {
          let pixel = from.load(
            fromByteOffset: 4 * mirrored(x + column, source.layout.width), as: UInt32.self)
          to.storeBytes(of: pixel, toByteOffset: 4 * column, as: UInt32.self)
        }
      }
    }
  }

  /// Replaces this image with a copy of `source` that is stretched to the size of this image. The stretching
  /// interpolates bilinearly between pixel centres.
  mutating func stretch(_ source: Image) {
    let columns = Self.places(source.layout.width, layout.width)
    let rows = Self.places(source.layout.height, layout.height)
    source.withViews(into: &self) { source, target in
      for (y, down) in rows.enumerated() {
        // SAFETY: `places` returns only rows and columns that the source contains, and each pixel has four
        // bytes in both images.
        let above = source.unsafeRow(down.first).assumingMemoryBound(to: UInt8.self)
        let below = source.unsafeRow(down.second).assumingMemoryBound(to: UInt8.self)
        let pixels = target.unsafeRow(y).assumingMemoryBound(to: UInt8.self)
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

  /// Returns where each new pixel comes from when a line of `length` pixels is stretched to `count` pixels.
  /// Each new pixel is a mixture of two adjacent old pixels at the indices `first` and `second`. The weight
  /// of the second one is `share`, in 256ths.
  private static func places(_ length: Int, _ count: Int) -> [(first: Int, second: Int, share: Int)] {
    (0..<count).map { i in
      let place = max(0, (Double(i) + 0.5) * Double(length) / Double(count) - 0.5)
      let first = min(Int(place), length - 1)
      return (first, min(first + 1, length - 1), Int((place - Double(first)) * 256))
    }
  }
}
