/// One row of intermediate values, continued to the left and right as the edge mode says, so that the
/// horizontal pass never asks where the image ends.
///
/// The line holds the pixels `positions`, in image coordinates. The vertical pass computes those in
/// `columns`; ``fill(_:channels:constant:)`` copies them to the positions outside the image.
struct PaddedLine: Sendable {
  /// Columns inside the image that must be computed.
  let columns: Range<Int>
  /// All pixels of the line: `columns` and what the windows of the wanted pixels reach.
  let positions: Range<Int>
  /// Positions outside the image and the column that stands there, or −1 for the constant.
  private let outside: [(position: Int32, column: Int32)]

  /// A line for the output pixels `wanted` of rows of `width` pixels and a window of `radius`.
  init(_ wanted: Range<Int>, radius: Int, width: Int, edge: EdgeMode) {
    let reach = wanted.lowerBound - radius..<wanted.upperBound + radius
    let inside = 0..<width
    columns = inside.contains(reach) ? reach : inside
    positions = min(reach.lowerBound, columns.lowerBound)..<max(reach.upperBound, columns.upperBound)
    outside = reach.filter { !inside.contains($0) }.map { position in
      (Int32(position), Int32(edge.index(of: position, count: width) ?? -1))
    }
  }

  /// The index of the pixel at `position` in a line.
  func offset(of position: Int) -> Int { position - positions.lowerBound }

  /// Fills the pixels outside the image of a line whose `columns` are computed.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(
    _ line: UnsafeMutablePointer<Value>, channels: Int, constant: (Int) -> Value
  ) {
    for (position, column) in outside {
      let target = offset(of: Int(position)) * channels
      let source = offset(of: Int(column)) * channels
      for c in 0..<channels {
        // SAFETY: `positions` covers both pixels, and the line holds `positions.count` pixels.
        line[target + c] = column < 0 ? constant(c) : line[source + c]
      }
    }
  }
}

extension EdgeMode {
  /// Channel `c` of the constant pixel as `format` stores it.
  func constant(_ c: Int, in format: PixelFormat) -> Float {
    guard case .constant(let value) = self else { return 0 }
    switch format.component {
    case .uint8: return UInt8(rounding: value[c]).single
    case .uint16: return UInt16(rounding: value[c]).single
    case .float32: return value[c]
    }
  }
}
