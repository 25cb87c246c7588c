/// Memory aligned for any vector, whose owner decides who may write it.
///
/// `@unchecked Sendable`: it only carries the address; exclusive access is the owner's duty (``Image`` by
/// copy-on-write, ``BlurPlan`` by its lock).
final class AlignedBuffer: @unchecked Sendable {
  static let alignment = 64

  /// That many bytes and what is missing of a whole cache line, so that what comes next begins with one.
  static func roundedUp(_ bytes: Int) -> Int { (bytes + alignment - 1) / alignment * alignment }

  let base: UnsafeMutableRawPointer
  let byteCount: Int

  /// Reserves `byteCount` bytes, zeroed on request.
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
