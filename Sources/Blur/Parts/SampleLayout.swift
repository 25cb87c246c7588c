/// A run of neighbouring pixels outside an image that continue the image forward, backward, or with a single
/// pixel.
struct PixelRun: Sendable {
  let positions: Range<Int>
  /// The column that appears at the first position, or nil for the constant pixel.
  let column: Int?
  /// The difference between the columns of two neighbouring positions: 1, −1 or 0.
  let step: Int

  /// Returns the runs for ascending positions and the columns that appear at them.
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

  /// Returns the run with one more position, or nil if that position does not continue the run.
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

/// The order of the values in a line.
enum SampleLayout: Hashable, Sendable {
  /// Pixel after pixel, as in an image: r0 g0 b0 a0 r1 …
  case pixels
  /// Pairs of pixels, channel by channel: r0 r1 g0 g1 b0 b1 a0 a1 r2 r3 …
  case pairs
  /// All even pixels first, and all odd pixels from value number `odd` on: r0 g0 b0 a0 r2 … r1 g1 b1 a1 r3 …
  /// ``PaddedLine`` chooses this number.
  case halves(odd: Int)

  /// Returns the index of channel `c` of pixel `p`, counted from the first pixel of the line.
  @inline(__always)
  func index(_ p: Int, _ c: Int, _ channels: Int) -> Int {
    switch self {
    case .pixels: p * channels + c
    case .pairs: ((p >> 1) * channels + c) * 2 + (p & 1)
    case .halves(let odd): (p >> 1) * channels + c + (p & 1) * odd
    }
  }

  /// Returns whether all values of a pixel are next to each other.
  func keepsPixels(_ channels: Int) -> Bool { self != .pairs || channels == 1 }

  /// Divides `count` pixels into parts that are contiguous in memory. Returns the first pixel and the number
  /// of pixels of each part.
  func blocks(_ count: Int) -> [(first: Int, count: Int)] {
    guard case .halves = self else { return [(0, count)] }
    return [(0, (count + 1) / 2), (1, count / 2)]
  }
}
