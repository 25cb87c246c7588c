/// An image at an arbitrary address and with an arbitrary stride, surrounded by guard bytes that reveal
/// writes outside the pixels. There are guard bytes before the first row, after the last row and in the
/// padding between rows.
package final class GuardedImage {
  /// A view of the pixels. It is valid as long as this object lives.
  package let view: MutableImageView

  private let memory: AlignedBuffer
  private let start: Int
  private let isGuarded: Bool

  /// Allocates an image. Its pixels have arbitrary values.
  ///
  /// - Parameters:
  ///   - shift: The number of bytes by which the first pixel is moved away from a 64-byte boundary.
  ///   - margin: The number of guard bytes on each side of the image, not counting the `shift` bytes before
  ///     it. It must be a multiple of 64. If it is 0, there are no guard bytes, not even between rows.
  package init(_ layout: ImageLayout, shift: Int = 0, margin: Int = 512) throws(BlurError) {
    start = margin + shift
    isGuarded = margin > 0
    memory = try AlignedBuffer(byteCount: start + layout.byteCount + margin, zeroed: !isGuarded)
    // SAFETY: the memory holds `start` bytes, then the `byteCount` bytes of the layout, and then the margin.
    view = MutableImageView(memory.base + start, layout)
    guard isGuarded else { return }
    // SAFETY: the memory holds `memory.byteCount` bytes.
    let bytes = UnsafeMutableRawBufferPointer(start: memory.base, count: memory.byteCount)
    for i in bytes.indices { bytes[i] = Self.canary(i) }
  }

  /// A description of the first guard byte that has been changed, such as "3 bytes after its end", or nil if
  /// no guard byte has changed.
  package var damage: String? {
    guard isGuarded else { return nil }
    let layout = view.layout
    if let i = changed(in: 0..<start) { return Self.bytes(start - i) + " before its start" }
    // Inside the image, only the padding between the rows is searched for changed guard bytes. Searching all
    // bytes of a large image would take too long.
    for y in 0..<layout.height - 1 {
      let (end, next) = (start + y * layout.stride + layout.rowBytes, start + (y + 1) * layout.stride)
      if let i = changed(in: end..<next) { return "byte \(i - end) of the padding after row \(y)" }
    }
    let end = start + layout.byteCount
    return changed(in: end..<memory.byteCount).map { Self.bytes($0 - end + 1) + " after its end" }
  }

  private func changed(in places: Range<Int>) -> Int? {
    // SAFETY: the memory holds `memory.byteCount` bytes, and `places` lies inside this range.
    let bytes = UnsafeRawBufferPointer(start: memory.base, count: memory.byteCount)
    return places.first { bytes[$0] != Self.canary($0) }
  }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  /// Returns the guard byte at offset `i`. The bytes alternate between 0xFF and 0x7F. A kernel that reads
  /// them gets large numbers in integer formats, and huge numbers or NaN in float formats. Even if a kernel
  /// overwrites the guard bytes with one of these two values, every second byte changes.
  private static func canary(_ i: Int) -> UInt8 { i % 2 == 0 ? 0xFF : 0x7F }
}
