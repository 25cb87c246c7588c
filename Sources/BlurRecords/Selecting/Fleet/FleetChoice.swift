import Blur

/// One kernel for all machines of a fleet, on one workload: the one that at worst loses least.
///
/// What a kernel loses on a machine is its slowdown there: its time over that of the machine's own fastest
/// kernel. The choice is the kernel whose greatest slowdown is least (minimax regret, in ratios; L. J.
/// Savage, "The Theory of Statistical Decision", Journal of the American Statistical Association 46, 1951).
/// Only kernels that keep the bound on every machine take part.
public struct FleetChoice: Encodable, Sendable {
  /// The slowdown above which one choice for all is said to cost a machine too much: a tenth more time.
  public static let limit = 1.1

  /// A machine, and what is fastest there by itself; nil if nothing keeps the bound.
  public struct Place: Encodable, Sendable {
    /// The machine's key.
    public let machine: String
    public let fastest: Selection.Entry?
  }

  /// A kernel that keeps the bound on every machine.
  public struct Candidate: Encodable, Sendable {
    public let kernel: String
    /// Median wall times in nanoseconds, and those over the fastest's; in the order of the places.
    public let times: [Double], slowdowns: [Double]
    /// The greatest slowdown, and their geometric mean.
    public let worst: Double, geometricMean: Double
  }

  /// A kernel that can't be the choice, and why, with the machines where that is so.
  public struct Excluded: Encodable, Sendable {
    public let kernel: String, reason: String
  }

  /// The workload in a few words, and the accepted error in levels.
  public let workload: String, threads: Int, bound: Double
  /// The machines that have records of the workload.
  public let places: [Place]
  /// The kernel with the least of the worst slowdowns; the least geometric mean and the name decide between
  /// equals.
  public let chosen: Candidate?
  /// Further kernels that would do, by the same order.
  public let others: [Candidate]
  public let excluded: [Excluded]

  /// Chooses by what would be selected on each machine alone.
  ///
  /// - Parameters:
  ///   - selections: of one workload and bound, each from at most one case of a kernel.
  ///   - kernels: those that have a record on one of the machines at least.
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

  /// Whether the choice costs some machine more than a tenth of its time.
  public var isCostly: Bool { chosen.map { $0.worst > Self.limit } ?? false }
}

extension FleetChoice.Candidate {
  /// Nil unless the kernel would do on every machine.
  fileprivate init?(_ kernel: String, _ entries: [Selection.Entry?], among places: [FleetChoice.Place]) {
    self.kernel = kernel
    times = entries.compactMap { $0.flatMap { $0.isFit ? $0.time : nil } }
    let fastest = places.compactMap(\.fastest?.time)
    guard times.count == places.count, fastest.count == places.count else { return nil }
    slowdowns = zip(times, fastest).map { $0 / $1 }
    // In order, so that equals are equal to the last bit.
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
