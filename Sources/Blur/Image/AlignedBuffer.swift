#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Memory aligned for any vector, whose owner decides who may write it.
///
/// `@unchecked Sendable`: it only carries the address; exclusive access is the owner's duty (``Image`` by
/// copy-on-write, ``BlurPlan`` by its lock).
final class AlignedBuffer: @unchecked Sendable {
  static let alignment = 64

  let base: UnsafeMutableRawPointer
  let byteCount: Int

  /// Reserves `byteCount` bytes, zeroed on request.
  init(byteCount: Int, zeroed: Bool) throws(BlurError) {
    var address: UnsafeMutableRawPointer?
    guard posix_memalign(&address, Self.alignment, max(byteCount, 1)) == 0, let address else {
      throw .outOfMemory(bytes: byteCount)
    }
    if zeroed {
      // SAFETY: `address` owns at least `byteCount` bytes.
      memset(address, 0, byteCount)
    }
    base = address
    self.byteCount = byteCount
  }

  deinit { free(base) }
}
