/// Scratch memory for several plans that never blur at the same time, such as the plans for the steps of an
/// animation. It is large enough for the plan that needs the most.
///
/// Plans that share scratch memory wait for each other, so that only one of them blurs at a time.
/// ```swift
/// let scratch = SharedScratch()
/// let steps = try sigmas.map { sigma in
///   try BlurPlan(for: layout, BlurParameters(sigma: Sigma(sigma)), scratch: scratch)
/// }
/// ```
public final class SharedScratch: Sendable {
  private let memory = Lock<AlignedBuffer?>(nil)

  /// Creates scratch memory that is empty at first, and grows for each plan that needs more.
  public init() {}

  /// The number of bytes that the scratch memory holds.
  public var byteCount: Int { memory.withLock { $0?.byteCount ?? 0 } }

  /// Grows the scratch memory to `bytes` bytes, if it has fewer.
  ///
  /// - Throws: ``BlurError/outOfMemory(bytes:)``.
  func reserve(_ bytes: Int) throws(BlurError) {
    guard byteCount < bytes else { return }
    let larger = try AlignedBuffer(byteCount: bytes, zeroed: true)
    memory.withLock { memory in
      if (memory?.byteCount ?? 0) < bytes { memory = larger }
    }
  }

  /// Calls `body` with the address of the scratch memory, which no other blur uses during the call.
  ///
  /// - Precondition: A plan has reserved memory.
  func withMemory<Result: Sendable>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    memory.withLock { memory in
      guard let memory else { preconditionFailure("no plan has reserved memory") }
      return body(memory.base)
    }
  }
}
