/// A 64-bit hash: FNV-1a on words of eight bytes. Not against forgery.
package struct FNV1a {
  private static let prime: UInt64 = 0x0000_0100_0000_01b3
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The hash of nothing.
  package init() {}

  /// The hash of text.
  package init(of text: String) {
    self.init()
    Array(text.utf8).withUnsafeBytes { add($0) }
  }

  /// Goes on with these bytes. How they are divided among calls matters.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let words = bytes.count / 8
    for i in 0..<words {
      hash = (hash ^ bytes.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self)) &* Self.prime
      // A product's high half never reaches its low half by itself.
      hash ^= hash >> 32
    }
    for byte in bytes[(words * 8)...] { hash = (hash ^ UInt64(byte)) &* Self.prime }
  }

  /// 16 hexadecimal digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
