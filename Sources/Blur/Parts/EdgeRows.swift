/// The rows of an image continued above and below, as the edge mode says.
struct EdgeRows: Sendable {
  private let edge: EdgeMode
  private let height: Int
  private let constantRow: AlignedBuffer?

  /// - Throws: ``BlurError/outOfMemory(bytes:)`` when the row of the constant mode cannot be made.
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

  /// The row that stands at `position`, which may be outside the image.
  @inline(__always)
  func row(at position: Int, of source: ImageView) -> UnsafeRawPointer {
    if let y = edge.index(of: position, count: height) { return source.row(y) }
    return UnsafeRawPointer(constantRow!.base)
  }

  /// Puts the addresses of the rows at `positions`, each `bytes` bytes further on, in `addresses`.
  @inline(__always)
  func put(
    _ positions: Range<Int>, of source: ImageView, skipping bytes: Int,
    in addresses: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    // SAFETY: the caller has room for all, and rows that are skipped no further than they are long.
    if positions.lowerBound >= 0 && positions.upperBound <= height {
      // Nearly always: no edge is near.
      var address = source.row(positions.lowerBound) + bytes
      for i in 0..<positions.count {
        addresses[i] = address
        address += source.layout.stride
      }
    } else {
      for i in 0..<positions.count { addresses[i] = row(at: positions.lowerBound + i, of: source) + bytes }
    }
  }

  /// The image's rows, from the first to the last, that stand at `positions`.
  func span(of positions: Range<Int>) -> Range<Int> { edge.span(of: positions, count: height) }
}
