import Blur

/// An image at any address, with any stride, in memory whose every other byte is watched.
final class GuardedImage {
  /// The pixels.
  let view: MutableImageView

  private let memory: UnsafeMutableRawBufferPointer
  private let start: Int
  private static let margin = 512

  /// Copies `image` into rows `extraStride` bytes longer, `shift` bytes off the alignment of a vector.
  init(_ image: Image, extraStride: Int, shift: Int) throws(BlurError) {
    let packed = image.layout
    let layout = try ImageLayout(
      packed.format, width: packed.width, height: packed.height, stride: packed.rowBytes + extraStride)
    start = Self.margin + shift
    memory = .allocate(byteCount: start + layout.byteCount + Self.margin, alignment: 64)
    // SAFETY: the memory holds the layout's bytes between two margins.
    view = MutableImageView(memory.start + start, layout)
    for i in memory.indices { memory[i] = Self.canary(i) }
    image.withView { view.copyPixels(of: $0) }
  }

  deinit { memory.deallocate() }

  /// The pixels as an image of their own.
  func image() throws(BlurError) -> Image {
    let layout = view.layout
    var copy = try Image(layout.format, width: layout.width, height: layout.height)
    copy.withMutableView { $0.copyPixels(of: view.readOnly) }
    return copy
  }

  /// The place of the first changed byte outside the pixels, or nil.
  var damage: String? {
    let layout = view.layout
    for i in memory.indices where memory[i] != Self.canary(i) {
      let offset = i - start
      if offset < 0 { return "\(-offset) bytes before the image" }
      if offset >= layout.byteCount { return "\(offset - layout.byteCount) bytes after the image" }
      let inRow = offset % layout.stride
      if inRow >= layout.rowBytes {
        return "byte \(inRow - layout.rowBytes) of the padding of row \(offset / layout.stride)"
      }
    }
    return nil
  }

  /// 0xFF and 0x7F alternating: greatest values; in floats huge, or NaN.
  private static func canary(_ i: Int) -> UInt8 { i % 2 == 0 ? 0xFF : 0x7F }
}
