/// A series of neighbouring positions outside an image that are filled with copies of image pixels. The
/// column of the copied pixel changes by the same step from each position to the next. For example, a
/// mirrored edge fills the positions −3, −2 and −1 with the columns 3, 2 and 1, so the step is −1.
struct PixelRun: Sendable {
  let positions: Range<Int>
  /// The image column that is copied to the first position. It is nil if all positions are filled with the
  /// constant colour of the edge mode `constant`.
  let column: Int?
  /// The change of the copied image column from one position to the next: 1, −1 or 0.
  let step: Int

  /// Groups positions outside an image into runs. Neighbouring positions belong to the same run if they are
  /// filled with neighbouring image columns, in ascending or in descending order, or if all of them are
  /// filled with the same column.
  ///
  /// - Parameter pixels: The positions in ascending order. Each comes with the image column that is copied to
  ///   it, or with nil for the constant colour of the edge mode `constant`.
  static func all(_ pixels: some Sequence<(position: Int, column: Int?)>) -> [PixelRun] {
    var runs: [PixelRun] = []
    for (position, column) in pixels {
      if let last = runs.last, let longer = last.adding(position, column) {
        runs[runs.count - 1] = longer
      } else {
        runs.append(PixelRun(positions: position..<position + 1, column: column, step: 0))
      }
    }
    return runs
  }

  /// Returns this run with one more position at its end, or nil if the position or its image column does not
  /// continue the run. For example, a run with the columns 3, 2, 1 can continue only with the column 0.
  private func adding(_ position: Int, _ column: Int?) -> PixelRun? {
    guard position == positions.upperBound else { return nil }
    let longer = positions.lowerBound..<position + 1
    guard let first = self.column, let column else {
      return self.column == nil && column == nil ? PixelRun(positions: longer, column: nil, step: 0) : nil
    }
    let step = positions.count == 1 ? column - first : step
    guard abs(step) <= 1, column == first + positions.count * step else { return nil }
    return PixelRun(positions: longer, column: first, step: step)
  }
}

/// The order in which the values of a row of pixels are stored in memory.
enum SampleLayout: Hashable, Sendable {
  /// One pixel after the other, as in an image: r0 g0 b0 a0 r1 … Here r0 is the red value of pixel 0.
  case pixels
  /// Two pixels at a time. For each channel, the values of the two pixels are next to each other: r0 r1 g0 g1
  /// b0 b1 a0 a1 r2 r3 … Here r0 is the red value of pixel 0.
  case pairs
  /// First all pixels with even numbers, and then all pixels with odd numbers: r0 g0 b0 a0 r2 … r1 g1 b1 a1
  /// r3 … The value at the index `odd` is the first value of pixel 1. ``PaddedLine`` chooses this index.
  case halves(odd: Int)

  /// Returns the index at which the value of channel `c` of pixel `p` is stored. Pixel 0 is the first pixel
  /// of the row.
  @inline(__always)
  func index(_ p: Int, _ c: Int, _ channels: Int) -> Int {
    switch self {
    case .pixels: p * channels + c
    case .pairs: ((p >> 1) * channels + c) * 2 + (p & 1)
    case .halves(let odd): (p >> 1) * channels + c + (p & 1) * odd
    }
  }

  /// Returns whether all values of a pixel are stored next to each other.
  func keepsPixels(_ channels: Int) -> Bool { self != .pairs || channels == 1 }

  /// Divides the first `count` pixels of a row into blocks that are contiguous in memory. Returns the first
  /// pixel and the number of pixels of each block. In the order `halves`, the even pixels form one block, and
  /// the odd pixels form another.
  func blocks(_ count: Int) -> [(first: Int, count: Int)] {
    guard case .halves = self else { return [(0, count)] }
    return [(0, (count + 1) / 2), (1, count / 2)]
  }
}
