/// Describes how a line is stored: one image row that has been blurred vertically and is going to be blurred
/// horizontally. The line has additional pixels to the left and to the right of the image, as the edge mode
/// defines them. So the horizontal blur never has to check where the image ends.
///
/// The vertical blur computes only the pixels in `columns`. After that, ``fill(_:constant:)`` fills the
/// pixels outside the image that the horizontal blur needs. Each of them becomes a copy of a computed pixel,
/// or gets the constant colour.
///
/// Pyramids use lines for their smaller versions of the image, too. The smaller version then takes the place
/// of the image.
struct PaddedLine: Sendable {
  /// The image columns that the vertical blur must compute. The pixels of the line outside the image are
  /// later filled with copies of them, or with the constant colour.
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

  /// Creates the layout of a line that holds at least the pixels at the positions `support`. The horizontal
  /// blur reads only pixels at these positions.
  ///
  /// - Parameters:
  ///   - inside: The columns of the image.
  ///   - order: The order in which the values are stored. In every order except `.pixels`, an even pixel and
  ///     the odd pixel after it are processed together. The range ``positions`` then begins with an even
  ///     number. The range ``columns`` begins with an even number, too, unless this number would lie before
  ///     `inside`.
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

  /// Creates the layout of a line from which the pixels in the columns `wanted` can be blurred horizontally.
  /// To blur a pixel, the filter reads `radius` pixels to its left and to its right. The image is `width`
  /// pixels wide.
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

  /// Fills the pixels to the left and to the right of the image, as the edge mode defines them. The pixels in
  /// `columns` must have been computed before, because they are copied.
  ///
  /// - Parameter constant: Returns the given channel of the constant colour that surrounds the image in the
  ///   edge mode `constant`. The result must have the type and the scale of the values in the line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    ends.fill(line, constant: constant)
  }

  /// Fills the pixels to the left and to the right of the image in a line that holds several rows. For each
  /// column, such a line stores the values of all rows next to each other. There are `values` of them, and
  /// they are copied together.
  ///
  /// - Parameters:
  ///   - values: The number of values in each column. The layout must have been created with one channel.
  ///   - constant: The address of `values` values for a column that has the constant colour.
  func fill(_ line: UnsafeMutablePointer<Float>, values: Int, constant: UnsafePointer<Float>) {
    ends.fill(line, values: values, constant: constant)
  }
}

extension EdgeMode {
  /// Returns channel `c` of the constant colour that surrounds the image in the edge mode `constant`. The
  /// value is rounded and clamped to one that a component of the given type can hold. In the other edge
  /// modes, the result is 0.
  func constant(_ c: Int, of component: PixelFormat.Component) -> Float {
    guard case .constant(let value) = self else { return 0 }
    switch component {
    case .uint8: return UInt8(rounding: value[c]).single
    case .uint16: return UInt16(rounding: value[c]).single
    case .float32: return value[c]
    }
  }

  /// Returns channel `c` of the constant colour that surrounds the image in the edge mode `constant`. The
  /// value is rounded and clamped to one that images in `format` can hold. In the other edge modes, the
  /// result is 0.
  package func constant(_ c: Int, in format: PixelFormat) -> Float { constant(c, of: format.component) }
}
