/// The scratch of one plan: a shared part, and a part for each thread on cache lines of its own.
struct Workspace: Sendable {
  private let memory: AlignedBuffer
  private let sharedBytes: Int
  private let scratchBytes: Int

  init(for facts: PlanFacts, threads: Int) throws(BlurError) {
    sharedBytes = Self.roundedUp(facts.sharedBytes)
    scratchBytes = Self.roundedUp(facts.scratchBytes)
    memory = try AlignedBuffer(byteCount: Self.byteCount(for: facts, threads: threads), zeroed: true)
  }

  /// The bytes that N threads take.
  static func byteCount(for facts: PlanFacts, threads: Int) -> Int {
    roundedUp(facts.sharedBytes) + threads * roundedUp(facts.scratchBytes)
  }

  var byteCount: Int { memory.byteCount }

  func buffers(_ thread: Int, _ source: ImageView, _ target: MutableImageView, _ epilogue: (any RowEpilogue)?)
    -> BlurBuffers
  {
    // SAFETY: the memory holds the shared part and one scratch for each thread below the planned number.
    BlurBuffers(
      source: source, destination: target, shared: memory.base,
      scratch: memory.base + sharedBytes + thread * scratchBytes, epilogue: epilogue)
  }

  private static func roundedUp(_ bytes: Int) -> Int {
    (bytes + AlignedBuffer.alignment - 1) / AlignedBuffer.alignment * AlignedBuffer.alignment
  }
}
