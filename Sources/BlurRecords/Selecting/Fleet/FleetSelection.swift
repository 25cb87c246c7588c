import Blur

/// Compares the fastest kernels of several machines, and chooses one kernel for all of them.
///
/// For each kernel and machine, only the widest instruction set that was measured there counts, because the
/// library makes the same choice when it runs. Workloads with different numbers of threads are never
/// combined.
public struct FleetSelection: Encodable, Sendable {
  /// One kernel's results over all workloads in which the kernel is accurate enough on every machine.
  public struct Standing: Encodable, Sendable {
    public let kernel: String
    /// The kernel's largest slowdown on any workload and machine, and the geometric mean of all its
    /// slowdowns. A slowdown is the kernel's time divided by the time of the fastest kernel.
    public let worst: Double, geometricMean: Double
    /// The number of workloads in which the kernel is accurate enough on every machine. A kernel can be
    /// chosen for the whole fleet only if it is accurate enough in all workloads.
    public let workloads: Int
  }

  /// The machines, in the order of the records.
  public let machines: [FleetMachine]
  /// The choices for the workloads that were measured on at least two machines.
  public let choices: [FleetChoice]
  /// The results of each kernel over all workloads. The kernel that is accurate enough in the most workloads
  /// comes first. Further criteria are the maximum slowdown, the geometric mean of the slowdowns, and the
  /// name.
  public let standings: [Standing]
  /// Notes about missing data and other limits of the comparison.
  public let notes: [String]

  /// Compares machines by their records.
  ///
  /// - Parameters:
  ///   - records: The records, from any machines and workloads. Records of the same case and machine are
  ///     combined.
  ///   - origins: The provenance lines of the records, which give the names and revisions of the machines.
  ///   - evidence: Whether a kernel must promise or certify that its error is within the bound for any image,
  ///     or whether the error measured on the test image is sufficient.
  ///   - kernels: The kernels whose promises are trusted.
  ///   - bound: Returns the accepted error for a pixel format.
  public init(
    _ records: [Record], origins: [ProvenanceReader.Line], by evidence: Selection.Evidence = .promise,
    kernels: [Kernel], within bound: (PixelFormat) -> ErrorBound
  ) {
    let table = FleetTable(records)
    let machines = FleetMachine.named(table.machines, by: origins)
    let shared = table.workloads.filter { table.rows[$0, default: [:]].count > 1 }
    choices = shared.map { workload in
      let rows = table.rows[workload, default: [:]]
      let bound = bound(workload.layout.format)
      let selections = machines.compactMap { machine in
        rows[machine.key].map { cells in
          let records = cells.values.flatMap(\.records)
          return (machine, Selection(workload, records, within: bound, by: evidence, kernels: kernels))
        }
      }
      return FleetChoice(selections, of: Set(rows.values.flatMap(\.keys)).sorted())
    }
    self.machines = machines
    standings = Self.standings(of: choices)
    notes = FleetNotes.all(
      choices, machines, alone: table.workloads.count - shared.count, unknown: table.unknown)
  }

  /// The two best kernels for all machines and workloads. `leastWorst` has the smallest maximum slowdown, and
  /// `leastMean` has the smallest geometric mean of the slowdowns. The value is nil if no kernel is accurate
  /// enough in all workloads.
  public var choicesForAll: (leastWorst: Standing, leastMean: Standing)? {
    let all = standings.filter { $0.workloads == choices.count }
    guard let first = all.first, let mean = all.min(by: { $0.geometricMean < $1.geometricMean }) else {
      return nil
    }
    return (first, mean)
  }

  private static func standings(of choices: [FleetChoice]) -> [Standing] {
    let candidates = choices.flatMap { ($0.chosen.map { [$0] } ?? []) + $0.others }
    return Dictionary(grouping: candidates, by: \.kernel).compactMap { kernel, places in
      let slowdowns = places.flatMap(\.slowdowns).sorted()
      guard let worst = slowdowns.last, let mean = Statistics.geometricMean(slowdowns) else { return nil }
      return Standing(kernel: kernel, worst: worst, geometricMean: mean, workloads: places.count)
    }.sorted {
      (-$0.workloads, $0.worst, $0.geometricMean, $0.kernel)
        < (-$1.workloads, $1.worst, $1.geometricMean, $1.kernel)
    }
  }
}
