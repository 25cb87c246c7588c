/// The memory layout of a line. A line is one row of the image that has been blurred vertically and is going
/// to be blurred horizontally, with some additional pixels to its left and right. These pixels are outside
/// the image, and the edge mode gives their values. Because of them, the horizontal blur never has to check
/// where the image ends.
///
/// The vertical blur computes the pixels in `columns`. Then ``fill(_:constant:)`` sets the pixels outside the
/// image to copies of these, or to the constant colour.
///
/// Pyramids use the same layout for the rows of their smaller images.
struct PaddedLine: Sendable {
  /// The image columns that the vertical blur must compute. Afterwards, some of these pixels are copied to
  /// the places to the left and to the right of the image.
  let columns: Range<Int>
  /// The positions of all pixels for which the line has space. A position is a column number of the image.
  /// Positions to the left of the image are negative.
  let positions: Range<Int>
  /// The order in which the line stores its pixels and their channels.
  let order: SampleLayout
  /// The number of values from the start of one line to the start of the next. It includes some unused space
  /// at the end of each line, because the inner loops may write beyond the last value.
  let stride: Int
  private let channels: Int
  private let ends: EdgeCopies

  /// Creates the layout of a line with space for the pixels at the positions `support`, which are those that
  /// the horizontal blur reads.
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

  /// The index of the first value of an odd pixel, if the line stores all even pixels first and then all odd
  /// pixels. In every other order, it is 0.
  var odd: Int {
    guard case .halves(let odd) = order else { return 0 }
    return odd
  }

  /// Returns how many pixels of the line are stored before the pixel at `position`. A position is a column
  /// number of the image, and can be negative.
  func offset(of position: Int) -> Int { position - positions.lowerBound }

  /// Returns the index at which the line stores channel `c` of the pixel at `position`. A position is a
  /// column number of the image, and can be negative.
  func index(of position: Int, _ c: Int = 0) -> Int { order.index(offset(of: position), c, channels) }

  /// Sets the pixels to the left and to the right of the image to the values that the edge mode gives them.
  /// The pixels in `columns` must have been computed before, because they are copied.
  ///
  /// - Parameter constant: A function that returns a channel of the constant colour for the edge mode
  ///   `constant`. Its result must have the type and the scale of the values in the line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    ends.fill(line, constant: constant)
  }

  /// Sets the pixels to the left and to the right of the image in a line that holds several rows at once. In
  /// such a line, the values of all rows in a column are next to each other, and are copied together.
  ///
  /// - Parameters:
  ///   - values: The number of values in each column. The layout must have been created with one channel.
  ///   - constant: The values of a column outside the image in the edge mode `constant`. There are `values`
  ///     of them.
  func fill(_ line: UnsafeMutablePointer<Float>, values: Int, constant: UnsafePointer<Float>) {
    ends.fill(line, values: values, constant: constant)
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
