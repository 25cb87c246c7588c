/// The values that continue a line beyond its image: which is a copy of which, worked out once for all rows.
struct EdgeCopies: Sendable {
  /// Values side by side: indices of the first one, and of the one that it is copied from.
  private struct Copy {
    let target: Int32, source: Int32, count: Int32
  }

  /// A pixel of the constant, which others repeat: an index and a channel for each value.
  private var constants: [(target: Int, channel: Int)] = []
  /// More than a few pixels, in the order of the image.
  private var blocks: [Copy] = []
  /// All others one by one; where channels do not lie side by side, values.
  private var pixels: [Copy] = []
  /// Values of one of `pixels`.
  private let together: Int

  /// Up to this many pixels, copying one by one is faster.
  private static let few = 8

  init(_ runs: [PixelRun], _ order: SampleLayout, _ channels: Int) {
    together = order.keepsPixels(channels) ? channels : 1
    for run in runs {
      var run = run
      if run.column == nil {
        let first = run.positions.lowerBound
        for c in 0..<channels { constants.append((order.index(first, c, channels), c)) }
        run = PixelRun(positions: first + 1..<run.positions.upperBound, column: first, step: 0)
      }
      func copies(_ target: Int, _ source: Int, _ count: Int) -> [Copy] {
        stride(from: 0, to: channels, by: together).map { c in
          Copy(
            target: Int32(order.index(target, c, channels)), source: Int32(order.index(source, c, channels)),
            count: Int32(count * together))
        }
      }
      if run.step == 1, run.positions.count > Self.few, together == channels {
        for (i, count) in order.blocks(run.positions.count) {
          blocks += copies(run.positions.lowerBound + i, run.column! + i, count)
        }
      } else {
        for (i, target) in run.positions.enumerated() {
          pixels += copies(target, run.column! + i * run.step, 1)
        }
      }
    }
  }

  /// - Parameter constant: channel c of the constant pixel, as it stands in a line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    // SAFETY: the line holds all positions that the runs name. By index: an iterator would retain the arrays.
    for i in constants.indices { line[constants[i].target] = constant(constants[i].channel) }
    pixels.withUnsafeBufferPointer { pixels in
      switch together {
      case 3: for pixel in pixels { line.copyThree(Int(pixel.source), to: Int(pixel.target)) }
      case 4: for pixel in pixels { line.copyFour(Int(pixel.source), to: Int(pixel.target)) }
      default: for pixel in pixels { line[Int(pixel.target)] = line[Int(pixel.source)] }
      }
    }
    for i in blocks.indices { copy(blocks[i], in: line) }
  }

  /// The same for lines of one channel, each value of which stands for `count` that are copied together.
  func fill(_ line: UnsafeMutablePointer<Float>, values count: Int, constant: UnsafePointer<Float>) {
    // SAFETY: as above, for all `count` values; `constant` holds as many.
    for (target, _) in constants { (line + target * count).update(from: constant, count: count) }
    for pixel in pixels { copy(pixel, in: line, times: count) }
    for block in blocks { copy(block, in: line, times: count) }
  }

  @inline(__always)
  private func copy<Value: BitwiseCopyable>(
    _ values: Copy, in line: UnsafeMutablePointer<Value>, times count: Int = 1
  ) {
    // SAFETY: the caller's line holds both.
    (line + Int(values.target) * count).update(
      from: line + Int(values.source) * count, count: Int(values.count) * count)
  }
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
}
