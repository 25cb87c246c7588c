import CBlurVectors
import Synchronization

/// Runs the phases of a plan on a number of threads.
///
/// Waking a thread costs as much as blurring a small image, so the threads are woken only once per blur. A
/// short blur is shared only if it begins soon after the previous blur of the same plan. In this case, the
/// threads are still awake, or they are woken and then stay awake for the blurs that may follow. The shortest
/// blurs run on the calling thread alone.
///
/// Each phase consists of units of work, mostly rows. These units are grouped into pieces, and each thread
/// has its own share of the pieces. A share covers the same rows in every phase and in every blur, because
/// the cache of the thread's core may still hold those rows (Markatos and LeBlanc, "Using processor affinity
/// in loop scheduling", 1994). A thread that has finished its share takes pieces that other threads have
/// left. A thread that wakes late therefore finds less to do.
struct Executor: Sendable {
  // SAFETY: no other blur uses the images and the scratch memory while this blur runs, and no two threads
  // process the same units.
  private struct Images: @unchecked Sendable {
    let source: ImageView, target: MutableImageView, epilogue: CompleteEpilogue?
    let memory: UnsafeMutableRawPointer
    let cancellation: Cancellation?
  }

  /// The number of scratch bytes for all threads together.
  let scratchBytes: Int
  private let hasRowEpilogue: Bool
  private let progress: Progress
  private let failure = BlurFailure()
  private let team: ThreadTeam<Images>

  /// The usual number of pieces that each thread's work is cut into. With several pieces per thread, a thread
  /// that has finished its own pieces can take over some of another thread's. There are fewer pieces if each
  /// piece would cause too much additional work at its start.
  private static let piecesPerThread = 4
  /// The smallest allowed length of a piece of work, as a multiple of the additional work at the start of the
  /// piece. For example, a running sum must add up a whole window of rows before it produces its first row.
  /// If this takes 100 additional rows, a piece must have at least 1600 rows.
  private static let overlapShare = 16
  /// A blur that does not follow shortly after another one wakes sleeping threads only if it would take at
  /// least this many nanoseconds on one thread. At this length, a second thread saves exactly as much time as
  /// it takes to wake it.
  private static let leastWaking = 2 * CostConstants.waking

  /// Prepares to blur with `plan` on at most `threads` threads.
  ///
  /// - Parameters:
  ///   - time: The estimated time of a blur on one thread, in nanoseconds.
  ///   - thresholds: The thresholds of the plan. `sharing` scales the time that a blur must take to be shared
  ///     among threads. `waking` scales the time that a single blur must take to wake sleeping threads.
  ///   - isShort: Whether to treat the blur like a short one, however long it takes. Several threads then
  ///     work on it only if it begins soon after the previous blur. They do so even if there are more threads
  ///     than CPUs.
  init(
    _ plan: any Plan, threads: Int, time: Double = .infinity, _ thresholds: Thresholds = Thresholds(),
    isShort: Bool = false
  ) {
    let facts = plan.facts
    let most = CostConstants.isShared(time / thresholds.sharing, phases: facts.phases.count) ? threads : 1
    let pieces = facts.phases.map { Self.pieces(of: $0, threads: most) }
    let threads = min(most, pieces.max() ?? 1)
    let progress = Progress(pieces: pieces, threads: threads)
    self.progress = progress
    scratchBytes = facts.workspaceBytes(threads: threads)
    hasRowEpilogue = facts.hasRowEpilogue
    team = ThreadTeam(
      threads: threads, cpus: isShort ? .max : Platform.cpus,
      isWoken: time >= Self.leastWaking * thresholds.waking && !isShort
    ) { [failure] thread, images in
      // SAFETY: the memory holds the shared part and one scratch part for each thread, as
      // `workspaceBytes(threads:)` counts them, and `thread` is less than the number of threads.
      let buffers = PhaseContext(
        source: images.source, destination: images.target, shared: images.memory,
        scratch: images.memory + facts.scratchStart(thread: thread), epilogue: images.epilogue,
        failure: failure, thresholds: thresholds)
      for (number, phase) in facts.phases.enumerated() {
        for offset in 0..<threads {
          while let piece = progress.claim(in: number, shareOf: (thread + offset) % threads) {
            progress.wait(forPhasesBefore: number)
            let units = Self.piece(piece, of: pieces[number], in: phase)
            if !units.isEmpty && images.cancellation?.isCancelled != true {
              plan.run(number, units, buffers)
            }
            if buffers.isStreamed { blur_streamed() }
            progress.finish()
          }
        }
      }
    }
  }

  /// Runs all phases of the plan, and applies `epilogue` to each finished row of the target. Only one blur
  /// may run at a time. The blur uses ``scratchBytes`` bytes of scratch memory at `memory`.
  ///
  /// - Parameters:
  ///   - epilogue: An operation that changes finished rows, or nil.
  ///   - cancellation: A flag that stops the blur before its next piece of work, or nil.
  /// - Returns: The error that the plan reported, or nil.
  func run(
    from source: ImageView, to target: MutableImageView, epilogue: CompleteEpilogue?,
    in memory: UnsafeMutableRawPointer, cancellation: Cancellation? = nil
  ) -> BlurError? {
    progress.reset()
    team.run(
      Images(
        source: source, target: target, epilogue: hasRowEpilogue ? epilogue : nil, memory: memory,
        cancellation: cancellation))
    if !hasRowEpilogue { epilogue?.finish(0..<target.layout.height, in: target) }
    return failure.take()
  }

