/// Pixels outside an image, side by side, that continue it forwards, backwards or with one pixel.
struct PixelRun: Sendable {
  let positions: Range<Int>
  /// The column that stands at the first position; nil for the constant.
  let column: Int?
  /// From the column of one position to that of the next: 1, −1 or 0.
  let step: Int

  /// The runs of positions, which rise, and of the columns that stand there.
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

  /// The run with one more position, nil if that does not continue it.
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

/// The order of values in a line.
enum SampleLayout: Hashable, Sendable {
  /// Pixel after pixel, as in an image: r0 g0 b0 a0 r1 …
  case pixels
  /// Two pixels at a time, channel by channel: r0 r1 g0 g1 b0 b1 a0 a1 r2 r3 …
  case pairs
  /// All even pixels, and from value number `odd` on all odd ones: r0 g0 b0 a0 r2 … r1 g1 b1 a1 r3 … A
  /// ``PaddedLine`` chooses the number.
  case halves(odd: Int)

  /// The index of channel `c` of pixel `p`, counted from the line's first pixel.
  @inline(__always)
  func index(_ p: Int, _ c: Int, _ channels: Int) -> Int {
    switch self {
    case .pixels: p * channels + c
    case .pairs: ((p >> 1) * channels + c) * 2 + (p & 1)
    case .halves(let odd): (p >> 1) * channels + c + (p & 1) * odd
    }
  }

  /// Whether all values of a pixel lie side by side.
  func keepsPixels(_ channels: Int) -> Bool { self != .pairs || channels == 1 }

  /// `count` pixels in parts that lie side by side: the first pixel of each, and how many they are.
  func blocks(_ count: Int) -> [(first: Int, count: Int)] {
    guard case .halves = self else { return [(0, count)] }
    return [(0, (count + 1) / 2), (1, count / 2)]
  }
}
