/// A run of neighbouring positions outside an image. The pixel at each position is a copy of a pixel inside
/// the image. From one position to the next, the column of this pixel always increases by 1, always decreases
/// by 1, or always stays the same.
struct PixelRun: Sendable {
  let positions: Range<Int>
  /// The image column from which the first of the positions is filled. It is nil if all positions are filled
  /// with the constant colour of the edge mode `constant`.
  let column: Int?
  /// The change of the image column from one position to the next. It is 1, −1 or 0.
  let step: Int

  /// Divides positions beyond the edges of an image into runs. From each position of a run to the next, the
  /// image column always increases by 1, always decreases by 1, or always stays the same. The positions must
  /// be in ascending order. `column` is the image column from which a position is filled, or nil for the
  /// constant colour of the edge mode `constant`.
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

  /// Returns this run with one more position at its end. Returns nil if the position does not directly
  /// follow, or if its image column does not continue the series.
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

/// The order in which a line stores the values of its pixels.
enum SampleLayout: Hashable, Sendable {
  /// One pixel after the other, as in an image: r0 g0 b0 a0 r1 …
  case pixels
  /// Two pixels at a time. For each channel, the values of the two pixels are next to each other: r0 r1 g0 g1
  /// b0 b1 a0 a1 r2 r3 …
  case pairs
  /// First all even pixels, and then all odd pixels: r0 g0 b0 a0 r2 … r1 g1 b1 a1 r3 … The first odd pixel
  /// begins at the index `odd`, which ``PaddedLine`` chooses.
  case halves(odd: Int)

  /// Returns the index of the value in channel `c` of pixel `p`. Pixels are counted from the first pixel of
  /// the line.
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

  /// Divides the pixels 0..<count of a line into blocks that are contiguous in memory, and returns the first
  /// pixel and the number of pixels of each block. In the order `halves`, all even pixels form one block, and
  /// all odd pixels form another.
  func blocks(_ count: Int) -> [(first: Int, count: Int)] {
    guard case .halves = self else { return [(0, count)] }
    return [(0, (count + 1) / 2), (1, count / 2)]
  }
}
