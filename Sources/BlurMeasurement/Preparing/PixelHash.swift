import Blur
import BlurRecords

/// A 64-bit hash that tells outputs apart. Not against forgery.
public enum PixelHash {
  /// The hash of the pixels, as 16 hexadecimal digits; padding is left out.
  public static func of(_ view: ImageView) -> String {
    var hash = FNV1a()
    for y in 0..<view.layout.height {
      // SAFETY: each row holds `rowBytes` bytes.
      hash.add(UnsafeRawBufferPointer(start: view.row(y), count: view.layout.rowBytes))
    }
    return hash.digits
  }

  /// The hash of an image's pixels.
  public static func of(_ image: Image) -> String { image.withView { of($0) } }
}
