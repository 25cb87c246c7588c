import Blur
import BlurText

/// An image at any address and with any stride, surrounded by guard bytes that reveal writes outside the
/// pixels.
final class GuardedImage {
  /// A view of the pixels.
  let view: MutableImageView

  private let rows: NamedRows
  private let memory: UnsafeMutableRawBufferPointer
  private let start: Int
  private static let margin = 512

  /// Copies `image` into guarded memory.
  ///
  /// - Parameters:
  ///   - extraStride: The number of padding bytes after each row.
  ///   - shift: The distance in bytes of the first pixel from an address that is aligned to 64.
  ///   - kind: Whether the kernel reads the image or writes it, for messages about memory faults.
  init(
    _ image: Image, extraStride: Int, shift: Int, as kind: UnreadableRows = .destination
  ) throws(BlurError) {
    let packed = image.layout
    let layout = try ImageLayout(
      packed.format, width: packed.width, height: packed.height, stride: packed.rowBytes + extraStride)
    start = Self.margin + shift
    memory = .allocate(byteCount: start + layout.byteCount + Self.margin, alignment: 64)
    // SAFETY: the memory holds the `byteCount` bytes of the layout between a margin before and a margin after
    // them.
    view = MutableImageView(memory.start + start, layout)
    rows = NamedRows(view.readOnly, as: kind)
    for i in memory.indices { memory[i] = Self.canary(i) }
    image.withView { view.copyPixels(of: $0) }
  }

  deinit { memory.deallocate() }

  /// Returns a copy of the pixels as a separate image.
  func image() throws(BlurError) -> Image {
    let layout = view.layout
    var copy = try Image(layout.format, width: layout.width, height: layout.height)
    copy.withMutableView { $0.copyPixels(of: view.readOnly) }
    return copy
  }

  /// A description of the first guard byte that has been changed, such as "byte 3 of the padding of row 7",
  /// or nil if no guard byte has changed.
  var damage: String? {
    let layout = view.layout
    if let i = changed(in: 0..<start) {
      return "an address " + (start - i).of("byte") + " before the image"
    }
    // Inside the image, only the padding between the rows is searched for changed guard bytes. Searching all
    // bytes of a large image would take long.
    for y in 0..<layout.height - 1 {
      let (end, next) = (start + y * layout.stride + layout.rowBytes, start + (y + 1) * layout.stride)
      if let i = changed(in: end..<next) { return "byte \(i - end) of the padding of row \(y)" }
    }
    let end = start + layout.byteCount
    return changed(in: end..<memory.count).map {
      "an address " + ($0 - end + 1).of("byte") + " after the image"
    }
  }

  private func changed(in bytes: Range<Int>) -> Int? { bytes.first { memory[$0] != Self.canary($0) } }

  /// Returns the guard byte at offset `i`. The bytes alternate between 0xFF and 0x7F. A kernel that reads
  /// them gets large numbers in integer formats, and huge numbers or NaN in float formats.
  private static func canary(_ i: Int) -> UInt8 { i % 2 == 0 ? 0xFF : 0x7F }
}
