import Blur
import Synchronization

/// A screen and its blur in 16 bits, for plans that blur in turn: as large as the largest of them needs, and
/// empty where all work on bytes.
final class WideImages: Sendable {
  /// Locked in this order.
  private let source = Mutex<Image?>(nil), blurred = Mutex<Image?>(nil)

  /// Bytes that it holds.
  var byteCount: Int {
    source.withLock { $0?.byteCount ?? 0 } + blurred.withLock { $0?.byteCount ?? 0 }
  }

  /// Grows to what a plan needs: what it reads, and what it makes.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  func reserve(_ plan: BlurPlan) throws(BlurError) {
    try source.withLock { (image) throws(BlurError) in try Self.grow(&image, to: plan.reads) }
    try blurred.withLock { (image) throws(BlurError) in try Self.grow(&image, to: plan.region) }
  }

  private static func grow(_ image: inout Image?, to region: Region) throws(BlurError) {
    let layout = try layout(region)
    if (image?.byteCount ?? 0) < layout.byteCount { image = try Image(layout) }
  }

  private static func layout(_ region: Region) throws(BlurError) -> ImageLayout {
    try ImageLayout(.rgba16, width: region.width, height: region.height)
  }

  /// Blurs the pixels in rgba8 that a plan for rgba16 reads; the epilogue is given the rows of the result.
  ///
  /// - Precondition: there is room for the plan.
  func blur(
    _ source: ImageView, by plan: BlurPlan, _ epilogue: any RowEpilogue
  ) throws(BlurError) {
    let (read, made) = (try Self.layout(plan.reads), try Self.layout(plan.region))
    try self.source.withLock { (wide) throws(BlurError) in
      wide?.become(read)
      try wide?.withMutableView { (wide) throws(BlurError) in
        Self.widen(source, into: wide)
        try blurred.withLock { (blurred) throws(BlurError) in
          blurred?.become(made)
          try blurred?.withMutableView { (blurred) throws(BlurError) in
            try plan.blur(tile: wide.readOnly, into: blurred, epilogue: epilogue)
          }
        }
      }
    }
  }

  /// Each byte v becomes 257 v: 255 becomes 65535.
  private static func widen(_ source: ImageView, into wide: MutableImageView) {
    for y in 0..<source.layout.height {
      // SAFETY: both have this size; one has bytes, the other 16-bit components.
      let from = source.row(y).assumingMemoryBound(to: UInt8.self)
      let to = wide.row(y).assumingMemoryBound(to: UInt16.self)
      for i in 0..<4 * source.layout.width { to[i] = UInt16(from[i]) &* 257 }
    }
  }
}
