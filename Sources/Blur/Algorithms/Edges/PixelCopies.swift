/// Instructions for copying pixels from an image row to a target row. Positions are stored as byte offsets
/// from the start of a row.
struct PixelCopies: Sendable {
  private typealias Copy = (source: Int32, target: Int32)

  private let pixelBytes: Int
  /// Instructions that copy one pixel each.
  private var pixels: [Copy] = []
  /// Instructions that copy 8 neighbouring bytes each. The last two instructions of a series can overlap.
  private var words: [Copy] = []
  /// Instructions that copy `count` neighbouring bytes each, for series of at least 64 bytes.
  private var blocks: [(copy: Copy, count: Int)] = []
  /// Instructions that copy 8 neighbouring bytes each, and reverse the order of the pixels. The last two
  /// instructions of a series can overlap.
  private var mirrored: [Copy] = []
  /// Instructions that repeat a single pixel several times in the target row. `count` is the number of bytes
  /// that all repetitions of the pixel take together. It is at least 8.
  private var repeats: [(copy: Copy, count: Int)] = []
  /// The byte offsets of the target pixels that get the constant colour. This colour surrounds the image in
  /// the edge mode `constant`.
  private var constants: [Int32] = []

  /// Creates the instructions for filling a target row.
  ///
  /// - Parameters:
  ///   - positions: For each pixel of the target row, its position in the image. A position can be outside
  ///     the image.
  ///   - width: The number of columns of the image.
  init(_ positions: [Int], _ width: Int, _ edge: EdgeMode, pixelBytes: Int) {
    self.pixelBytes = pixelBytes
    let columns = positions.map { edge.index(of: $0, count: width) }
    func isInside(_ i: Int) -> Bool { 0..<width ~= positions[i] }
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
    let (target, bytes) = (run.lowerBound * pixelBytes, run.count * pixelBytes)
    guard let column else { return constants.append(Int32(target)) }
    // Returns the offsets of the 8-byte words that cover the run. The last word ends where the run ends, so
    // it can overlap the word before it.
    func offsets() -> [Int] { stride(from: 0, to: bytes - 8, by: 8) + [bytes - 8] }
    if bytes < 8 || step < 0 && pixelBytes != 1 && pixelBytes != 4 {
      for i in 0..<run.count {
        pixels.append((Int32((column + i * step) * pixelBytes), Int32(target + i * pixelBytes)))
      }
    } else if step == 0 {
      repeats.append(((Int32(column * pixelBytes), Int32(target)), bytes))
    } else if step < 0 {
      // Pixels are reversed, so the first pixel of a word in the target row is the last pixel of the word in
      // the image. The word that is read therefore ends with this pixel.
      mirrored += offsets().map { (Int32((column + 1) * pixelBytes - 8 - $0), Int32(target + $0)) }
    } else if bytes >= 64 {
      blocks.append(((Int32(column * pixelBytes), Int32(target)), bytes))
    } else {
      words += offsets().map { (Int32(column * pixelBytes + $0), Int32(target + $0)) }
    }
  }

  /// Sets the target pixels that lie outside the image to the constant colour, if the edge mode is
  /// `constant`. ``copy(_:to:)`` never changes these pixels, so one call is enough for all rows.
  ///
  /// - Parameter colour: A pixel of the constant colour.
  func begin(_ target: UnsafeMutableRawPointer, _ colour: UnsafeRawPointer) {
    // SAFETY: `constants` holds only offsets of pixels in the target row, and each pixel has `pixelBytes`
    // bytes.
    for place in constants { (target + Int(place)).copyMemory(from: colour, byteCount: pixelBytes) }
  }

  @inline(__always)
  func copy(_ row: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    // SAFETY: each copy reads and writes only bytes of one run, which is a series of neighbouring target
    // pixels. All source bytes lie inside the image row, because the edge mode has replaced each copied
    // position outside the image by a column of the image. All target bytes lie inside the target row,
    // because all pixels of a run do.
    switch pixelBytes {
    case 1: Self.copy(pixels, row, target, as: UInt8.self)
    case 2: Self.copy(pixels, row, target, as: UInt16.self)
    case 4: Self.copy(pixels, row, target, as: UInt32.self)
    case 8: Self.copy(pixels, row, target, as: UInt64.self)
    case 16: Self.copy(pixels, row, target, as: SIMD2<UInt64>.self)
    case 3: for c in 0..<3 { Self.copy(pixels, row + c, target + c, as: UInt8.self) }
    case 6: for c in 0..<3 { Self.copy(pixels, row + 2 * c, target + 2 * c, as: UInt16.self) }
    default: for c in 0..<3 { Self.copy(pixels, row + 4 * c, target + 4 * c, as: UInt32.self) }
    }
    Self.copy(words, row, target, as: UInt64.self)
    for i in blocks.indices {
      (target + Int(blocks[i].copy.target)).copyMemory(
        from: row + Int(blocks[i].copy.source), byteCount: blocks[i].count)
    }
    mirrored.withUnsafeBufferPointer {
      for copy in $0 {
        let word = row.loadUnaligned(fromByteOffset: Int(copy.source), as: UInt64.self)
        let reversed = pixelBytes == 1 ? word.byteSwapped : word << 32 | word >> 32
        target.storeBytes(of: reversed, toByteOffset: Int(copy.target), as: UInt64.self)
      }
    }
    for i in repeats.indices {
      fill(target + Int(repeats[i].copy.target), repeats[i].count, row + Int(repeats[i].copy.source))
    }
  }

  /// Fills `count` bytes with copies of a pixel.
  @inline(__always)
  private func fill(_ target: UnsafeMutableRawPointer, _ count: Int, _ pixel: UnsafeRawPointer) {
    // SAFETY: the caller's memory has `count` bytes, and `count` is at least 8. No word is stored beyond its
    // end. Pixels of 3 or 6 bytes are stored together with a few unused bytes, which the next pixel
    // overwrites.
    let word: UInt64
    var step = 8
    switch pixelBytes {
    case 1: word = UInt64(pixel.load(as: UInt8.self)) &* 0x0101_0101_0101_0101
    case 2: word = UInt64(pixel.loadUnaligned(as: UInt16.self)) &* 0x1_0001_0001_0001
    case 4: word = UInt64(pixel.loadUnaligned(as: UInt32.self)) &* 0x1_0000_0001
    case 8: word = pixel.loadUnaligned(as: UInt64.self)
    case 3:
      let bytes = pixel.assumingMemoryBound(to: UInt8.self)
      word = UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16
      step = 3
    case 6:
      word =
        UInt64(pixel.loadUnaligned(as: UInt32.self))
        | UInt64(pixel.loadUnaligned(fromByteOffset: 4, as: UInt16.self)) << 32
      step = 6
    default:
      for i in stride(from: 0, to: count, by: pixelBytes) {
        target.storeBytes(of: pixel.loadUnaligned(as: UInt64.self), toByteOffset: i, as: UInt64.self)
        target.storeBytes(
          of: pixel.loadUnaligned(fromByteOffset: pixelBytes - 8, as: UInt64.self),
          toByteOffset: i + pixelBytes - 8, as: UInt64.self)
      }
      return
    }
    var i = 0
    while i <= count - 8 {
      target.storeBytes(of: word, toByteOffset: i, as: UInt64.self)
      i += step
    }
    // Fewer than 8 bytes are left, so they are copied one by one.
    while i < count {
      target.storeBytes(
        of: pixel.load(fromByteOffset: i % pixelBytes, as: UInt8.self), toByteOffset: i, as: UInt8.self)
      i += 1
    }
  }

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
