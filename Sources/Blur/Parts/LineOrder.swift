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
enum LineOrder: Hashable, Sendable {
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

  /// From one value of a pixel to the next.
  func valuePitch(_ channels: Int) -> Int { self == .pairs && channels > 1 ? 2 : 1 }

  /// How many strands the values of a run are, see ``strand(_:of:_:)``.
  func strands(_ channels: Int) -> Int {
    switch self {
    case .pixels: 1
    case .pairs: channels == 1 ? 1 : 2
    case .halves: 2
    }
  }

  /// Those values of a run that lie at equal distances.
  func strand(_ number: Int, of run: PixelRun, _ channels: Int) -> ValueStrand {
    switch self {
    case .pixels: return whole(run, channels)
    case .pairs:
      if channels == 1 { return whole(run, channels) }
      return everyOther(number, of: run, channels, pitch: 2 * channels)
    case .halves:
      return everyOther(number, of: run, channels, pitch: channels)
    }
  }

  /// All pixels.
  private func whole(_ run: PixelRun, _ channels: Int) -> ValueStrand {
    ValueStrand(
      target: run.positions.lowerBound * channels, source: run.column! * channels, count: run.positions.count,
      values: channels, valuePitch: 1, pitch: channels, step: run.step)
  }

  /// The even or the odd pixels.
  private func everyOther(
    _ parity: Int, of run: PixelRun, _ channels: Int, pitch: Int
  ) -> ValueStrand {
    let skipped = (run.positions.lowerBound ^ parity) & 1
    return ValueStrand(
      target: index(run.positions.lowerBound + skipped, 0, channels),
      source: index(run.column! + skipped * run.step, 0, channels),
      count: (run.positions.count - skipped + 1) / 2, values: channels,
      valuePitch: valuePitch(channels), pitch: pitch,
      step: run.step)
  }
}
