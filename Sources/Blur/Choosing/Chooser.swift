/// Chooses kernels: among those that promise to keep a bound, the one with the shortest time.
///
/// Times are those measured of exactly this problem, where there are some, else estimates: operations that
/// kernels count, times the constants of the instruction set. An answer takes some microseconds.
public struct Chooser: Sendable {
  /// The chooser of this process: with what the program measures, and with wisdom where the module is linked.
  public static let shared = Chooser(.shared)

  private let measured: MeasuredTimes?

  /// A chooser that asks these times first, or nothing but estimates.
  public init(_ measured: MeasuredTimes? = nil) { self.measured = measured }

  /// The kernels that promise to keep `bound`, the fastest first. Some may refuse the parameters.
  ///
  /// - Parameters:
  ///   - layout: the images.
  ///   - parameters: sigma, edge mode, wanted region, the widest instruction set to use.
  ///   - bound: the largest error against the Gaussian.
  ///   - threads: how many work on an image.
  /// - Throws: ``BlurError/noKernel(within:format:)`` when no promise is that strict,
  ///   ``BlurError/invalidRegion(_:_:)``.
  public func choices(
    for layout: ImageLayout, _ parameters: BlurParameters, within bound: ErrorBound, threads: Int = 1
  ) throws(BlurError) -> [Choice] {
    if let region = parameters.region, !region.fits(layout) { throw .invalidRegion(region, layout) }
    let times = measured?.times(of: MeasuredProblem(layout, parameters, threads: threads)) ?? []
    var candidates: [Candidate] = []
    for (place, kernel) in Registry.kernels.enumerated() where bound.allows(kernel, for: layout.format) {
      let sets = kernel.availableSets(upTo: parameters.instructionSet)
      let timed = times.filter { $0.kernel == kernel.name && sets.contains($0.instructionSet) }
        .min { $0.nanoseconds < $1.nanoseconds }
      // What was not measured was given up, or is new: it comes after all that was.
      let isStricter = Self.looser[place].map { bound.allows($0, for: layout.format) } ?? false
      let estimate =
        timed == nil && !isStricter ? Self.estimate(kernel, sets, layout, parameters, threads) : nil
      candidates.append(
        Candidate(
          kernel: kernel, place: place, isMeasured: timed != nil,
          set: timed?.instructionSet ?? estimate?.set ?? .baseline,
          time: timed?.nanoseconds ?? estimate?.time ?? .infinity))
    }
    guard !candidates.isEmpty else { throw .noKernel(within: bound.levels, format: layout.format) }
    // The most elaborate kernel takes the cheapest way itself.
    candidates[candidates.count - 1].isPreferred = true
    candidates.sort { $0.isBefore($1) }
    return candidates.enumerated().map { index, candidate in
      candidate.choice(next: index + 1 < candidates.count ? candidates[index + 1] : nil) {
        Self.estimate(candidate.kernel, [candidate.set], layout, parameters, threads)?.time ?? .infinity
      }
    }
  }

  /// Measures which kernel is the fastest for a problem, if that is not known.
  func measure(_ layout: ImageLayout, _ parameters: BlurParameters, threads: Int) throws(BlurError) {
    try (measured ?? .shared).measure(layout, parameters, threads: threads)
  }

  /// For a kernel of a family, by its place in the list, the one that promises less: that takes no longer
  /// wherever it is allowed, whatever their estimates say.
  private static let looser: [Int: Kernel] = {
    var looser: [Int: Kernel] = [:]
    for kernel in Registry.kernels {
      let name = Accuracy.fine.name(in: kernel.name)
      if let place = Registry.kernels.firstIndex(where: { $0.name == name }) { looser[place] = kernel }
    }
    return looser
  }()

