/// The values that continue a line beyond its image: which is a copy of which, worked out once for all rows.
struct LineEnds: Sendable {
  /// A pixel of the constant, which others repeat: an index and a channel for each value.
  private var constants: [(target: Int, channel: Int)] = []
  /// Pixels of short runs, one by one; where channels do not lie side by side, values.
  private var pixels: [(target: Int, source: Int)] = []
  /// Values of one of `pixels`.
  private let together: Int
  private var strands: [ValueStrand] = []

  /// Up to this many pixels, copying one by one is faster than by strands.
  private static let few = 8

  init(_ runs: [PixelRun], _ order: LineOrder, _ channels: Int) {
    together = order.valuePitch(channels) == 1 ? channels : 1
    for run in runs {
      var run = run
      if run.column == nil {
        let first = run.positions.lowerBound
        for c in 0..<channels { constants.append((order.index(first, c, channels), c)) }
        run = PixelRun(positions: first + 1..<run.positions.upperBound, column: first, step: 0)
      }
      if run.positions.count > Self.few {
        for number in 0..<order.strands(channels) { strands.append(order.strand(number, of: run, channels)) }
        continue
      }
      for (i, target) in run.positions.enumerated() {
        let source = run.column! + i * run.step
        for c in stride(from: 0, to: channels, by: together) {
          pixels.append((order.index(target, c, channels), order.index(source, c, channels)))
        }
      }
    }
  }

  /// - Parameter constant: channel c of the constant pixel, as it stands in a line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    // SAFETY: the line holds all positions that the runs name. By index: an iterator would retain the arrays.
    for i in constants.indices { line[constants[i].target] = constant(constants[i].channel) }
    switch together {
    case 3: for i in pixels.indices { line.copyThree(pixels[i].source, to: pixels[i].target) }
    case 4: for i in pixels.indices { line.copyFour(pixels[i].source, to: pixels[i].target) }
    default: for i in pixels.indices { line[pixels[i].target] = line[pixels[i].source] }
    }
    for i in strands.indices { line.copy(strands[i]) }
  }

  /// The same for lines of one channel, each value of which stands for `count` that are copied together.
  func fill(_ line: UnsafeMutablePointer<Float>, values count: Int, constant: UnsafePointer<Float>) {
    func copy(_ source: UnsafePointer<Float>, to target: Int) {
      // SAFETY: as above, for all `count` values; `constant` holds as many.
      (line + target * count).update(from: source, count: count)
    }
    for (target, _) in constants { copy(constant, to: target) }
    for (target, source) in pixels { copy(line + source * count, to: target) }
    for strand in strands {
      for i in 0..<strand.count {
        copy(line + (strand.source + i * strand.step) * count, to: strand.target + i)
      }
    }
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
  /// Copies values side by side, all before the first is written, so that they become one move.
  @inline(__always)
  fileprivate func copyFour(_ source: Int, to target: Int) {
    let (from, to) = (self + source, self + target)
    // SAFETY: the caller's line holds both.
    let (a, b, c, d) = (from[0], from[1], from[2], from[3])
    (to[0], to[1], to[2], to[3]) = (a, b, c, d)
  }

  /// The same for three, which become two moves.
  @inline(__always)
  fileprivate func copyThree(_ source: Int, to target: Int) {
    let (from, to) = (self + source, self + target)
    // SAFETY: as above.
    let (a, b, c) = (from[0], from[1], from[2])
    (to[0], to[1], to[2]) = (a, b, c)
  }

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
        copyFour(strand.source + 4 * strand.step * i, to: strand.target + 4 * i)
      }
    } else if strand.valuePitch == 1 && strand.values == 3 {
      for i in 0..<strand.count {
        copyThree(strand.source + 3 * strand.step * i, to: strand.target + 3 * i)
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
