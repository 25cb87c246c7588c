import Blur
import BlurText

/// An image at any address, with any stride, in memory whose every other byte is watched.
final class GuardedImage {
  /// The pixels.
  let view: MutableImageView

  private let rows: NamedRows
  private let memory: UnsafeMutableRawBufferPointer
  private let start: Int
  private static let margin = 512

  /// Copies `image` into rows `extraStride` bytes longer, `shift` bytes off the alignment of a vector.
  init(
    _ image: Image, extraStride: Int, shift: Int, as kind: UnreadableRows = .destination
  ) throws(BlurError) {
    let packed = image.layout
    let layout = try ImageLayout(
      packed.format, width: packed.width, height: packed.height, stride: packed.rowBytes + extraStride)
    start = Self.margin + shift
    memory = .allocate(byteCount: start + layout.byteCount + Self.margin, alignment: 64)
    // SAFETY: the memory holds the layout's bytes between two margins.
    view = MutableImageView(memory.start + start, layout)
    rows = NamedRows(view.readOnly, as: kind)
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
    if let i = changed(in: 0..<start) { return (start - i).of("byte") + " before the image" }
    // A large image takes long to look through: of its rows, only what is between them.
    for y in 0..<layout.height - 1 {
      let (end, next) = (start + y * layout.stride + layout.rowBytes, start + (y + 1) * layout.stride)
      if let i = changed(in: end..<next) { return "byte \(i - end) of the padding of row \(y)" }
    }
    let end = start + layout.byteCount
    return changed(in: end..<memory.count).map { ($0 - end + 1).of("byte") + " after the image" }
  }

  private func changed(in bytes: Range<Int>) -> Int? { bytes.first { memory[$0] != Self.canary($0) } }

  /// 0xFF and 0x7F alternating: greatest values; in floats huge, or NaN.
  private static func canary(_ i: Int) -> UInt8 { i % 2 == 0 ? 0xFF : 0x7F }
}
