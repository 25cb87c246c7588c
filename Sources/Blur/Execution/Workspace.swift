/// The scratch of one plan: a shared part, and a part for each thread on cache lines of its own.
struct Workspace: Sendable {
  private let memory: AlignedBuffer
  private let sharedBytes: Int
  private let scratchBytes: Int

  init(for kernel: some PlannedBlur, threads: Int) throws(BlurError) {
    sharedBytes = Self.roundedUp(kernel.sharedBytes)
    scratchBytes = Self.roundedUp(kernel.scratchBytes)
    memory = try AlignedBuffer(byteCount: Self.byteCount(for: kernel, threads: threads), zeroed: true)
  }

  /// The bytes that so many threads take.
  static func byteCount(for kernel: some PlannedBlur, threads: Int) -> Int {
    roundedUp(kernel.sharedBytes) + threads * roundedUp(kernel.scratchBytes)
  }

  var byteCount: Int { memory.byteCount }

  func buffers(_ thread: Int, _ source: ImageView, _ target: MutableImageView, _ finish: (any RowFinish)?)
    -> BlurBuffers
  {
    // SAFETY: the memory holds the shared part and one scratch for each thread below the planned number.
    BlurBuffers(
      source: source, destination: target, shared: memory.base,
      scratch: memory.base + sharedBytes + thread * scratchBytes, finish: finish)
  }

  private static func roundedUp(_ bytes: Int) -> Int {
    (bytes + AlignedBuffer.alignment - 1) / AlignedBuffer.alignment * AlignedBuffer.alignment
  }
}
