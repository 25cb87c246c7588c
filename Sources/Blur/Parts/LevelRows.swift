/// Describes where the rows of a pyramid level are in memory. A pyramid stores an image in several sizes,
/// called levels. Either all rows of the level are stored, or only the last few rows, in a ring buffer.
struct LevelRows: Sendable {
  /// The numbers of all rows of the level. If a caller needs rows above or below the level, it gets the
  /// nearest row of the level instead.
  private let rows: Range<Int>
  private let stride: Int
  /// The bit mask that turns a row number into the index of a stored row. For a ring buffer of 8 rows it is
  /// 7, so that row 10 is stored at index 2. If all rows are stored, all bits of the mask are set, so it
  /// changes nothing.
  private let mask: Int
  /// The number of bytes from the start of the memory to row 0. If the first row of the level has another
  /// number, row 0 does not exist, and this is where it would be.
  private let origin: Int
  /// The number of bytes from the start of the memory to the first byte after the rows of this level.
  let end: Int

  /// Describes where the rows of a level are stored.
  ///
  /// - Parameters:
  ///   - rows: The numbers of all rows of the level.
  ///   - stride: The number of bytes from the start of one row to the start of the next.
  ///   - start: The number of bytes from the start of the memory to the first stored row.
  ///   - kept: The number of rows that the ring buffer must hold at least. It is rounded up to a power of
  ///     two. Pass nil to store all rows.
  init(_ rows: Range<Int>, stride: Int, start: Int, kept: Int? = nil) {
    (self.rows, self.stride) = (rows, stride)
    if let kept {
      let count = 1 << (Int.bitWidth - (kept - 1).leadingZeroBitCount)
      (mask, origin, end) = (count - 1, start, start + count * stride)
    } else {
      (mask, origin, end) = (-1, start - rows.lowerBound * stride, start + rows.count * stride)
    }
  }

  /// Returns the address of row `y` in memory. The row must belong to the level. It need not have been
  /// written yet: callers also use this method to find out where to write a new row.
  @inline(__always)
  func row(_ y: Int, in memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    // SAFETY: this line only computes an address and accesses no memory. The address is the start of a row
    // that ends at byte number `end` or before, and the caller's memory has at least `end` bytes.
    memory + (origin &+ (y & mask) &* stride)
  }

  /// Writes the addresses of `count` neighbouring rows to the array `addresses`. Row `first` is the first of
  /// these rows. Each address points `skipped` bytes after the start of its row.
  @inline(__always)
  func put(
    _ first: Int, _ count: Int, in memory: UnsafeMutableRawPointer, skipping skipped: Int = 0,
    _ addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    // SAFETY: the loop writes `count` addresses to the caller's array, which has space for them. The rows
    // themselves are not accessed. Each address lies inside its row, because `skipped` is at most the length
    // of a row.
    for i in 0..<count {
      addresses[i] = UnsafeRawPointer(row(rows.nearest(to: first &+ i), in: memory) + skipped)
    }
  }
}
