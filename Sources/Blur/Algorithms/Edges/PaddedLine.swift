/// The memory layout of a line. A line is one row of the image that has been blurred vertically and is going
/// to be blurred horizontally, with some additional pixels to its left and right. The additional pixels are
/// outside the image, and the edge mode determines their values. Thanks to these pixels, the horizontal blur
/// never has to check where the image ends.
///
/// The vertical blur computes the pixels in `columns`. Then ``fill(_:constant:)`` sets each pixel outside the
/// image to a copy of one of these pixels, or to the constant colour.
struct PaddedLine: Sendable {
  /// The image columns that the vertical blur must compute. Afterwards, some of these pixels are copied to
  /// positions to the left and to the right of the image.
  let columns: Range<Int>
  /// The positions of all pixels for which the line has space. A position is a column index of the image.
  /// Positions to the left of the image are negative.
  let positions: Range<Int>
  /// The order in which the line stores its pixels and their channels.
  let order: SampleLayout
  /// The number of values from the start of one line to the start of the next. The stride includes some
  /// unused space at the end of each line, because the inner loops may write beyond the last value.
  let stride: Int
  private let channels: Int
  private let ends: EdgeCopies

  /// Creates the layout of a line for a horizontal blur that reads the pixels at the positions `support`.
  ///
  /// - Parameters:
  ///   - inside: The columns of the image.
  ///   - order: The order in which the values are stored. In every order except `.pixels`, an even pixel and
  ///     the odd pixel after it are processed together, so ``positions`` begins with an even number.
  init(
    _ support: Range<Int>, inside: Range<Int>, edge: EdgeMode, _ order: SampleLayout = .pixels, channels: Int
  ) {
    let start = inside.lowerBound
    let span = edge.span(of: support.lowerBound - start..<support.upperBound - start, count: inside.count)
    var needed = start + span.lowerBound..<start + span.upperBound
    var first = min(support.lowerBound, needed.lowerBound)
    if order != .pixels {
      needed = max(needed.lowerBound & ~1, inside.lowerBound)..<needed.upperBound
      first = min(first, needed.lowerBound) & ~1
    }
    columns = needed
    positions = first..<max(support.upperBound, needed.upperBound)
    let runs = PixelRun.all(
      support.lazy.filter { !inside.contains($0) }.map { position in
        let column = edge.index(of: position - start, count: inside.count)
        return (position - first, column.map { $0 + start - first })
      })
    let values = (positions.count + 4) * channels
    self.channels = channels
    if case .halves = order {
      let odd = PyramidLevel.stride((values + 1) / 2)
      (self.order, stride) = (.halves(odd: odd), 2 * odd)
    } else {
      (self.order, stride) = (order, PyramidLevel.stride(values))
    }
    ends = EdgeCopies(runs, self.order, channels)
  }

  /// Creates the layout of a line for blurring the columns `wanted` of an image that is `width` pixels wide.
  /// To blur a pixel, the horizontal filter reads `radius` pixels on each side of it.
  init(_ wanted: Range<Int>, radius: Int, width: Int, edge: EdgeMode, channels: Int) {
    self.init(wanted.widened(by: radius), inside: 0..<width, edge: edge, channels: channels)
  }

  /// The index where the odd pixels begin, if the line stores all even pixels first and then all odd pixels.
  /// If the pixels are stored in any other order, this property is 0.
  var odd: Int {
    guard case .halves(let odd) = order else { return 0 }
    return odd
  }

  /// Returns how many pixels of the line are stored before the pixel at `position`. A position is a column
  /// index of the image, and can be negative.
  func offset(of position: Int) -> Int { position - positions.lowerBound }

  /// Returns the index at which the line stores channel `c` of the pixel at `position`. A position is a
  /// column index of the image, and can be negative.
  func index(of position: Int, _ c: Int = 0) -> Int { order.index(offset(of: position), c, channels) }

  /// Sets the pixels to the left and to the right of the image to the values that the edge mode gives them.
  /// The pixels in `columns` must have been computed before this call, because they are copied.
  ///
  /// - Parameter constant: A function that returns a channel of the constant colour for the edge mode
  ///   `constant`. Its result must have the type and the scale of the values in the line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    ends.fill(line, constant: constant)
  }

  /// Sets the pixels to the left and to the right of the image in a line that holds several rows at once. In
  /// such a line, all values that belong to the same column are next to each other, and are copied together.
  ///
  /// - Parameters:
  ///   - values: The number of values in each column. The layout must have been created with one channel.
  ///   - constant: The values of a column outside the image in the edge mode `constant`, as an array of
  ///     `values` elements.
  func fill(_ line: UnsafeMutablePointer<Float>, values: Int, constant: UnsafePointer<Float>) {
    ends.fill(line, values: values, constant: constant)
  }
}

