/// Chooses the fastest kernel that promises to stay within an error bound.
///
/// If times were measured for exactly this problem, the chooser uses them. Otherwise, it estimates the time
/// of each kernel: the kernel says how many operations of each kind the blur needs, and the chooser
/// multiplies each of these numbers by the known time of one such operation. A choice takes a few
/// microseconds.
package struct Chooser: Sendable {
  /// The chooser that all plans of this process use by default. It uses the times that were measured in this
  /// process. If the program links the module BlurWisdom, it also uses the times in the wisdom file.
  package static let shared = Chooser(.shared)

  private let measured: MeasuredTimes?

  /// Creates a chooser that uses measured times. If `measured` has no times for a problem, or is nil, the
  /// chooser uses estimates instead.
  package init(_ measured: MeasuredTimes? = nil) { self.measured = measured }

  /// Returns the kernels that promise to stay within `bound`, the fastest first. Some of them may still
  /// reject the parameters.
  ///
  /// - Parameters:
  ///   - layout: The layout of the images.
  ///   - parameters: The sigma, the edge mode, the wanted region, and the widest instruction set to use.
  ///   - bound: The largest allowed difference from the Gaussian.
  ///   - threads: The number of threads that work on one image.
  /// - Throws: ``BlurError/noKernel(within:format:)`` if no kernel promises to stay within the bound,
  ///   ``BlurError/invalidRegion(_:_:)``, or ``BlurError/invalidDownscaling(_:_:)``.
  package func choices(
    for layout: ImageLayout, _ parameters: BlurParameters, within bound: ErrorBound, threads: Int = 1
  ) throws(BlurError) -> [Choice] {
    let ranking = try ranking(for: layout, parameters, within: bound, threads: threads)
    return ranking.indices.map { choice($0, in: ranking, for: layout, parameters, threads: threads) }
  }

  /// Returns the kernels that promise to stay within `bound`, the fastest first; see
  /// ``choices(for:_:within:threads:)``.
  func ranking(
    for layout: ImageLayout, _ parameters: BlurParameters, within bound: ErrorBound, threads: Int
  ) throws(BlurError) -> [RankedKernel] {
    try parameters.check(layout)
    let times = measured?.times(of: MeasuredProblem(layout, parameters, threads: threads)) ?? []
    var candidates: [RankedKernel] = []
    candidates.reserveCapacity(Registry.kernels.count)
    for (place, kernel) in Registry.kernels.enumerated() where bound.allows(kernel, for: layout.format) {
      let sets = kernel.availableSets(upTo: parameters.instructionSet)
      let timed = times.lazy.filter { $0.kernel == kernel.name && sets.contains($0.instructionSet) }
        .min { $0.nanoseconds < $1.nanoseconds }
      // A kernel that was not measured for this problem gets an estimated time. The sorting below puts
      // kernels with an estimated time after the measured ones, however short the estimates are. Only
      // unoptimised kernels (`isDefinition`) come even later, whether they were measured or not.
      //
      // A kernel whose name ends in `-fine` has a less accurate version, which is never slower. If the error
      // bound allows that version, there is no reason to use the `-fine` kernel. In this case, the `-fine`
      // kernel counts as infinitely slow, unless it was measured.
      let isStricter = Self.looser[place].map { bound.allows($0, for: layout.format) } ?? false
      let estimate =
        timed == nil && !isStricter ? Self.estimate(kernel, sets, layout, parameters, threads) : nil
      candidates.append(
        RankedKernel(
          kernel: kernel, place: place, isMeasured: timed != nil,
          set: timed?.instructionSet ?? estimate?.set ?? .baseline,
          time: timed?.nanoseconds ?? estimate?.time ?? .infinity, draft: estimate?.draft))
    }
    guard !candidates.isEmpty else { throw .noKernel(within: bound.levels, format: layout.format) }
    // The last kernel in the list is the most elaborate one, and picks the cheapest of several strategies by
    // itself. The ranking therefore puts another kernel before it only if the other kernel's estimated time
    // is clearly shorter.
    candidates[candidates.count - 1].isPreferred = true
    candidates.sort { $0.isBefore($1) }
    return candidates
  }

  /// Returns the kernel at the given index of a ranking as a ``Choice``, as if it had been chosen.
  func choice(
    _ index: Int, in ranking: [RankedKernel], for layout: ImageLayout, _ parameters: BlurParameters,
    threads: Int
  ) -> Choice {
    let candidate = ranking[index]
    return candidate.choice(next: index + 1 < ranking.count ? ranking[index + 1] : nil) {
      Self.estimate(candidate.kernel, [candidate.set], layout, parameters, threads)?.time ?? .infinity
    }
  }

  /// Measures which kernel is the fastest for a problem. Does nothing if the times for this problem are
  /// already known.
  func measure(_ layout: ImageLayout, _ parameters: BlurParameters, threads: Int) throws(BlurError) {
    try (measured ?? .shared).measure(layout, parameters, threads: threads)
  }

  /// For each kernel in the list, the less accurate version of this kernel, or nil if there is none. For
  /// example, `pyramid` is the less accurate version of `pyramid-fine`.
  ///
  /// If both versions stay within the error bound, the less accurate one is preferred, even if its estimated
  /// time is longer.
  private static let looser = Registry.kernels.map { kernel in
    Registry.kernels.first { Accuracy.fine.name(in: $0.name) == kernel.name }
  }

  /// Returns the estimated time of a kernel in nanoseconds, the instruction set that makes the kernel
  /// fastest, and the draft of its plan.
  ///
  /// - Parameter sets: The instruction sets to compare, from wide to narrow.
  // Inlining this function into both of its callers would make the compressed WebAssembly library 1 KB
  // larger.
  @inline(never)
  private static func estimate(
    _ kernel: Kernel, _ sets: ArraySlice<InstructionSet>, _ layout: ImageLayout,
    _ parameters: BlurParameters, _ threads: Int
  ) -> (set: InstructionSet, time: Double, draft: PlanDraft)? {
    var whole = parameters
    whole.region = nil
    let share = parameters.shareOfWork(layout)
    var best: (set: InstructionSet, time: Double, draft: PlanDraft)?
    // The loop begins with the widest instruction set. A narrower set replaces it only if the estimated time
    // is shorter by more than the typical error of an estimate. The compared times are for one thread,
    // because more threads speed up all instruction sets alike.
    for set in sets {
      let draft = kernel.draft(kernel.problem(whole, for: layout, set, threads: threads))
      let time = CostConstants.of(set).time(draft.cost * share, threads: 1)
      if best.map({ time * Self.advantage < $0.time }) ?? true { best = (set, time, draft) }
      // Narrow vectors are faster only if rows or columns are too short to fill wide ones.
      if min(layout.rowComponents, layout.height) >= Self.longSide { break }
    }
    return best.map {
      ($0.set, CostConstants.of($0.set).time($0.draft.cost * share, threads: threads), $0.draft)
    }
  }

  /// If an image has at least this many rows, and each row has at least this many components, only the widest
  /// instruction set is considered. In 90,000 estimates for `pyramid` and `simd`, a narrower set was faster
  /// by more than ``advantage`` only if the rows had at most 24 components.
  private static let longSide = 32

  /// A narrower instruction set, or a simpler kernel, is preferred only if it is faster by this factor. The
  /// factor is larger than the typical (median) error of the estimates, which `lab constants` prints.
  /// `lab regret` checks how well the factor works.
  fileprivate static let advantage = 1.25
}

