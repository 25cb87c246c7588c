/// One row of intermediate values, continued to the left and right as the edge mode says, so that the
/// horizontal pass never asks where the image ends.
///
/// The line holds the pixels `positions`, in image coordinates. The vertical pass computes those in
/// `columns`, all that stand at any of them; ``fill(_:_:channels:constant:)`` copies them to the positions outside the image.
struct PaddedLine: Sendable {
  /// Columns inside the image that must be computed.
  let columns: Range<Int>
  /// All pixels of the line: `columns` and what the windows of the wanted pixels reach.
  let positions: Range<Int>
  /// Positions outside the image and the column that stands there, or −1 for the constant, counted from
  /// `positions`' first.
  private let outside: [(position: Int32, column: Int32)]

  /// A line for the windows that cover the pixels `support`, of an image with the columns `inside`.
  ///
  /// - Parameter pairs: whether pixels are taken in pairs: then the line begins with an even pixel, and so
  ///   does its computed part unless the image itself begins with an odd one.
  init(_ support: Range<Int>, inside: Range<Int>, edge: EdgeMode, pairs: Bool) {
    let start = inside.lowerBound
    let span = edge.span(of: support.lowerBound - start..<support.upperBound - start, count: inside.count)
    var needed = start + span.lowerBound..<start + span.upperBound
    var first = min(support.lowerBound, needed.lowerBound)
    if pairs {
      needed = max(needed.lowerBound & ~1, inside.lowerBound)..<needed.upperBound
      first = min(first, needed.lowerBound) & ~1
    }
    columns = needed
    positions = first..<max(support.upperBound, needed.upperBound)
    outside = support.filter { !inside.contains($0) }.map { position in
      let column = edge.index(of: position - start, count: inside.count)
      return (Int32(position - first), column.map { Int32($0 + start - first) } ?? -1)
    }
  }

  /// A line for the output pixels `wanted` of rows of `width` pixels and a window of `radius`.
  init(_ wanted: Range<Int>, radius: Int, width: Int, edge: EdgeMode) {
    self.init(wanted.widened(by: radius), inside: 0..<width, edge: edge, pairs: false)
  }

  /// The index of the pixel at `position` in a line.
  func offset(of position: Int) -> Int { position - positions.lowerBound }

  /// Fills the pixels outside the image of a line whose `columns` are computed.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(
    _ line: UnsafeMutablePointer<Value>, _ order: LineOrder = .pixels, channels: Int,
    constant: (Int) -> Value
  ) {
    // SAFETY: `positions` covers both pixels of each pair, and the line holds `positions.count` pixels.
    if isConstant {
      for c in 0..<channels {
        let value = constant(c)
        for (position, _) in outside { line[order.index(Int(position), c, channels)] = value }
      }
    } else if channels == 1, order == .pixels || order == .pairs {
      for (position, column) in outside { line[Int(position)] = line[Int(column)] }
    } else {
      for (position, column) in outside {
        for c in 0..<channels {
          line[order.index(Int(position), c, channels)] = line[order.index(Int(column), c, channels)]
        }
      }
    }
  }

  /// The same for pixels of many values, which are copied whole, that of the constant from `constant`.
  func fill(_ line: UnsafeMutablePointer<Float>, values: Int, constant: UnsafePointer<Float>) {
    for (position, column) in outside {
      // SAFETY: as above; `constant` holds a pixel.
      let source = isConstant ? constant : UnsafePointer(line + Int(column) * values)
      (line + Int(position) * values).update(from: source, count: values)
    }
  }

  /// Whether a constant stands outside of the image.
  private var isConstant: Bool { outside.first.map { $0.column < 0 } ?? false }
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
  func constant(_ c: Int, in format: PixelFormat) -> Float { constant(c, of: format.component) }
}
