import Blur
import BlurRecords
import BlurText

/// An output image with guard bytes around it. The guard bytes have known values, so a kernel that writes
/// outside the image is detected.
struct GuardedOutput {
  /// The two values that alternate in the guard bytes. Even if a kernel fills guard bytes with one of these
  /// values by mistake, every second byte changes, so the write is detected.
  private static let pattern: [UInt8] = [0xA5, 0x5A]
  /// The smallest number of guard bytes before the image, and also the smallest number after it.
  private static let margin = 4096

  private let isGuarded: Bool
  private let layout: ImageLayout
  private let place: Region
  private var sheet: Image

  /// Allocates an output image.
  ///
  /// - Parameters:
  ///   - layout: The layout of the image.
  ///   - isGuarded: Whether to surround the image with guard bytes, which reveal writes outside the image.
  init(_ layout: ImageLayout, isGuarded: Bool = true) throws(BlurError) {
    // The number of guard rows is a multiple of 64, so the first pixel moves by a multiple of 64 bytes. Its
    // alignment therefore does not depend on whether there are guard rows.
    let rows = isGuarded ? (Self.margin / layout.stride / 64 + 1) * 64 : 0
    self.isGuarded = isGuarded
    self.layout = layout
    place = Region(x: 0, y: rows, width: layout.width, height: layout.height)
    sheet = try Image(
      ImageLayout(layout.format, width: layout.width, height: layout.height + 2 * rows, stride: layout.stride)
    )
    guard isGuarded else { return }
    sheet.withMutableView { view in
      let bytes = UnsafeMutableRawBufferPointer(start: view.base, count: view.layout.byteCount)
      for i in bytes.indices { bytes[i] = Self.pattern[i & 1] }
    }
  }

  /// Calls `body` with a view through which the image can be written.
  mutating func withMutableView(_ body: (MutableImageView) throws(BlurError) -> Void) throws(BlurError) {
    let place = place
    try sheet.withMutableView { (view) throws(BlurError) in try body(view.cropped(to: place)) }
  }

  /// Calls `body` with a view through which the image can be read.
  func withView<R>(_ body: (ImageView) -> R) -> R {
    sheet.withView { view in body(ImageView(view.row(place.y), layout)) }
  }

  /// A description of the first place outside the pixels that was overwritten, such as "3 bytes after its
  /// end", or nil if there is none.
  var strayWrite: String? {
    guard isGuarded else { return nil }
    return sheet.withView { view in
      let bytes = UnsafeRawBufferPointer(start: view.base, count: view.layout.byteCount)
      let first = place.y * layout.stride
      let end = first + layout.byteCount
      for i in bytes.indices where bytes[i] != Self.pattern[i & 1] {
        if i < first { return (first - i).of("byte") + " before its start" }
        if i >= end { return (i - end + 1).of("byte") + " after its end" }
        let column = (i - first) % layout.stride
        if column >= layout.rowBytes { return "in the padding after row \((i - first) / layout.stride)" }
      }
      return nil
    }
  }
}