extension Kernel {
  /// Returns the estimated time of a blur in nanoseconds. It is infinite for a kernel that does not count its
  /// operations.
  package func estimate(
    _ layout: ImageLayout, _ parameters: BlurParameters, _ set: InstructionSet, threads: Int
  ) -> Double {
    let part = cost(layout, parameters, set, threads: threads) * parameters.shareOfWork(layout)
    return CostConstants.of(set).time(part, threads: threads)
  }

  /// Returns the estimated operation counts for blurring the whole image, even if the parameters ask for only
  /// a region.
  package func cost(
    _ layout: ImageLayout, _ parameters: BlurParameters, _ set: InstructionSet, threads: Int
  ) -> Cost {
    var whole = parameters
    whole.region = nil
    return cost(problem(whole, for: layout, set, threads: threads))
  }
}

/// A kernel that promises to stay within the error bound, with the time that decides its place in the
/// ranking.
struct RankedKernel {
  let kernel: Kernel
  /// The position of the kernel in the list of kernels.
  let place: Int
  let isMeasured: Bool
  let set: InstructionSet
  /// The measured or estimated time in nanoseconds, or infinity if the time is unknown.
  let time: Double
  /// Whether this kernel ranks before kernels whose estimated time is only a little shorter. A small
  /// difference between two estimates may only be an error of the estimates.
  fileprivate(set) var isPreferred = false
  /// The draft of the plan, or nil if the kernel's time was not estimated.
  fileprivate let draft: PlanDraft?

  /// Makes the plan of this kernel.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` if the kernel does not support the parameters.
  func plan(
    _ parameters: BlurParameters, for layout: ImageLayout, threads: Int
  ) throws(BlurError) -> any Plan {
    let problem = kernel.problem(parameters, for: layout, set, threads: threads)
    let inner = if let draft { try draft.plan(problem) } else { try kernel.plan(problem) }
    return try layout.plan(inner, problem)
  }

  private var rank: Double { isPreferred && !isMeasured ? time / Chooser.advantage : time }

  fileprivate func isBefore(_ other: RankedKernel) -> Bool {
    if kernel.isDefinition != other.kernel.isDefinition { return other.kernel.isDefinition }
    if isMeasured != other.isMeasured { return isMeasured }
    return rank == other.rank ? place > other.place : rank < other.rank
  }

  private var basis: Choice.Basis { isMeasured ? .measured : time.isFinite ? .estimate : .order }

  /// Returns the ``Choice`` of this candidate. The runner-up of the choice is the next candidate, with the
  /// factor by which it is slower than this candidate.
  ///
  /// - Parameters:
  ///   - next: The next candidate in the ranking, or nil if this candidate is the last one.
  ///   - estimate: A function that returns the estimated time of this candidate. It is called if only one of
  ///     the two candidates was measured. The slowdown is then the ratio of two estimates, because a measured
  ///     time must not be compared with an estimate.
  fileprivate func choice(next: RankedKernel?, estimate: () -> Double) -> Choice {
    let runnerUp = next.map { next in
      let own = next.isMeasured == isMeasured ? time : estimate()
      let slowdown = own.isFinite && next.time.isFinite ? next.time / own : nil
      // The kernel in second place may have a shorter estimated time than the chosen kernel, because the
      // order of the kernels also depends on other rules. The slowdown would then be below 1. Such a slowdown
      // is not reported, because it would seem to contradict the ranking.
      return Choice.RunnerUp(
        kernel: next.kernel.name, slowdown: slowdown.flatMap { $0 >= 1 ? $0 : nil }, basis: next.basis)
    }
    return Choice(
      kernel: kernel, instructionSet: set, time: time.isFinite ? time : nil, basis: basis, runnerUp: runnerUp)
  }
}
