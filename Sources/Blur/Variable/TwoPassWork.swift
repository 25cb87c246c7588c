/// Blurs in two passes, first along the rows and then along the columns. Each pass uses the sigma of the
/// pixel that it writes.
// SAFETY: all methods run under the lock of the plan.
final class TwoPassWork: VariableWork, @unchecked Sendable {
  private let layout: ImageLayout
  private let mask: Image
  private let edge: EdgeMode
  /// The weights of the window for each value of the mask. The window is symmetric, so only one half is
  /// stored, from the centre outwards.
  private let taps: [[Float]]
  /// For each position that a window can reach, the column or row of the image that is read there. The value
  /// is −1 if the constant pixel of the edge mode is read instead.
  private let columns: [Int], rows: [Int]
  private let radius: Int
  /// The image after the first pass, in single precision.
  private let across: AlignedBuffer

  init(_ layout: ImageLayout, sigma: Double, mask: Image, edge: EdgeMode) throws(BlurError) {
    (self.layout, self.mask, self.edge) = (layout, mask, edge)
    taps = (0...255).map { value in
      GaussianTaps(sigma: sigma * Double(value) / 255, for: layout.format).half.map { Float($0) }
    }
    let radius = taps[255].count - 1
    self.radius = radius
    columns = (-radius..<layout.width + radius).map { edge.index(of: $0, count: layout.width) ?? -1 }
    rows = (-radius..<layout.height + radius).map { edge.index(of: $0, count: layout.height) ?? -1 }
    across = try AlignedBuffer(
      byteCount: layout.width * layout.height * layout.format.channels * 4, zeroed: false)
  }

  func run(_ source: ImageView, _ target: MutableImageView) -> BlurError? {
    switch layout.format.component {
    case .uint8: blur(source, target, UInt8.self)
    case .uint16: blur(source, target, UInt16.self)
    case .float32: blur(source, target, Float.self)
    }
    return nil
  }

  @inline(__always)
  private func blur<C: PixelComponent>(_ source: ImageView, _ target: MutableImageView, _ type: C.Type) {
    let channels = layout.format.channels
    let pitch = layout.width * channels
    let between = across.base
    for y in 0..<layout.height {
      let row = source.unsafeRow(y)
      forEachPixel(of: y) { x, half in
        for c in 0..<channels {
          let constant = edge.constant(c, in: layout.format)
          let sum = weighted(half, columns, x) { column in
            column < 0 ? constant : row.component(column * channels + c, as: type).single
          }
          between.setComponent(y * pitch + x * channels + c, to: sum)
        }
      }
    }
    for y in 0..<layout.height {
      let to = target.unsafeRow(y)
      forEachPixel(of: y) { x, half in
        for c in 0..<channels {
          let constant = edge.constant(c, in: layout.format)
          let sum = weighted(half, rows, y) { row in
            row < 0
              ? constant
              : UnsafeRawPointer(between).component(row * pitch + x * channels + c, as: Float.self)
          }
          to.setComponent(x * channels + c, to: C(rounding: sum))
        }
      }
    }
  }

  /// Calls `body` for each pixel of row `y`. `body` gets the column of the pixel and one half of the
  /// symmetric window for the sigma of this pixel.
  @inline(__always)
  private func forEachPixel(of y: Int, _ body: (Int, [Float]) -> Void) {
    mask.withView { mask in
      for x in 0..<layout.width { body(x, taps[Int(mask.unsafeRow(y).component(x, as: UInt8.self))]) }
    }
  }

  /// Returns the sum of the values around position `centre`, weighted by the symmetric window whose right
  /// half is `half`.
  @inline(__always)
  private func weighted(
    _ half: [Float], _ positions: [Int], _ centre: Int, _ value: (Int) -> Float
  ) -> Float {
    var sum = half[0] * value(positions[centre + radius])
    for i in 1..<max(1, half.count) {
      sum += half[i] * (value(positions[centre + radius - i]) + value(positions[centre + radius + i]))
    }
    return sum
  }
}
