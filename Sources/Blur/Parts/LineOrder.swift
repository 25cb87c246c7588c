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
  /// All even pixels, and from value number `odd` on all odd ones: r0 g0 b0 a0 r2 … r1 g1 b1 a1 r3 …
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
  @inline(__always)
  func valuePitch(_ channels: Int) -> Int { self == .pairs && channels > 1 ? 2 : 1 }

  /// Whether values simply follow each other, a pixel each.
  @inline(__always)
  func isPlain(_ channels: Int) -> Bool { channels == 1 && (self == .pixels || self == .pairs) }

  /// How many strands the values of a run are, see ``strand(_:of:_:)``.
  @inline(__always)
  func strands(_ channels: Int) -> Int {
    switch self {
    case .pixels: 1
    case .pairs: channels == 1 ? 1 : 2
    case .halves: 2
    }
  }

  /// Those values of a run that lie at equal distances.
  @inline(__always)
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
  @inline(__always)
  private func whole(_ run: PixelRun, _ channels: Int) -> ValueStrand {
    ValueStrand(
      target: run.positions.lowerBound * channels, source: run.column! * channels, count: run.positions.count,
      values: channels, valuePitch: 1, pitch: channels, step: run.step)
  }

  /// The even or the odd pixels.
  @inline(__always)
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

/// Pixels at equal distances in a line, and others that they are copied from.
struct ValueStrand {
  /// The index of the first value of the first pixel, and of the one that it is copied from.
  let target: Int, source: Int
  /// Pixels, and values of a pixel.
  let count: Int, values: Int
  /// From one value of a pixel to the next, and from one pixel to the next.
  let valuePitch: Int, pitch: Int
  /// From one source to the next, in pixels: 1, −1 or 0.
  let step: Int
}

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Copies the pixels of a strand.
  @inline(__always)
  func copy(_ strand: ValueStrand) {
    let (target, source) = (self + strand.target, self + strand.source)
    // SAFETY: the caller's line holds the strand. No target is a source.
    if strand.valuePitch == 1 && strand.step == 1 {
      target.update(from: source, count: strand.count * strand.values)
    } else if strand.pitch == 1 && strand.step == -1 {
      for i in 0..<strand.count { target[i] = source[-i] }
    } else if strand.values == 1 && strand.step == 0 {
      let value = source.pointee
      for i in 0..<strand.count { target[i * strand.pitch] = value }
    } else if strand.valuePitch == 1 && strand.values == 4 {
      for i in 0..<strand.count {
        let pixel = source + 4 * strand.step * i
        // All four before the first is written, so that they become one move.
        let (a, b, c, d) = (pixel[0], pixel[1], pixel[2], pixel[3])
        (target[4 * i], target[4 * i + 1], target[4 * i + 2], target[4 * i + 3]) = (a, b, c, d)
      }
    } else {
      for i in 0..<strand.count {
        for k in 0..<strand.values {
          target[i * strand.pitch + k * strand.valuePitch] =
            source[i * strand.step * strand.pitch + k * strand.valuePitch]
        }
      }
    }
  }
}
