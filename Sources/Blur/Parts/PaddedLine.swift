/// One row of intermediate values, continued to the left and right as the edge mode says, so that the
/// horizontal pass never asks where the image ends.
///
/// The line holds the pixels `positions`, in image coordinates. The vertical pass computes those in
/// `columns`, all that stand at any of them; ``fill(_:constant:)`` copies them to the positions outside the
/// image.
struct PaddedLine: Sendable {
  /// Columns inside the image that must be computed.
  let columns: Range<Int>
  /// All pixels of the line: `columns` and the windows of the wanted pixels.
  let positions: Range<Int>
  /// The order of the values.
  let order: SampleLayout
  /// Values from one line to the next, with room for what filters' loops write beyond.
  let stride: Int
  private let channels: Int
  private let ends: EdgeCopies

  /// A line for the windows that cover the pixels `support`, of an image with the columns `inside`.
  ///
  /// - Parameter order: where pixels are taken in pairs, the line begins with an even one, and so does its
  ///   computed part unless the image itself begins with an odd one.
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

  /// A line for the output pixels `wanted` of rows of `width` pixels and a window of `radius`.
  init(_ wanted: Range<Int>, radius: Int, width: Int, edge: EdgeMode, channels: Int) {
    self.init(wanted.widened(by: radius), inside: 0..<width, edge: edge, channels: channels)
  }

  /// The value at which odd pixels begin, where they are apart from the even ones.
  var odd: Int {
    guard case .halves(let odd) = order else { return 0 }
    return odd
  }

  /// The index of the pixel at `position` in a line.
  func offset(of position: Int) -> Int { position - positions.lowerBound }

  /// The index of channel `c` of the pixel at `position`.
  func index(of position: Int, _ c: Int = 0) -> Int { order.index(offset(of: position), c, channels) }

  /// Fills the pixels outside the image of a line whose `columns` are computed.
  ///
  /// - Parameter constant: channel c of the constant pixel, as it stands in a line.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(_ line: UnsafeMutablePointer<Value>, constant: (Int) -> Value) {
    ends.fill(line, constant: constant)
  }

  /// The same for a line of one channel whose pixels have many values, which are copied whole, those of the
  /// constant from `constant`.
  func fill(_ line: UnsafeMutablePointer<Float>, values: Int, constant: UnsafePointer<Float>) {
    ends.fill(line, values: values, constant: constant)
  }
}

extension EdgeMode {
  /// Channel `c` of the constant pixel as components of that type store it.
  func constant(_ c: Int, of component: PixelFormat.Component) -> Float {
    guard case .constant(let value) = self else { return 0 }
    switch component {
    case .uint8: return UInt8(rounding: value[c]).single
    case .uint16: return UInt16(rounding: value[c]).single
    case .float32: return value[c]
    }
  }

  /// Channel `c` of the constant pixel as `format` stores it.
  package func constant(_ c: Int, in format: PixelFormat) -> Float { constant(c, of: format.component) }
}
