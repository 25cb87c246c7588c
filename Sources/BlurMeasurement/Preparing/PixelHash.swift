import Blur
import BlurRecords

extension ImageView {
  /// A 64-bit hash of the pixels as 16 hexadecimal digits, which shows whether two outputs differ. The
  /// padding between rows is not hashed. The hash is not cryptographic.
  public var pixelHash: String {
    var hash = FNV1a()
    for y in 0..<layout.height {
      // SAFETY: each row of a view holds `rowBytes` bytes, and `y` is less than the number of rows.
      hash.add(UnsafeRawBufferPointer(start: unsafeRow(y), count: layout.rowBytes))
    }
    return hash.digits
  }
}

extension Image {
  /// A 64-bit hash of the pixels (see ``Blur/ImageView/pixelHash``).
  public var pixelHash: String { withView { $0.pixelHash } }
}
