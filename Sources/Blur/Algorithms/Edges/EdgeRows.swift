/// Gives access to the rows of an image, and to rows above and below the image. The edge mode determines
/// whether such a row is a copy of an image row or has a constant colour.
struct EdgeRows: Sendable {
  private let edge: EdgeMode
  private let height: Int
  private let constantRow: AlignedBuffer?

  /// Prepares access to the rows of images with the given layout.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)`` if the edge mode is `constant`, and there is no memory for a
  ///   row of the constant colour.
  init(_ edge: EdgeMode, layout: ImageLayout) throws(BlurError) {
    self.edge = edge
    height = layout.height
    guard case .constant = edge else {
      constantRow = nil
      return
    }
    let row = try AlignedBuffer(byteCount: layout.rowBytes, zeroed: false)
    for i in 0..<layout.rowComponents {
      let component = edge.constant(i % layout.format.channels, in: layout.format)
      switch layout.format.component {
      case .uint8: row.base.setComponent(i, to: UInt8(rounding: component))
      case .uint16: row.base.setComponent(i, to: UInt16(rounding: component))
      case .float32: row.base.setComponent(i, to: component)
      }
    }
    constantRow = row
  }

  /// Returns the address of row `position`. If this row lies above or below the image, the edge mode
  /// determines which row is used instead.
  @inline(__always)
  func row(at position: Int, of source: ImageView) -> UnsafeRawPointer {
    if let y = edge.index(of: position, count: height) { return source.unsafeRow(y) }
    return UnsafeRawPointer(constantRow!.base)
  }

  /// Writes the addresses of the rows at `positions` to the array `addresses`. For a position above or below
  /// the image, the edge mode determines which row is used instead.
  @inline(__always)
  func put(
    _ positions: Range<Int>, of source: ImageView, in addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    // SAFETY: the caller's array has space for one address per position.
    if positions.lowerBound >= 0 && positions.upperBound <= height {
      // In most calls, all rows lie inside the image, so each address is the previous address plus the
      // stride.
      var address = source.unsafeRow(positions.lowerBound)
      for i in 0..<positions.count {
        addresses[i] = address
        address += source.layout.stride
      }
    } else {
      for i in 0..<positions.count { addresses[i] = row(at: positions.lowerBound + i, of: source) }
    }
  }

  /// Returns the smallest range of image rows that contains all rows needed at `positions`. A position above
  /// or below the image needs the image row that the edge mode copies there.
  func span(of positions: Range<Int>) -> Range<Int> { edge.span(of: positions, count: height) }
}

extension EdgeMode {
  /// Returns the smallest range of pixels that must be stored so that the pixels at all `positions` can be
  /// read. The positions belong to a row or column with `count` pixels. At a position outside the image, the
  /// edge mode repeats a pixel of the image. For example, with the edge mode `clamp`, the positions −2 to 4
  /// need only the pixels 0 to 4. At least one position must be inside the image.
  func span(of positions: Range<Int>, count: Int) -> Range<Int> {
    var span = positions.clamped(to: 0..<count)
    func include(_ outside: Range<Int>) {
      for index in outside.lazy.compactMap({ index(of: $0, count: count) }) {
        span = min(span.lowerBound, index)..<max(span.upperBound, index + 1)
      }
    }
    if positions.lowerBound < 0 { include(positions.lowerBound..<min(0, positions.upperBound)) }
    if positions.upperBound > count { include(max(count, positions.lowerBound)..<positions.upperBound) }
    return span
  }
}
