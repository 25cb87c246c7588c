/// The values that continue a line beyond its image: which is a copy of which, worked out once for all rows.
struct LineEnds: Sendable {
  /// Values of short runs, one by one. A source below 0 is not of the line: ~c is channel c of the constant.
  private var values: [(target: Int, source: Int)] = []
  private var strands: [ValueStrand] = []

  /// Up to this many pixels, copying one by one is faster than by strands.
  private static let few = 8

  init(_ runs: [PixelRun], _ order: LineOrder, _ channels: Int) {
    for run in runs {
      var run = run
      if run.column == nil {
        // A pixel of the constant, which the others repeat.
        let first = run.positions.lowerBound
        for c in 0..<channels { values.append((order.index(first, c, channels), ~c)) }
        run = PixelRun(positions: first + 1..<run.positions.upperBound, column: first, step: 0)
      }
      if run.positions.count > Self.few {
        for number in 0..<order.strands(channels) { strands.append(order.strand(number, of: run, channels)) }
        continue
      }
      for (i, target) in run.positions.enumerated() {
        let source = run.column! + i * run.step
        for c in 0..<channels {
          values.append((order.index(target, c, channels), order.index(source, c, channels)))
        }
      }
    }
  }

  /// - Parameter constant: channel c of the constant pixel, as it stands in a line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    // SAFETY: the line holds all positions that the runs name. By index: an iterator would retain the arrays.
    for i in values.indices {
      let (target, source) = values[i]
      line[target] = source < 0 ? constant(~source) : line[source]
    }
    for i in strands.indices { line.copy(strands[i]) }
  }

  /// The same where each value of the line stands for `count` of them, which are copied together.
  func fill(_ line: UnsafeMutablePointer<Float>, values count: Int, constant: UnsafePointer<Float>) {
    // SAFETY: as above, for all `count` values; `constant` holds as many.
    for (target, source) in values {
      (line + target * count).update(
        from: source < 0 ? constant : UnsafePointer(line + source * count), count: count)
    }
    for strand in strands {
      for i in 0..<strand.count {
        (line + (strand.target + i) * count).update(
          from: line + (strand.source + i * strand.step) * count, count: count)
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
