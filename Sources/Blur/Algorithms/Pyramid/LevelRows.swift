/// The memory layout of the rows of one level. A pyramid stores an image in several sizes, called levels. For
/// each level, either all rows are stored, or only the last few rows, in a ring buffer.
struct LevelRows: Sendable {
  /// The indices of all rows of the level.
  let rows: Range<Int>
  private let stride: Int
  /// A bit mask that turns the number of a row into its index in the ring buffer, by a bitwise AND. For a
  /// ring buffer of 8 rows, the mask is 7, so row 10 is stored at index 2. If all rows are stored, there is
  /// no ring buffer, and the mask leaves row numbers unchanged.
  private let mask: Int
  /// The number of bytes from the start of the memory to row 0. If the level has no row 0, this is where row
  /// 0 would be.
  private let origin: Int
  /// The number of bytes from the start of the memory to the end of the last row.
  let end: Int

  /// Determines where the rows of one level are stored in memory.
  ///
  /// - Parameters:
  ///   - rows: The indices of all rows of the level.
  ///   - stride: The number of bytes from the start of one row to the start of the next.
  ///   - start: The number of bytes from the start of the memory to the place for the first stored row.
  ///   - pad: The number of bytes from the start of each row's place in memory to its first pixel. The loops
  ///     use the memory before this pixel.
  ///   - kept: The number of rows that a ring buffer must be able to hold. The initializer rounds it up to a
  ///     power of two. If it is nil, there is no ring buffer, and all rows of the level are stored.
  init(_ rows: Range<Int>, stride: Int, start: Int, pad: Int = 0, kept: Int? = nil) {
    (self.rows, self.stride) = (rows, stride)
    if let kept {
      let count = 1 << (Int.bitWidth - (kept - 1).leadingZeroBitCount)
      (mask, origin, end) = (count - 1, start + pad, start + count * stride)
    } else {
      (mask, origin, end) = (-1, start + pad - rows.lowerBound * stride, start + rows.count * stride)
    }
  }

  /// Returns the address of row `y`, which must be a row of the level. The row need not have been computed
  /// yet, because callers also use this method to find out where to write a new row.
  @inline(__always)
  func row(_ y: Int, in memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    // SAFETY: this line computes an address, but does not access memory. The row at this address ends at or
    // before byte number `end`, and the caller's memory has at least `end` bytes.
    memory + (origin &+ (y & mask) &* stride)
  }

  /// Writes the addresses of `count` rows to the array `addresses`, beginning with row `first`. For a row
  /// above or below the level, it writes the address of the nearest row of the level. Each address skips the
  /// first `skipped` bytes of its row.
  @inline(__always)
  func put(
    _ first: Int, _ count: Int, in memory: UnsafeMutableRawPointer, skipping skipped: Int = 0,
    _ addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    // SAFETY: the caller's array has space for `count` addresses, and the rows themselves are not accessed.
    // No address lies beyond the end of its row, because `skipped` is at most the length of a row.
    for i in 0..<count {
      addresses[i] = UnsafeRawPointer(row(rows.nearest(to: first &+ i), in: memory) + skipped)
    }
  }
}
