/// Where in its scratch a plan finds what: a shared part, and a part for each thread on cache lines of its
/// own.
struct Workspace: Sendable {
  private let sharedBytes: Int
  private let scratchBytes: Int
  /// Bytes of all of it.
  let byteCount: Int

  init(for facts: PlanFacts, threads: Int) {
    sharedBytes = AlignedBuffer.roundedUp(facts.sharedBytes)
    scratchBytes = AlignedBuffer.roundedUp(facts.scratchBytes)
    byteCount = Self.byteCount(for: facts, threads: threads)
  }

  /// The bytes that N threads take.
  static func byteCount(for facts: PlanFacts, threads: Int) -> Int {
    AlignedBuffer.roundedUp(facts.sharedBytes) + threads * AlignedBuffer.roundedUp(facts.scratchBytes)
  }

  /// - Parameter memory: at least ``byteCount`` bytes.
  func buffers(
    _ thread: Int, in memory: UnsafeMutableRawPointer, _ source: ImageView, _ target: MutableImageView,
    _ epilogue: (any RowEpilogue)?, _ failure: BlurFailure
  ) -> PhaseContext {
    // SAFETY: the memory holds the shared part and one scratch for each thread below the planned number.
    PhaseContext(
      source: source, destination: target, shared: memory,
      scratch: memory + sharedBytes + thread * scratchBytes, epilogue: epilogue, failure: failure)
  }
}
