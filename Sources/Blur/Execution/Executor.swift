import Synchronization

/// Runs a plan's phases on a number of threads.
///
/// Threads are woken once for a whole blur, for waking costs as much as blurring a small image: short blurs
/// are shared with threads that are awake, the shortest with none. Each phase is cut into pieces, and threads
/// take the next piece whenever they are free: one that wakes late finds less left to do.
struct Executor: Sendable {
  // SAFETY: the memory is the blur's own while it runs.
  private struct Images: @unchecked Sendable {
    let source: ImageView, target: MutableImageView, epilogue: (any RowEpilogue)?
    let memory: UnsafeMutableRawPointer
  }

  /// Bytes of scratch, all threads together.
  let scratchBytes: Int
  private let hasRowEpilogue: Bool
  private let progress = PieceCount()
  private let failure = BlurFailure()
  private let team: ThreadTeam<Images>

  /// Pieces for each thread, where cutting costs nothing.
  private static let piecesPerThread = 4
  /// A piece is at least this many times as long as what it repeats of its predecessor.
  private static let overlapShare = 16
  /// A blur whose phases take less, in nanoseconds, is done by one thread: handing each to another takes
  /// microseconds.
  private static let leastShared = 6_000.0
  /// A blur that takes less is shared with threads that are awake alone: two save as much as waking takes.
  private static let leastWaking = 2 * CostConstants.waking

  /// Makes ready for blurs on at most N threads.
  ///
  /// - Parameter time: what a blur is estimated to take on one thread, in nanoseconds.
  init(_ plan: any Plan, threads: Int, time: Double = .infinity) {
    let facts = plan.facts
    let most = time < Self.leastShared * Double(facts.phases.count) ? 1 : threads
    let phases = facts.phases.map { ($0, Self.pieces(of: $0, threads: most)) }
    let threads = min(most, phases.map { $0.1 }.max() ?? 1)
    let workspace = Workspace(for: facts, threads: threads)
    scratchBytes = workspace.byteCount
    hasRowEpilogue = facts.hasRowEpilogue
    team = ThreadTeam(threads: threads, isWoken: time >= Self.leastWaking) {
      [progress, failure] thread, images in
      let buffers = workspace.buffers(
        thread, in: images.memory, images.source, images.target, images.epilogue, failure)
      var before = 0
      var piece = progress.claim()
      for (number, (phase, pieces)) in phases.enumerated() {
        while piece < before + pieces {
          progress.wait(for: before)
          let units = Self.piece(piece - before, of: pieces, in: phase)
          if !units.isEmpty { plan.run(number, units, buffers) }
          progress.finish()
          piece = progress.claim()
        }
        before += pieces
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
    let most = phase.overlap == 0 ? Int.max : phase.units / (overlapShare * phase.overlap)
    let wanted = max(threads, min(piecesPerThread * threads, most))
    return max(1, min(wanted, phase.units / phase.grain))
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
  /// How far a blur is: pieces of all phases, numbered in order.
  ///
  /// A thread waits with a piece in its hands, until the phases before it are done. That ends: pieces are
  /// claimed in order, so those it waits for have threads, which run, and the lowest of them that is not done
  /// waits for nothing. No thread waits for one that has yet to come.
  private final class PieceCount: Sendable {
    private let claimed = LoneCounter(0)
    private let finished = LoneCounter(0)

    func reset() {
      claimed.count.store(0, ordering: .relaxed)
      finished.count.store(0, ordering: .releasing)
    }

    /// Takes the next piece. There is none where its number is beyond the last phase's: a thread gets one
    /// such number at most, and leaves.
    func claim() -> Int { claimed.count.add(1, ordering: .relaxed).oldValue }

    func finish() { finished.count.add(1, ordering: .releasing) }

    /// Waits until `count` pieces are done.
    func wait(for count: Int) {
      spin { finished.count.load(ordering: .acquiring) < count }
    }
  }
}
