/// Instructions for copying pixels with 8-bit components from an image row to a target row. All positions are
/// byte offsets from the start of the row.
struct ByteCopies: Sendable {
  private typealias Copy = (source: Int32, target: Int32)

  private let channels: Int
  /// Instructions that copy one pixel each.
  private var pixels: [Copy] = []
  /// Instructions that copy 8 neighbouring bytes each. Two instructions can write to the same bytes.
  private var words: [Copy] = []
  /// Instructions that copy 8 neighbouring bytes each, and reverse the order of the pixels. Two instructions
  /// can write to the same bytes.
  private var mirrored: [Copy] = []
  /// Instructions that repeat a single pixel several times in the target row. `count` is the number of bytes
  /// that all repetitions of the pixel take together. It is at least 8.
  private var repeats: [(copy: Copy, count: Int)] = []
  /// The byte offsets of the target pixels that get the constant colour. This colour surrounds the image in
  /// the edge mode `constant`.
  private var constants: [Int32] = []
  /// The byte offsets of the target pixels whose values are halved after they have been copied.
  private var halved: [Int32] = []

  /// Creates the instructions for filling a target row.
  ///
  /// - Parameters:
  ///   - positions: For each pixel of the target row, its position in the image. A position can be outside
  ///     the image.
  ///   - width: The number of columns of the image.
  ///   - ends: The image columns whose values are halved.
  init(_ positions: [Int], _ width: Int, _ edge: EdgeMode, _ channels: Int, halved ends: [Int]) {
    self.channels = channels
    let columns = positions.map { edge.index(of: $0, count: width) }
    func isInside(_ i: Int) -> Bool { 0..<width ~= positions[i] }
    halved = columns.indices.filter { columns[$0].map(ends.contains) ?? false }.map { Int32($0 * channels) }
    var first = 0
    while first < columns.count {
      // A run is a series of target pixels that are all copies of the same image pixel, or copies of
      // neighbouring image pixels in ascending or descending order.
      var end = first + 1
      let step = columns[first].flatMap { column in
        end < columns.count ? columns[end].map { $0 - column } : nil
      }
      if let column = columns[first], let step, -1...1 ~= step {
        while end < columns.count, columns[end] == column + (end - first) * step,
          isInside(end) == isInside(first)
        {
          end += 1
        }
      }
      add(first..<end, columns[first], step: end == first + 1 ? 1 : step ?? 1)
      first = end
    }
  }

  private mutating func add(_ run: Range<Int>, _ column: Int?, step: Int) {
    let (target, bytes) = (run.lowerBound * channels, run.count * channels)
    guard let column else { return constants.append(Int32(target)) }
    // Returns the offsets of the 8-byte words that cover the run. The last word ends where the run ends, so
    // it can overlap the word before it.
    func offsets() -> [Int] { stride(from: 0, to: bytes - 8, by: 8) + [bytes - 8] }
    if bytes < 8 || step < 0 && channels == 3 {
      for i in 0..<run.count {
        pixels.append((Int32((column + i * step) * channels), Int32(target + i * channels)))
      }
    } else if step == 0 {
      repeats.append(((Int32(column * channels), Int32(target)), bytes))
    } else if step < 0 {
      // Pixels are reversed, so the first pixel of a word in the target row is the last pixel of the word in
      // the image. The word that is read therefore ends with this pixel.
      mirrored += offsets().map { (Int32((column + 1) * channels - 8 - $0), Int32(target + $0)) }
    } else {
      words += offsets().map { (Int32(column * channels + $0), Int32(target + $0)) }
    }
  }

  /// Sets the target pixels that lie outside the image to the constant colour, if the edge mode is
  /// `constant`. ``copy(_:to:)`` never changes these pixels, so one call is enough for all rows.
  func begin(_ target: UnsafeMutableRawPointer, _ constant: SIMD4<UInt16>) {
    // SAFETY: `constants` holds only offsets of pixels in the target row, and each pixel has `channels`
    // bytes.
    for place in constants {
      for c in 0..<channels {
        target.storeBytes(of: UInt8(constant[c] >> 8), toByteOffset: Int(place) + c, as: UInt8.self)
      }
    }
  }

  @inline(__always)
  func copy(_ row: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    // SAFETY: each copy reads and writes only bytes of one run. All source bytes lie inside the image row,
    // because the edge mode gives only columns of the image. All target bytes lie inside the target row,
    // because a run consists of positions of this row.
    switch channels {
    case 1: Self.copy(pixels, row, target, as: UInt8.self)
    case 3: for c in 0..<3 { Self.copy(pixels, row + c, target + c, as: UInt8.self) }
    default: Self.copy(pixels, row, target, as: UInt32.self)
    }
    Self.copy(words, row, target, as: UInt64.self)
    mirrored.withUnsafeBufferPointer {
      for copy in $0 {
        let word = row.loadUnaligned(fromByteOffset: Int(copy.source), as: UInt64.self)
        let reversed = channels == 1 ? word.byteSwapped : word << 32 | word >> 32
        target.storeBytes(of: reversed, toByteOffset: Int(copy.target), as: UInt64.self)
      }
    }
    for i in repeats.indices {
      fill(target + Int(repeats[i].copy.target), repeats[i].count, row + Int(repeats[i].copy.source))
    }
    for i in halved.indices {
      let pixel = (target + Int(halved[i])).assumingMemoryBound(to: UInt8.self)
      for c in 0..<channels { pixel[c] = Self.half(pixel[c]) }
    }
  }

  /// Fills `count` bytes with copies of a pixel.
  @inline(__always)
  private func fill(_ target: UnsafeMutableRawPointer, _ count: Int, _ pixel: UnsafeRawPointer) {
    // SAFETY: the caller's memory has `count` bytes, and `count` is at least 8. With three channels, every
    // pixel but the last is stored together with a fourth, unused byte, which the next pixel overwrites.
    var i = 0
    if channels == 3 {
      let bytes = pixel.assumingMemoryBound(to: UInt8.self)
      let word = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
      while i < count - 3 {
        target.storeBytes(of: word, toByteOffset: i, as: UInt32.self)
        i += 3
      }
      target.storeBytes(of: UInt16(truncatingIfNeeded: word), toByteOffset: i, as: UInt16.self)
      return target.storeBytes(of: bytes[2], toByteOffset: i + 2, as: UInt8.self)
    }
    let word =
      channels == 1
      ? UInt64(pixel.load(as: UInt8.self)) &* 0x0101_0101_0101_0101
      : UInt64(pixel.loadUnaligned(as: UInt32.self)) &* 0x1_0000_0001
    while i < count - 8 {
      target.storeBytes(of: word, toByteOffset: i, as: UInt64.self)
      i += 8
    }
    target.storeBytes(of: word, toByteOffset: count - 8, as: UInt64.self)
  }

  /// Returns half of a value, rounded up.
  @inline(__always)
  static func half(_ value: UInt8) -> UInt8 { value >> 1 &+ value & 1 }

  @inline(__always)
  private static func copy<Value: BitwiseCopyable>(
    _ copies: [Copy], _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, as type: Value.Type
  ) {
    copies.withUnsafeBufferPointer {
      for copy in $0 {
        target.storeBytes(
          of: source.loadUnaligned(fromByteOffset: Int(copy.source), as: type),
          toByteOffset: Int(copy.target), as: type)
      }
    }
  }
}
