import Blur

/// A 64-bit hash that tells outputs apart: FNV-1a on words of eight bytes. Not against forgery.
enum PixelHash {
  private static let start: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x0000_0100_0000_01b3

  /// The hash of the pixels, as 16 hexadecimal digits; padding is left out.
  static func of(_ view: ImageView) -> String {
    var hash = start
    for y in 0..<view.layout.height {
      // SAFETY: each row holds `rowBytes` bytes.
      add(UnsafeRawBufferPointer(start: view.row(y), count: view.layout.rowBytes), to: &hash)
    }
    return digits(hash)
  }

  /// The hash of an image's pixels.
  static func of(_ image: Image) -> String { image.withView { of($0) } }

  /// The hash of text, as 16 hexadecimal digits.
  static func of(text: String) -> String {
    var hash = start
    Array(text.utf8).withUnsafeBytes { add($0, to: &hash) }
    return digits(hash)
  }

  private static func add(_ bytes: UnsafeRawBufferPointer, to hash: inout UInt64) {
    let words = bytes.count / 8
    for i in 0..<words {
      hash = (hash ^ bytes.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self)) &* prime
      // A product's high half never reaches its low half by itself.
      hash ^= hash >> 32
    }
    for byte in bytes[(words * 8)...] { hash = (hash ^ UInt64(byte)) &* prime }
  }

  private static func digits(_ hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