  #if !hasFeature(Embedded)
    /// Runs all phases of the plan on threads that the caller starts, without an epilogue.
    ///
    /// - Parameter start: A closure that calls its argument on several threads at the same time. It passes
    ///   each thread's index, counted from 0, and returns when all these calls have returned.
    /// - Returns: The error that the plan reported, or nil.
    func run(
      from source: ImageView, to target: MutableImageView, in memory: UnsafeMutableRawPointer,
      _ start: (@escaping @Sendable (_ thread: Int) -> Void) -> Void
    ) -> BlurError? {
      progress.reset()
      let images = Images(
        source: source, target: target, epilogue: nil, memory: memory, cancellation: nil)
      start { [team] thread in team.work(thread, images) }
      return failure.take()
    }
  #endif

  /// Returns the number of pieces that the work of a phase is cut into: 1 if there is only one thread, and
  /// otherwise a few for each thread. There are fewer pieces if the phase has too few units of work, or if
  /// each piece would cause too much additional work at its start.
  static func pieces(of phase: Phase, threads: Int) -> Int {
    guard threads > 1 else { return 1 }
    let most = mostPieces(of: phase)
    // The number of pieces is a multiple of the number of threads, so that every thread gets the same number
    // of pieces.
    let wanted = max(1, min(piecesPerThread, most / threads)) * threads
    return max(1, min(wanted, phase.units / phase.grain))
  }

  private static func mostPieces(of phase: Phase) -> Int {
    phase.overlap == 0 ? .max : phase.units / (overlapShare * phase.overlap)
  }

  /// Returns whether dividing a phase among this many threads is worthwhile. It is not worthwhile if each
  /// thread would have to do too much additional work before its first row, such as adding up a whole window.
  static func isWorthCutting(_ phase: Phase, threads: Int) -> Bool {
    threads == 1 || mostPieces(of: phase) >= threads
  }

  /// Returns the units of work in one of the pieces into which a phase is divided. `index` is the index of
  /// the piece, and `pieces` is the total number of pieces. Each piece begins at a multiple of the phase's
  /// grain.
  static func piece(_ index: Int, of pieces: Int, in phase: Phase) -> Range<Int> {
    let grains = (phase.units + phase.grain - 1) / phase.grain
    let first = grains * index / pieces * phase.grain
    let end = min(grains * (index + 1) / pieces * phase.grain, phase.units)
    return min(first, end)..<end
  }

  /// The progress of a blur: which pieces of work the threads have claimed, and how many pieces are finished.
  ///
  /// Each thread goes through the phases in order. It claims a piece, waits until all earlier phases are
  /// finished, and then does the piece.
  ///
  /// These waits cannot deadlock. A thread reaches a phase only when all pieces of the earlier phases are
  /// claimed. Only running threads claim pieces, so nobody waits for a thread that has not started yet. In
  /// the first unfinished phase no thread has to wait, so this phase gets finished, and then the next one.
  private final class Progress: Sendable {
    /// The share of one thread in one phase: the pieces of work that this thread does first. Other threads
    /// take pieces from the share only when their own shares are used up.
    private struct Share {
      let firstPiece: Int
      /// The range of values of the thread's counter that belongs to this share. The counter in `claimed`
      /// counts the claimed pieces in all shares of the thread, phase by phase. If the counter has the value
      /// `claims.lowerBound + i`, piece i of this share (counted from 0) is the next one to claim.
      let claims: Range<Int>
    }

    private let threads: Int
    /// The share of each thread in each phase. The first index selects the phase, and the second index
    /// selects the thread.
    private let shares: [[Share]]
    /// For each phase, the total number of pieces of work in all earlier phases.
    private let before: [Int]
    // SAFETY: `claimed` points to one atomic counter for each thread, allocated in `init` and freed in
    // `deinit`. The counter of a thread says how many pieces of its shares have been claimed, by that thread
    // or by others.
    nonisolated(unsafe) private let claimed: UnsafeMutablePointer<PaddedAtomic>
    private let finished = PaddedAtomic(0)

    /// Divides the pieces of each phase among the threads. At first, no piece is claimed or finished.
    ///
    /// - Parameter pieces: The number of pieces in each phase.
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

    /// Claims the next free piece in the share of `thread`, which is the part of a phase that this thread
    /// does first. Returns the index of the piece, or nil if the whole share is claimed.
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

    /// Waits until all pieces of work in the phases before `phase` are finished.
    func wait(forPhasesBefore phase: Int) {
      let count = before[phase]
      spin { finished.count.load(ordering: .acquiring) < count }
    }
  }
}

extension PlanFacts {
  /// Returns the number of threads that work in each phase, if `threads` threads take part in each blur.
  package func threadsInPhases(of threads: Int) -> [Int] {
    let pieces = phases.map { Executor.pieces(of: $0, threads: threads) }
    let most = min(threads, pieces.max() ?? 1)
    return zip(phases, pieces).map { min($0.units, $1, most) }
  }
}