  /// The estimated time of a kernel, with the instruction set that it is fastest with.
  private static func estimate(
    _ kernel: Kernel, _ sets: [InstructionSet], _ layout: ImageLayout, _ parameters: BlurParameters,
    _ threads: Int
  ) -> (set: InstructionSet, time: Double)? {
    var best: (set: InstructionSet, cost: Cost, time: Double)?
    // From the widest set on: another one must be faster by more than estimates are wrong. Threads are left
    // out of it: they help all sets alike.
    for set in sets.sorted(by: >) {
      let cost = kernel.costOfPart(layout, parameters, set, threads: threads)
      let time = CostConstants.of(set).time(cost, threads: 1)
      if best.map({ time * Self.advantage < $0.time }) ?? true { best = (set, cost, time) }
    }
    return best.map { ($0.set, CostConstants.of($0.set).time($0.cost, threads: threads)) }
  }

  /// By what factor a narrower set, or a plainer kernel, must be faster to be taken: more than the median
  /// errors of estimates, which `blurbench tune --constants` prints. Check: `blurbench tune --regret`.
  fileprivate static let advantage = 1.25
}

extension Kernel {
  /// The estimated time of a blur in nanoseconds, infinite for a kernel that does not count its operations.
  package func estimate(
    _ layout: ImageLayout, _ parameters: BlurParameters, _ set: InstructionSet, threads: Int
  ) -> Double {
    CostConstants.of(set).time(costOfPart(layout, parameters, set, threads: threads), threads: threads)
  }

  /// The operations of a blur of the wanted region.
  fileprivate func costOfPart(
    _ layout: ImageLayout, _ parameters: BlurParameters, _ set: InstructionSet, threads: Int
  ) -> Cost {
    let share = parameters.region.map { $0.share(of: layout, parameters.sigma) } ?? 1
    return cost(layout, parameters, set, threads: threads) * share
  }

  /// The operations of a blur of the whole image.
  package func cost(
    _ layout: ImageLayout, _ parameters: BlurParameters, _ set: InstructionSet, threads: Int
  ) -> Cost {
    var whole = parameters
    whole.region = nil
    return cost(problem(whole, for: layout, set, threads: threads))
  }

  /// The instruction sets that the kernel and the CPU have, and `limit` allows.
  package func availableSets(upTo limit: InstructionSet) -> [InstructionSet] {
    instructionSets.filter { $0 <= limit && $0.isAvailable }
  }
}

extension Region {
  /// The share of an image's work that its part takes: that of the pixels within three sigma of it. Kernels
  /// read some that are farther, but do less with them.
  fileprivate func share(of layout: ImageLayout, _ sigma: Sigma) -> Double {
    let (x, y) = (Int((3 * sigma.x).rounded(.up)), Int((3 * sigma.y).rounded(.up)))
    let (all, bounds) = (columns.widened(by: x), layout.bounds)
    let (wide, high) = (all.clamped(to: bounds.columns), rows.widened(by: y).clamped(to: bounds.rows))
    return Double(wide.count * high.count) / Double(layout.pixelCount)
  }
}

/// A kernel that keeps the bound.
private struct Candidate {
  let kernel: Kernel
  /// Its place in the list.
  let place: Int
  let isMeasured: Bool
  let set: InstructionSet
  /// In nanoseconds.
  let time: Double
  /// Whether others must be faster by more than estimates are wrong.
  var isPreferred = false

  private var rank: Double { isPreferred && !isMeasured ? time / Chooser.advantage : time }

  func isBefore(_ other: Candidate) -> Bool {
    if kernel.isDefinition != other.kernel.isDefinition { return other.kernel.isDefinition }
    if isMeasured != other.isMeasured { return isMeasured }
    return rank == other.rank ? place > other.place : rank < other.rank
  }

  private var basis: Choice.Basis { isMeasured ? .measured : time.isFinite ? .estimate : .order }

  /// - Parameter estimate: its own estimated time, for a next one that was not measured.
  func choice(next: Candidate?, estimate: () -> Double) -> Choice {
    let runnerUp = next.map { next in
      let own = next.isMeasured == isMeasured ? time : estimate()
      let slowdown = own.isFinite && next.time.isFinite ? next.time / own : nil
      // What times contradict is not said.
      return Choice.RunnerUp(
        kernel: next.kernel.name, slowdown: slowdown.flatMap { $0 >= 1 ? $0 : nil }, basis: next.basis)
    }
    return Choice(
      kernel: kernel, instructionSet: set, time: time.isFinite ? time : nil, basis: basis, runnerUp: runnerUp)
  }
}