/// A list of instructions for filling the pixels of a line that lie outside the image. Each of these pixels
/// becomes a copy of an image pixel, or gets a constant colour. A line holds one row of the image and some
/// pixels to its left and to its right. All lines with the same layout use the same list.
private struct EdgeCopies: Sendable {
  /// A copy of `count` neighbouring values within a line. `source` is the index of the first value that is
  /// read, and `target` is the index of the first value that is written.
  private struct Copy {
    let target: Int32, source: Int32, count: Int32
  }

  /// The values that get the constant colour in the edge mode `constant`, each with its index in the line and
  /// its channel. Only one pixel on each side of the image is listed. All other pixels on this side are
  /// copied from it.
  private var constants: [(target: Int, channel: Int)] = []
  /// Instructions that copy more than `few` neighbouring pixels at once. Mirrored pixels cannot be copied in
  /// this way, because their order is reversed.
  private var blocks: [Copy] = []
  /// Instructions to copy single pixels, for all pixels that `blocks` does not contain. If the line does not
  /// store the channels of a pixel next to each other, there is one instruction for each channel.
  private var pixels: [Copy] = []
  /// The number of values that each instruction in `pixels` copies. It is the number of channels if all
  /// channels of a pixel are next to each other in the line, and otherwise 1.
  private let together: Int

  /// The largest number of neighbouring pixels that are copied one by one. Longer series are copied at once,
  /// which is faster.
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
      func copy(_ target: Int, _ source: Int, _ channel: Int = 0, count: Int = 1) -> Copy {
        Copy(
          target: Int32(order.index(target, channel, channels)),
          source: Int32(order.index(source, channel, channels)), count: Int32(count * together))
      }
      if run.step == 1, run.positions.count > Self.few, together == channels {
        for (i, count) in order.blocks(run.positions.count) {
          blocks.append(copy(run.positions.lowerBound + i, run.column! + i, count: count))
        }
      } else {
        pixels.reserveCapacity(pixels.count + run.positions.count * channels / together)
        for (i, target) in run.positions.enumerated() {
          for channel in stride(from: 0, to: channels, by: together) {
            pixels.append(copy(target, run.column! + i * run.step, channel))
          }
        }
      }
    }
  }

  /// Fills the pixels of a line that lie outside the image; see ``PaddedLine/fill(_:constant:)``.
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

  /// Fills the pixels outside the image in a line that holds several rows side by side; see
  /// ``PaddedLine/fill(_:values:constant:)``. `count` is the number of values that the line holds for each
  /// column.
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
    // SAFETY: the copy was created for lines with this layout, so all values that are read and written here
    // lie inside the line.
    (line + Int(values.target) * count).update(
      from: line + Int(values.source) * count, count: Int(values.count) * count)
  }
}

/// A series of neighbouring positions outside an image that are filled with copies of image pixels. The
/// column of the copied pixel changes by the same step from each position to the next. For example, a
/// mirrored edge fills the positions −3, −2 and −1 with the columns 3, 2 and 1, so the step is −1.
private struct PixelRun: Sendable {
  let positions: Range<Int>
  /// The image column that is copied to the first position. It is nil if all positions are filled with the
  /// constant colour of the edge mode `constant`.
  let column: Int?
  /// The change of the copied image column from one position to the next: 1, −1 or 0.
  let step: Int

  /// Groups positions outside an image into runs. Neighbouring positions are in the same run if they are
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

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Copies four neighbouring values. All of them are read before the first one is written, so that the
  /// compiler can copy them with a single load and a single store.
  @inline(__always)
  fileprivate func copyFour(_ source: Int, to target: Int) {
    let (from, to) = (self + source, self + target)
    // SAFETY: the caller's line holds the four values that are read and the four that are written.
    let (a, b, c, d) = (from[0], from[1], from[2], from[3])
    (to[0], to[1], to[2], to[3]) = (a, b, c, d)
  }

  /// Copies three neighbouring values. All of them are read before the first one is written, so that the
  /// compiler can combine loads and stores of neighbouring values.
  @inline(__always)
  fileprivate func copyThree(_ source: Int, to target: Int) {
    let (from, to) = (self + source, self + target)
    // SAFETY: the caller's line holds the three values that are read and the three that are written.
    let (a, b, c) = (from[0], from[1], from[2])
    (to[0], to[1], to[2]) = (a, b, c)
  }
}

extension EdgeMode {
  /// Returns channel `c` of the constant colour around the image, rounded and clamped to a value that the
  /// given component type can hold. In edge modes other than `constant`, the result is 0.
  func constant(_ c: Int, of component: PixelFormat.Component) -> Float {
    guard case .constant(let value) = self else { return 0 }
    switch component {
    case .uint8: return UInt8(rounding: value[c]).single
    case .uint16: return UInt16(rounding: value[c]).single
    case .float32: return value[c]
    }
  }

  /// Returns channel `c` of the constant colour around the image, rounded and clamped to a value that images
  /// in `format` can hold. In edge modes other than `constant`, the result is 0.
  package func constant(_ c: Int, in format: PixelFormat) -> Float { constant(c, of: format.component) }
}
