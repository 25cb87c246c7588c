import Dispatch

/// Runs a planned kernel's phases on a number of threads. The only place where threads are made.
struct Executor: Sendable {
  /// How many threads work at once, the caller's included.
  let threads: Int
  /// The kernel's phases.
  let phases: [Phase]

  /// Does all phases. Each thread gets one contiguous piece of each phase: a few large strips keep caches
  /// warm and wake each thread once.
  func run(
    _ kernel: some PlannedBlur, _ workspace: Workspace, from source: ImageView, to target: MutableImageView
  ) {
    for (number, phase) in phases.enumerated() {
      let pieces = min(threads, max(1, phase.units / phase.grain))
      let work = { @Sendable (piece: Int) in
        let units = Self.piece(piece, of: pieces, in: phase)
        guard !units.isEmpty else { return }
        kernel.run(number, units, workspace.buffers(piece, source, target))
      }
      if pieces == 1 { work(0) } else { DispatchQueue.concurrentPerform(iterations: pieces, execute: work) }
    }
  }

  /// The units of piece `index` when `phase` is divided into `pieces`, cut at multiples of its grain.
  static func piece(_ index: Int, of pieces: Int, in phase: Phase) -> Range<Int> {
    let grains = (phase.units + phase.grain - 1) / phase.grain
    let first = grains * index / pieces * phase.grain
    let end = min(grains * (index + 1) / pieces * phase.grain, phase.units)
    return min(first, end)..<end
  }
}

/// The scratch of one plan: a shared part, and a part for each thread on cache lines of its own.
struct Workspace: Sendable {
  private let memory: AlignedBuffer
  private let sharedBytes: Int
  private let scratchBytes: Int

  init(for kernel: some PlannedBlur, threads: Int) throws(BlurError) {
    sharedBytes = Self.roundedUp(kernel.sharedBytes)
    scratchBytes = Self.roundedUp(kernel.scratchBytes)
    memory = try AlignedBuffer(byteCount: sharedBytes + threads * scratchBytes, zeroed: true)
  }

  func buffers(_ thread: Int, _ source: ImageView, _ target: MutableImageView) -> BlurBuffers {
    // SAFETY: the memory holds the shared part and one scratch for each thread below the planned number.
    BlurBuffers(
      source: source, destination: target, shared: memory.base,
      scratch: memory.base + sharedBytes + thread * scratchBytes)
  }

  private static func roundedUp(_ bytes: Int) -> Int {
    (bytes + AlignedBuffer.alignment - 1) / AlignedBuffer.alignment * AlignedBuffer.alignment
  }
}
