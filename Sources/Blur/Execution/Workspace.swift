/// The layout of a plan's scratch memory. It consists of one part that all threads share, and one part for
/// each thread. The part of each thread begins on a new cache line.
struct Workspace: Sendable {
  private let sharedBytes: Int
  private let scratchBytes: Int
  /// The number of bytes of the whole scratch memory.
  let byteCount: Int

  init(for facts: PlanFacts, threads: Int) {
    sharedBytes = AlignedBuffer.roundedUp(facts.sharedBytes)
    scratchBytes = AlignedBuffer.roundedUp(facts.scratchBytes)
    byteCount = Self.byteCount(for: facts, threads: threads)
  }

  /// Returns the number of bytes of scratch memory that a plan needs on `threads` threads. `facts` are the
  /// facts about this plan.
  static func byteCount(for facts: PlanFacts, threads: Int) -> Int {
    AlignedBuffer.roundedUp(facts.sharedBytes) + threads * AlignedBuffer.roundedUp(facts.scratchBytes)
  }

  /// Returns the images and the scratch memory that one thread of a blur works with.
  ///
  /// - Parameter memory: The scratch memory, at least ``byteCount`` bytes.
  func buffers(
    _ thread: Int, in memory: UnsafeMutableRawPointer, _ source: ImageView, _ target: MutableImageView,
    _ epilogue: (any RowEpilogue)?, _ failure: BlurFailure
  ) -> PhaseContext {
    // SAFETY: the memory holds the shared part and one scratch part for each planned thread, and `thread` is
    // below the planned number of threads.
    PhaseContext(
      source: source, destination: target, shared: memory,
      scratch: memory + sharedBytes + thread * scratchBytes, epilogue: epilogue, failure: failure)
  }
}
