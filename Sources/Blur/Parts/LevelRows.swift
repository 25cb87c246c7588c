/// The place in memory of the rows of one level of a pyramid. Either all rows of the level are stored one
/// after the other, or a ring buffer holds the last few of them.
struct LevelRows: Sendable {
  /// The range of all rows of the level. If a row outside this range is asked for, the nearest row inside the
  /// range is used.
  private let rows: Range<Int>
  private let stride: Int
  /// The mask that turns a row number into the index of a stored row. It is one less than the number of rows
  /// in the ring buffer, or all ones if every row is stored.
  private let mask: Int
  /// The number of bytes from the start of the memory to row 0. If the level does not begin with row 0, it is
  /// the number of bytes to the place where row 0 would be.
  private let origin: Int
  /// The number of bytes from the start of the memory to the end of the space in which the rows of this level
  /// are stored.
  let end: Int

  /// Describes where the rows of a level are stored.
  ///
  /// - Parameters:
  ///   - rows: The range of all rows of the level.
  ///   - stride: The number of bytes from the start of one row to the start of the next.
  ///   - start: The number of bytes from the start of the memory to the first stored row.
  ///   - kept: The smallest number of rows that a ring buffer must hold, or nil to store all rows.
  init(_ rows: Range<Int>, stride: Int, start: Int, kept: Int? = nil) {
    (self.rows, self.stride) = (rows, stride)
    if let kept {
      let count = 1 << (Int.bitWidth - (kept - 1).leadingZeroBitCount)
      (mask, origin, end) = (count - 1, start, start + count * stride)
    } else {
      (mask, origin, end) = (-1, start - rows.lowerBound * stride, start + rows.count * stride)
    }
  }

  /// Returns the address of row `y`, which must be a row of the level. The row need not have been computed
  /// yet. The caller can also use the address to store the row.
  @inline(__always)
  func row(_ y: Int, in memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    // SAFETY: the memory holds at least `end` bytes, and every row of the level lies before `end`.
    memory + (origin &+ (y & mask) &* stride)
  }

  /// Writes the addresses of `count` neighbouring rows, beginning with row `first`, to the array `addresses`.
  /// Each address skips the first `skipped` bytes of its row.
  @inline(__always)
  func put(
    _ first: Int, _ count: Int, in memory: UnsafeMutableRawPointer, skipping skipped: Int = 0,
    _ addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    // SAFETY: the caller's array has space for `count` addresses, and `skipped` is at most the length of a
    // row.
    for i in 0..<count {
      addresses[i] = UnsafeRawPointer(row(rows.nearest(to: first &+ i), in: memory) + skipped)
    }
  }
}
