/// Memory that plans use in turn, where several are made for blurs that never run at the same time: for the
/// steps of an animation, say. It is as large as the largest of them needs.
///
/// Blurs of plans that share it wait for each other.
/// ```swift
/// let scratch = SharedScratch()
/// let steps = try sigmas.map { sigma in
///   try BlurPlan(for: layout, BlurParameters(sigma: Sigma(sigma)), scratch: scratch)
/// }
/// ```
public final class SharedScratch: Sendable {
  private let memory = Lock<AlignedBuffer?>(nil)

  /// Makes an empty one, which grows with each plan that needs more.
  public init() {}

  /// Bytes that it holds.
  public var byteCount: Int { memory.withLock { $0?.byteCount ?? 0 } }

  /// Grows to that many bytes, if it has fewer.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)``.
  func reserve(_ bytes: Int) throws(BlurError) {
    guard byteCount < bytes else { return }
    let larger = try AlignedBuffer(byteCount: bytes, zeroed: true)
    memory.withLock { memory in
      if (memory?.byteCount ?? 0) < bytes { memory = larger }
    }
  }

  /// Calls `body` with the memory, which no other blur uses meanwhile.
  ///
  /// - Precondition: something has been reserved.
  func withMemory<Result: Sendable>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    memory.withLock { memory in
      guard let memory else { preconditionFailure("no plan has reserved memory") }
      return body(memory.base)
    }
  }
}
