/// Where rows of a pyramid's level are in memory: all of them one after the other, or the last few in a ring.
struct LevelRows: Sendable {
  /// The rows that there are; the nearest of them stand for all others.
  private let rows: Range<Int>
  private let stride: Int
  /// All ones, or one less than the rows in the ring.
  private let mask: Int
  /// Bytes from the start of the memory to row 0, or to where it would be.
  private let origin: Int
  /// Bytes from the start of the memory to the end of these rows.
  let end: Int

  /// - Parameters:
  ///   - stride: bytes from one row to the next.
  ///   - start: bytes from the start of the memory to the first row.
  ///   - kept: at least as many rows are kept as this; nil if all are.
  init(_ rows: Range<Int>, stride: Int, start: Int, kept: Int? = nil) {
    (self.rows, self.stride) = (rows, stride)
    if let kept {
      let count = 1 << (Int.bitWidth - (kept - 1).leadingZeroBitCount)
      (mask, origin, end) = (count - 1, start, start + count * stride)
    } else {
      (mask, origin, end) = (-1, start - rows.lowerBound * stride, start + rows.count * stride)
    }
  }

  /// The address of row `y`, one of the rows that there are, made or not.
  @inline(__always)
  func row(_ y: Int, in memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    // SAFETY: the memory holds `end` bytes.
    memory + (origin &+ (y & mask) &* stride)
  }

  /// Puts the addresses of `count` rows from `first` on, each `skipped` bytes further on, in `addresses`.
  @inline(__always)
  func put(
    _ first: Int, _ count: Int, in memory: UnsafeMutableRawPointer, skipping skipped: Int = 0,
    _ addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    // SAFETY: the caller has room for all, and rows that are skipped no further than they are long.
    for i in 0..<count {
      addresses[i] = UnsafeRawPointer(row(rows.nearest(to: first &+ i), in: memory) + skipped)
    }
  }
}
