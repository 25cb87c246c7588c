/// A block of memory that is aligned for the vectors of any instruction set.
///
/// It is `@unchecked Sendable` because its owner makes sure that nobody else accesses the memory during a
/// write. ``Image`` does this with copy-on-write, and ``SharedScratch`` with a lock.
final class AlignedBuffer: @unchecked Sendable {
  static let alignment = 64

  /// Returns `bytes` rounded up to whole cache lines of 64 bytes, so that whatever is stored next begins on a
  /// new cache line.
  static func roundedUp(_ bytes: Int) -> Int { (bytes + alignment - 1) / alignment * alignment }

  let base: UnsafeMutableRawPointer
  let byteCount: Int

  /// Allocates `byteCount` bytes, and sets them to zero if `zeroed` is true.
  init(byteCount: Int, zeroed: Bool) throws(BlurError) {
    guard let address = Platform.allocate(max(byteCount, 1), alignment: Self.alignment) else {
      throw .outOfMemory(bytes: byteCount)
    }
    if zeroed {
      // SAFETY: `address` owns at least `byteCount` bytes.
      address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }
    base = address
    self.byteCount = byteCount
  }

  deinit { Platform.free(base) }
}
