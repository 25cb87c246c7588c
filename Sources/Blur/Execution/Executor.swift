import CBlurVectors
import Synchronization

/// Runs a plan's phases on a number of threads.
///
/// Threads are woken once for a whole blur, for waking costs as much as blurring a small image: short blurs
/// are shared with threads that are awake, the shortest with none. Each phase is cut into pieces, and each
/// thread has a share of them: the same rows in each phase and each blur, which its core's cache still holds
/// (Markatos and LeBlanc, "Using processor affinity in loop scheduling", 1994). A thread that is done takes
/// what others have left: one that wakes late finds less to do.
struct Executor: Sendable {
  // SAFETY: the memory is the blur's own while it runs.
  private struct Images: @unchecked Sendable {
    let source: ImageView, target: MutableImageView, epilogue: (any RowEpilogue)?
    let memory: UnsafeMutableRawPointer
  }

  /// Bytes of scratch, all threads together.
  let scratchBytes: Int
  private let hasRowEpilogue: Bool
  private let progress: Progress
  private let failure = BlurFailure()
  private let team: ThreadTeam<Images>

  /// Pieces for each thread, where cutting costs nothing.
  private static let piecesPerThread = 4
  /// A piece is at least this many times as long as what it repeats of its predecessor.
  private static let overlapShare = 16
  /// A blur that takes less, in nanoseconds, is shared with threads that are awake alone: two save as much as
  /// waking takes.
  private static let leastWaking = 2 * CostConstants.waking

  /// Makes ready for blurs on at most N threads.
  ///
  /// - Parameter time: what a blur is estimated to take on one thread, in nanoseconds.
  init(_ plan: any Plan, threads: Int, time: Double = .infinity) {
    let facts = plan.facts
    let most = CostConstants.isShared(time, phases: facts.phases.count) ? threads : 1
    let pieces = facts.phases.map { Self.pieces(of: $0, threads: most) }
    let threads = min(most, pieces.max() ?? 1)
    let progress = Progress(pieces: pieces, threads: threads)
    self.progress = progress
    let workspace = Workspace(for: facts, threads: threads)
    scratchBytes = workspace.byteCount
    hasRowEpilogue = facts.hasRowEpilogue
    team = ThreadTeam(threads: threads, isWoken: time >= Self.leastWaking) {
      [failure] thread, images in
      let buffers = workspace.buffers(
        thread, in: images.memory, images.source, images.target, images.epilogue, failure)
      for (number, phase) in facts.phases.enumerated() {
        for turn in 0..<threads {
          while let piece = progress.claim(in: number, shareOf: (thread + turn) % threads) {
            progress.wait(forPhasesBefore: number)
            let units = Self.piece(piece, of: pieces[number], in: phase)
            if !units.isEmpty { plan.run(number, units, buffers) }
            if buffers.isStreamed { blur_streamed() }
            progress.finish()
          }
        }
      }
    }
  }

  /// Does all phases, and finishes each row of the target. One blur at a time, in ``scratchBytes`` of memory.
  ///
  /// - Returns: what the plan failed with.
  func run(
    from source: ImageView, to target: MutableImageView, epilogue: (any RowEpilogue)?,
    in memory: UnsafeMutableRawPointer
  ) -> BlurError? {
    progress.reset()
    team.run(
      Images(source: source, target: target, epilogue: hasRowEpilogue ? epilogue : nil, memory: memory))
    if !hasRowEpilogue { epilogue?.finish(0..<target.layout.height, in: target) }
    return failure.take()
  }

  /// Into how many pieces a phase is cut: one for one thread; for several a few each, as far as whole grains
  /// and the work that pieces repeat allow.
  static func pieces(of phase: Phase, threads: Int) -> Int {
    guard threads > 1 else { return 1 }
    let most = mostPieces(of: phase)
    // As many for each thread.
    let wanted = max(1, min(piecesPerThread, most / threads)) * threads
    return max(1, min(wanted, phase.units / phase.grain))
  }

  private static func mostPieces(of phase: Phase) -> Int {
    phase.overlap == 0 ? .max : phase.units / (overlapShare * phase.overlap)
  }

  /// Whether each thread can have a piece of a phase, and what pieces repeat is little.
  static func isWorthCutting(_ phase: Phase, threads: Int) -> Bool {
    threads == 1 || mostPieces(of: phase) >= threads
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
  /// How far a blur is.
  ///
  /// A thread waits with a piece in its hands, until the phases before it are done. That ends: a thread comes
  /// to a phase when all pieces before it are claimed, so those it waits for have threads, which run, and
  /// those in the first phase that is not done wait for nothing. No thread waits for one yet to come.
  private final class Progress: Sendable {
    /// The pieces of a phase that a thread has to itself, until another one has nothing left to do.
    private struct Share {
      let firstPiece: Int
      /// How many pieces its thread had before, in all phases, and with these.
      let claims: Range<Int>
    }

    private let threads: Int
    /// By phase, then by thread.
    private let shares: [[Share]]
    /// How many pieces there are before each phase.
    private let before: [Int]
    // SAFETY: a counter for each thread, from `init` to `deinit`: how many pieces of its shares are claimed.
    nonisolated(unsafe) private let claimed: UnsafeMutablePointer<PaddedAtomic>
    private let finished = PaddedAtomic(0)

    /// - Parameter pieces: those of each phase.
    init(pieces: [Int], threads: Int) {
      var ends = [Int](repeating: 0, count: threads)
      shares = pieces.map { pieces in
        (0..<threads).map { thread in
          let first = pieces * thread / threads
          let start = ends[thread]
          ends[thread] += pieces * (thread + 1) / threads - first
          return Share(firstPiece: first, claims: start..<ends[thread])
        }
      }
      before = pieces.indices.map { pieces[..<$0].reduce(0, +) }
      self.threads = threads
      claimed = .allocate(capacity: threads)
      for thread in 0..<threads { (claimed + thread).initialize(to: PaddedAtomic(0)) }
    }

    deinit {
      claimed.deinitialize(count: threads)
      claimed.deallocate()
    }

    func reset() {
      for thread in 0..<threads { claimed[thread].count.store(0, ordering: .relaxed) }
      finished.count.store(0, ordering: .releasing)
    }

    /// Takes the next piece of a thread's share of a phase, if there is one left.
    func claim(in phase: Int, shareOf thread: Int) -> Int? {
      let share = shares[phase][thread]
      var seen = claimed[thread].count.load(ordering: .relaxed)
      while seen < share.claims.upperBound {
        let (isClaimed, current) = claimed[thread].count.weakCompareExchange(
          expected: seen, desired: seen + 1, ordering: .relaxed)
        if isClaimed { return share.firstPiece + seen - share.claims.lowerBound }
        seen = current
      }
      return nil
    }

    func finish() { finished.count.add(1, ordering: .releasing) }

    /// Waits until all pieces of earlier phases are done.
    func wait(forPhasesBefore phase: Int) {
      let count = before[phase]
      spin { finished.count.load(ordering: .acquiring) < count }
    }
  }
}
