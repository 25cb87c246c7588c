import Blur
import BlurRecords

/// A 64-bit hash that tells different outputs apart. The hash is not cryptographic, so it gives no protection
/// against forgery.
public enum PixelHash {
  /// Returns the hash of the pixels as 16 hexadecimal digits. The padding between rows is not hashed.
  public static func of(_ view: ImageView) -> String {
    var hash = FNV1a()
    for y in 0..<view.layout.height {
      // SAFETY: each row of a view holds `rowBytes` bytes, and `y` is less than the number of rows.
      hash.add(UnsafeRawBufferPointer(start: view.row(y), count: view.layout.rowBytes))
    }
    return hash.digits
  }

  /// Returns the hash of an image's pixels as 16 hexadecimal digits.
  public static func of(_ image: Image) -> String { image.withView { of($0) } }
}
