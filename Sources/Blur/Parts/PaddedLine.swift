/// The layout of a line, which holds one row between the vertical and the horizontal pass of a filter. The
/// line also contains the pixels to the left and to the right of the image, as the edge mode defines them, so
/// that the horizontal pass never has to check where the image ends.
///
/// The line holds the pixels `positions`, in image coordinates. The vertical pass computes only the pixels in
/// `columns`. Every pixel outside the image equals one of these pixels, unless it has the constant colour.
/// The method ``fill(_:constant:)`` copies the pixels to the positions outside the image.
struct PaddedLine: Sendable {
  /// The columns inside the image that the vertical pass must compute.
  let columns: Range<Int>
  /// All pixels that the line holds: the `columns`, and every pixel in the windows of the wanted pixels.
  let positions: Range<Int>
  /// The order of the values in the line.
  let order: SampleLayout
  /// The number of values between the starts of two neighbouring lines. It includes spare space at the end,
  /// because the inner loops may write beyond the last value.
  let stride: Int
  private let channels: Int
  private let ends: EdgeCopies

  /// Creates the layout of a line that holds the pixels `support`, which must contain the windows of all
  /// wanted pixels. `inside` is the range of the image's columns.
  ///
  /// - Parameter order: The order of the values. In every order except `.pixels`, the loops process an even
  ///   pixel and the odd pixel after it together. In these orders, the line begins with an even pixel. The
  ///   computed columns also begin with an even pixel, unless the image itself begins with an odd pixel.
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

  /// Creates the layout of a line for the output pixels `wanted`, for a window with the given radius, and for
  /// an image that is `width` pixels wide.
  init(_ wanted: Range<Int>, radius: Int, width: Int, edge: EdgeMode, channels: Int) {
    self.init(wanted.widened(by: radius), inside: 0..<width, edge: edge, channels: channels)
  }

  /// The index of the first value that belongs to an odd pixel, if the line stores all even pixels before all
  /// odd pixels. In every other order, it is 0.
  var odd: Int {
    guard case .halves(let odd) = order else { return 0 }
    return odd
  }

  /// Returns the number of pixels in the line before the pixel at `position`.
  func offset(of position: Int) -> Int { position - positions.lowerBound }

  /// Returns the index in the line of the value in channel `c` of the pixel at `position`.
  func index(of position: Int, _ c: Int = 0) -> Int { order.index(offset(of: position), c, channels) }

  /// Fills the pixels of the line that lie outside the image. Call this method only after the pixels in
  /// `columns` have been computed.
  ///
  /// - Parameter constant: Returns the value of a channel in the pixel that surrounds the image in the edge
  ///   mode `constant`, converted to the type and the scale of the values in the line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    ends.fill(line, constant: constant)
  }

  /// Fills the pixels of a line that lie outside the image, for filters that process many rows side by side.
  /// In their lines, a pixel consists of `values` values, which are copied together. The layout must have
  /// been created with one channel. `constant` points to the values of the pixel that surrounds the image in
  /// the edge mode `constant`.
  func fill(_ line: UnsafeMutablePointer<Float>, values: Int, constant: UnsafePointer<Float>) {
    ends.fill(line, values: values, constant: constant)
  }
}

extension EdgeMode {
  /// Returns channel `c` of the pixel that surrounds the image in the edge mode `constant`, rounded and
  /// clamped to a value that a component of the given type can hold. Returns 0 in the other edge modes.
  func constant(_ c: Int, of component: PixelFormat.Component) -> Float {
    guard case .constant(let value) = self else { return 0 }
    switch component {
    case .uint8: return UInt8(rounding: value[c]).single
    case .uint16: return UInt16(rounding: value[c]).single
    case .float32: return value[c]
    }
  }

  /// Returns channel `c` of the pixel that surrounds the image in the edge mode `constant`, rounded and
  /// clamped to a value that `format` can hold. Returns 0 in the other edge modes.
  package func constant(_ c: Int, in format: PixelFormat) -> Float { constant(c, of: format.component) }
}
