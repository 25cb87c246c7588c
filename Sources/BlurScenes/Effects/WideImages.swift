import Blur
import Synchronization

/// Memory for two 16-bit images: a copy of the screen, and the blurred copy. Several plans share this memory,
/// so they must never blur at the same time. Each image is large enough for the plan that needs the most
/// memory. If all plans work on bytes, no memory is allocated.
final class WideImages: Sendable {
  /// The 16-bit copy of the screen (`source`), and the blurred copy (`blurred`). To avoid deadlocks, `source`
  /// is always locked first.
  private let source = Mutex<Image?>(nil), blurred = Mutex<Image?>(nil)

  /// The number of bytes that are currently allocated for the two images.
  var byteCount: Int {
    source.withLock { $0?.byteCount ?? 0 } + blurred.withLock { $0?.byteCount ?? 0 }
  }

  /// Enlarges the two images if they are too small for a plan. The first image must hold all pixels that the
  /// plan reads, and the second image must hold all pixels that the plan writes.
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

  /// Converts rgba8 pixels to rgba16, and blurs them. `source` holds exactly the pixels that the plan reads.
  /// Each range of rows is passed to `epilogue` immediately after it has been blurred.
  ///
  /// - Precondition: ``reserve(_:)`` was called for the plan.
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

  /// Converts bytes to 16-bit components. Each byte v becomes 257 · v, so 255 becomes 65535.
  private static func widen(_ source: ImageView, into wide: MutableImageView) {
    for y in 0..<source.layout.height {
      // SAFETY: both views have the same size, and a row has 4 · width components. The loop reads one byte
      // and writes one 16-bit value for each of them.
      let from = source.unsafeRow(y).assumingMemoryBound(to: UInt8.self)
      let to = wide.unsafeRow(y).assumingMemoryBound(to: UInt16.self)
      for i in 0..<4 * source.layout.width { to[i] = UInt16(from[i]) &* 257 }
    }
  }
}
