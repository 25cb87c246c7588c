import Blur

/// The best single kernel for all machines of a fleet, on one workload.
///
/// The slowdown of a kernel on a machine is its time there divided by the time of the fastest kernel on that
/// machine. The chosen kernel has the smallest maximum slowdown over all machines (minimax regret, in ratios;
/// L. J. Savage, "The Theory of Statistical Decision", Journal of the American Statistical Association 46,
/// 1951). A kernel can be chosen only if its error stays within the bound on every machine.
public struct FleetChoice: Encodable, Sendable {
  /// The slowdown above which a single kernel for all machines is considered too costly. At 1.1, a machine
  /// loses 10 %.
  public static let limit = 1.1

  /// A machine, and the fastest of the kernels that are accurate enough on this machine. `fastest` is nil if
  /// no kernel is accurate enough.
  public struct Place: Encodable, Sendable {
    /// The key that identifies the machine, as in ``Machine/key``.
    public let machine: String
    public let fastest: Selection.Entry?
  }

  /// A kernel that is accurate enough on every machine, so that it can be chosen for all of them.
  public struct Candidate: Encodable, Sendable {
    public let kernel: String
    /// The median wall time on each machine in nanoseconds, and the kernel's slowdown on each machine. The
    /// slowdown is the time divided by the time of the fastest kernel on that machine. Both arrays are in the
    /// order of ``FleetChoice/places``.
    public let times: [Double], slowdowns: [Double]
    /// The kernel's largest slowdown on any of the machines, and the geometric mean of its slowdowns.
    public let worst: Double, geometricMean: Double
  }

  /// A kernel that cannot be chosen, with the reason and the machines to which the reason applies.
  public struct Excluded: Encodable, Sendable {
    public let kernel: String, reason: String
  }

  /// The workload in a few words, its number of threads, and the accepted error in levels.
  public let workload: String, threads: Int, bound: Double
  /// The machines that have records of the workload.
  public let places: [Place]
  /// The kernel with the smallest maximum slowdown, or nil if there is no candidate. Ties are broken by the
  /// geometric mean and then by name.
  public let chosen: Candidate?
  /// The other kernels whose error stays within the bound on every machine. They are sorted by maximum
  /// slowdown, then by the geometric mean of the slowdowns, and then by name.
  public let others: [Candidate]
  public let excluded: [Excluded]

  /// Chooses one kernel for all machines, given the selection that was made for each machine alone.
  ///
  /// - Parameters:
  ///   - selections: The selections, all for the same workload and bound. Each has at most one case per
  ///     kernel.
  ///   - kernels: The names of all kernels that have a record on at least one of the machines.
  init(_ selections: [(machine: FleetMachine, selection: Selection)], of kernels: [String]) {
    let first = selections[0].selection
    (workload, threads, bound) = (first.workload, first.threads, first.bound)
    places = selections.map { Place(machine: $0.machine.key, fastest: $0.selection.chosen) }
    var candidates: [Candidate] = []
    var excluded: [Excluded] = []
    for kernel in kernels {
      let entries = selections.map { $0.selection.entry(of: kernel) }
      if let candidate = Candidate(kernel, entries, among: places) {
        candidates.append(candidate)
      } else {
        excluded.append(Excluded(kernel, entries, on: selections.map(\.machine.name)))
      }
    }
    candidates.sort { ($0.worst, $0.geometricMean, $0.kernel) < ($1.worst, $1.geometricMean, $1.kernel) }
    chosen = candidates.first
    others = Array(candidates.dropFirst())
    self.excluded = excluded
  }

  /// Whether the chosen kernel takes over 10 % more time than the fastest kernel on some machine.
  public var isCostly: Bool { chosen.map { $0.worst > Self.limit } ?? false }
}

extension FleetChoice.Candidate {
  /// Collects the times of a kernel on all machines, so that the kernel can be considered as the one to use
  /// on all of them. Returns nil if the kernel was not timed on one of the machines, or is not accurate
  /// enough there.
  fileprivate init?(_ kernel: String, _ entries: [Selection.Entry?], among places: [FleetChoice.Place]) {
    self.kernel = kernel
    times = entries.compactMap { $0.flatMap { $0.isFit ? $0.time : nil } }
    let fastest = places.compactMap(\.fastest?.time)
    guard times.count == places.count, fastest.count == places.count else { return nil }
    slowdowns = zip(times, fastest).map { $0 / $1 }
    // The slowdowns are sorted so that equal sets of slowdowns have exactly equal means, without rounding
    // differences.
    guard let mean = Statistics.geometricMean(slowdowns.sorted()), let worst = slowdowns.max() else {
      return nil
    }
    (self.worst, geometricMean) = (worst, mean)
  }
}

extension FleetChoice.Excluded {
  fileprivate init(_ kernel: String, _ entries: [Selection.Entry?], on machines: [String]) {
    self.kernel = kernel
    let unfit = zip(entries, machines).filter { entry, _ in entry?.isFit != true }
    let reasons = unfit.inGroups { entry, _ in entry?.reason ?? Selection.notMeasured }.map {
      reason, places in
      places.count == machines.count
        ? reason : "\(reason) (\(places.map(\.1).joined(separator: "; ")))"
    }
    reason = reasons.joined(separator: "; ")
  }
}
