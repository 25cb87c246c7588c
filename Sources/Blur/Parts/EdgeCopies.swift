/// A list that says how to fill the pixels of a line beyond the edges of the image: by copying pixels from
/// inside the image, or with a constant colour. A line holds one row and some pixels to the left and to the
/// right of it. The list depends only on the layout of the line, so it is made once and then used for all
/// rows.
struct EdgeCopies: Sendable {
  /// A copy of `count` neighbouring values within a line. `target` and `source` are the indices of the first
  /// values.
  private struct Copy {
    let target: Int32, source: Int32, count: Int32
  }

  /// The places in a line that are filled with the constant colour of the edge mode `constant`. `target` is
  /// the index of a value in the line, and `channel` is the channel to which this value belongs. Only one
  /// pixel beyond each edge is listed here. All further pixels beyond this edge are copied from it.
  private var constants: [(target: Int, channel: Int)] = []
  /// Copies that each move more than `few` neighbouring pixels at once. Such a copy is possible if the pixels
  /// beyond the edge have the same order as in the image. Mirrored pixels have the opposite order, so they
  /// are copied one by one.
  private var blocks: [Copy] = []
  /// The copies of single pixels, for all pixels that `blocks` does not cover. In some lines, the channels of
  /// a pixel are not next to each other. Each channel is then copied by an element of its own.
  private var pixels: [Copy] = []
  /// The number of neighbouring values that each element of `pixels` copies. It is the number of channels if
  /// the line stores all channels of a pixel next to each other, and otherwise 1.
  private let together: Int

  /// The largest number of neighbouring pixels that are copied one by one. If more pixels than this are
  /// neighbours, it is faster to copy them all at once.
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

  /// Fills the pixels of a line that lie outside the image.
  ///
  /// - Parameter constant: Returns the value that a channel has in the constant colour of the edge mode
  ///   `constant`. The value must have the type and the scale of the values in the line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    // SAFETY: all indices in the lists lie inside the line, because the lists were made for the layout of
    // this line. The loop runs over indices because an iterator would retain the array.
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

  /// Fills the pixels of a line that lie outside the image, if many rows are processed side by side. In this
  /// case, a pixel of the line consists of `count` values, which are copied together. `constant` points to
  /// the `count` values of a pixel that has the constant colour of the edge mode `constant`.
  func fill(_ line: UnsafeMutablePointer<Float>, values count: Int, constant: UnsafePointer<Float>) {
    // SAFETY: the line holds `count` values for each pixel that is read or written, and `constant` holds
    // `count` values.
    for (target, _) in constants { (line + target * count).update(from: constant, count: count) }
    for pixel in pixels { copy(pixel, in: line, times: count) }
    for block in blocks { copy(block, in: line, times: count) }
  }

  @inline(__always)
  private func copy<Value: BitwiseCopyable>(
    _ values: Copy, in line: UnsafeMutablePointer<Value>, times count: Int = 1
  ) {
    // SAFETY: the copy was planned for the layout of this line, so the line holds all values that are read
    // and written here.
    (line + Int(values.target) * count).update(
      from: line + Int(values.source) * count, count: Int(values.count) * count)
  }
}

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Copies four neighbouring values. The function reads all of them before it writes the first, so that the
  /// compiler can use a single load and a single store.
  @inline(__always)
  fileprivate func copyFour(_ source: Int, to target: Int) {
    let (from, to) = (self + source, self + target)
    // SAFETY: the caller's line holds the four values that are read and the four that are written.
    let (a, b, c, d) = (from[0], from[1], from[2], from[3])
    (to[0], to[1], to[2], to[3]) = (a, b, c, d)
  }

  /// Copies three neighbouring values. The function reads all of them before it writes the first, so that the
  /// compiler needs only two loads and two stores.
  @inline(__always)
  fileprivate func copyThree(_ source: Int, to target: Int) {
    let (from, to) = (self + source, self + target)
    // SAFETY: the caller's line holds the three values that are read and the three that are written.
    let (a, b, c) = (from[0], from[1], from[2])
    (to[0], to[1], to[2]) = (a, b, c)
  }
}
