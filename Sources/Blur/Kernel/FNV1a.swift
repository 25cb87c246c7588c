/// A 64-bit FNV-1a hash that processes eight bytes at a time. It detects accidental changes to the data, but
/// it does not protect against forgery.
package struct FNV1a {
  private static let prime: UInt64 = 0x0000_0100_0000_01b3
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates the hash of an empty input.
  package init() {}

  /// Creates the hash of a string's UTF-8 bytes.
  package init(of text: String) {
    self.init()
    Array(text.utf8).withUnsafeBytes { add($0) }
  }

  /// Adds bytes to the hash. If data is added in several calls, the number of bytes in every call except the
  /// last must be a multiple of 8. Otherwise, the hash differs from the hash of adding all data in one call.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let words = bytes.count / 8
    for i in 0..<words {
      hash = (hash ^ bytes.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self)) &* Self.prime
      // The multiplication carries bits only upwards: the lower half of the product does not depend on the
      // upper half of the hash. This line mixes the upper half into the lower half.
      hash ^= hash >> 32
    }
    for byte in bytes[(words * 8)...] { hash = (hash ^ UInt64(byte)) &* Self.prime }
  }

  /// The hash as 16 hexadecimal digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
