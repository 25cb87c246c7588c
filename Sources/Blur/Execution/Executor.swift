import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs a planned kernel's phases on a number of threads. The only place where threads are made.
///
/// Threads are woken once for a whole blur, for waking costs as much as blurring a small image. Each phase is
/// cut into pieces, and threads take the next piece whenever they are free: one that wakes late finds less
/// left to do, and one that never comes is not missed.
struct Executor: Sendable {
  /// How many threads work at once, the caller's included.
  let threads: Int
  /// The kernel's phases, and the number of pieces that each is cut into.
  private let phases: [(phase: Phase, pieces: Int)]
  private let progress = Progress()

  /// Pieces for each thread, where cutting costs nothing.
  private static let piecesPerThread = 4
  /// A piece is at least this many times as long as what it repeats of its predecessor.
  private static let leadInShare = 16

  init(threads: Int, phases: [Phase]) {
    self.phases = phases.map { ($0, Self.pieces(of: $0, threads: threads)) }
    self.threads = min(threads, self.phases.map(\.pieces).max() ?? 1)
  }

  /// Into how many pieces a phase is cut: one for one thread; for several a few each, as far as whole grains
  /// and the work that pieces repeat allow.
  static func pieces(of phase: Phase, threads: Int) -> Int {
    guard threads > 1 else { return 1 }
    let most = phase.leadIn == 0 ? Int.max : phase.units / (leadInShare * phase.leadIn)
    let wanted = max(threads, min(piecesPerThread * threads, most))
    return max(1, min(wanted, phase.units / phase.grain))
  }

  /// Does all phases. One blur at a time: the caller holds the workspace.
  func run(
    _ kernel: some PlannedBlur, _ workspace: Workspace, from source: ImageView, to target: MutableImageView
  ) {
    progress.reset()
    // A function, for a closure kept in a constant would be allocated anew for each blur.
    @Sendable func work(thread: Int) {
      let buffers = workspace.buffers(thread, source, target)
      var before = 0
      for (number, (phase, pieces)) in phases.enumerated() {
        while let piece = progress.claim(below: before + pieces) {
          progress.wait(for: before)
          let units = Self.piece(piece - before, of: pieces, in: phase)
          if !units.isEmpty { kernel.run(number, units, buffers) }
          progress.finish()
        }
        before += pieces
      }
    }
    if threads == 1 {
      work(thread: 0)
    } else {
      DispatchQueue.concurrentPerform(iterations: threads, execute: work)
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

extension Executor {
  /// How far a blur is: pieces of all phases, in order.
  private final class Progress: Sendable {
    private let claimed = Atomic(0)
    private let finished = Atomic(0)

    func reset() {
      claimed.store(0, ordering: .relaxed)
      finished.store(0, ordering: .releasing)
    }

    /// Takes the next piece, unless all below `end` are taken.
    func claim(below end: Int) -> Int? {
      var next = claimed.load(ordering: .relaxed)
      while next < end {
        let (won, current) = claimed.compareExchange(expected: next, desired: next + 1, ordering: .relaxed)
        if won { return next }
        next = current
      }
      return nil
    }

    func finish() { finished.add(1, ordering: .releasing) }

    /// Waits until `count` pieces are done. Their threads run, for they have begun: this ends soon.
    func wait(for count: Int) {
      var turns = 0
      while finished.load(ordering: .acquiring) < count {
        turns += 1
        if turns % 1024 == 0 { sched_yield() }
      }
    }
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

  var byteCount: Int { memory.byteCount }

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
