/// Gives access to the rows of an image, and to the rows above and below the image. The edge mode determines
/// which row appears there: a row of the image, or a row of constant colour.
struct EdgeRows: Sendable {
  private let edge: EdgeMode
  private let height: Int
  private let constantRow: AlignedBuffer?

  /// Prepares access to the rows of images with the given layout.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)`` if there is no memory for the row of constant colour that
  ///   surrounds the image in the edge mode `constant`.
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

  /// Returns the address of the row that appears at `position`. The position is a row number, and may lie
  /// above or below the image, where the edge mode determines the row.
  @inline(__always)
  func row(at position: Int, of source: ImageView) -> UnsafeRawPointer {
    if let y = edge.index(of: position, count: height) { return source.row(y) }
    return UnsafeRawPointer(constantRow!.base)
  }

  /// Writes the addresses of the rows at `positions` to the array `addresses`. A position may lie above or
  /// below the image, where the edge mode determines the row. Each address points `bytes` bytes after the
  /// start of its row.
  @inline(__always)
  func put(
    _ positions: Range<Int>, of source: ImageView, skipping bytes: Int,
    in addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    // SAFETY: the caller's array has space for one address per position, and `bytes` is at most the length of
    // a row.
    if positions.lowerBound >= 0 && positions.upperBound <= height {
      // All rows at `positions` lie inside the image, which is the usual case. Their addresses are equally
      // far apart, so the edge mode is not needed to find them.
      var address = source.row(positions.lowerBound) + bytes
      for i in 0..<positions.count {
        addresses[i] = address
        address += source.layout.stride
      }
    } else {
      for i in 0..<positions.count { addresses[i] = row(at: positions.lowerBound + i, of: source) + bytes }
    }
  }

  /// Returns the smallest range of image rows that is needed to fill the rows at `positions`. Positions above
  /// and below the image are filled with copies of image rows, according to the edge mode.
  func span(of positions: Range<Int>) -> Range<Int> { edge.span(of: positions, count: height) }
}
