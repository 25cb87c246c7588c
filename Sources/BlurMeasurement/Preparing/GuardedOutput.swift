import Blur
import BlurRecords
import BlurText

/// An output image on a larger sheet whose other bytes are known, so that a kernel that writes outside its
/// pixels is found out.
struct GuardedOutput {
  /// Two bytes that take turns: a stray write of either is seen at every other place.
  private static let pattern: [UInt8] = [0xA5, 0x5A]
  /// The least number of guard bytes before and after the image.
  private static let margin = 4096

  private let isGuarded: Bool
  private let layout: ImageLayout
  private let place: Region
  private var sheet: Image

  /// - Parameter isGuarded: whether other bytes are known; without, there is no larger sheet.
  init(_ layout: ImageLayout, isGuarded: Bool = true) throws(BlurError) {
    // A multiple of 64 rows leaves the first pixel as well aligned as that of a tight image.
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

  /// Calls `body` with the image to write.
  mutating func withMutableView(_ body: (MutableImageView) throws(BlurError) -> Void) throws(BlurError) {
    let place = place
    try sheet.withMutableView { (view) throws(BlurError) in try body(view.cropped(to: place)) }
  }

  /// Calls `body` with the image to read.
  func withView<R>(_ body: (ImageView) -> R) -> R {
    sheet.withView { view in body(ImageView(view.row(place.y), layout)) }
  }

  /// Where a byte outside the image's pixels was written first, in words.
  var strayWrite: String? {
    guard isGuarded else { return nil }
    return sheet.withView { view in
      let bytes = UnsafeRawBufferPointer(start: view.base, count: view.layout.byteCount)
      let first = place.y * layout.stride
      let end = first + layout.byteCount
      for i in bytes.indices where bytes[i] != Self.pattern[i & 1] {
        if i < first { return (first - i).of("byte") + " before the image" }
        if i >= end { return (i - end + 1).of("byte") + " after the image" }
        let column = (i - first) % layout.stride
        if column >= layout.rowBytes { return "into the padding after row \((i - first) / layout.stride)" }
      }
      return nil
    }
  }
}
