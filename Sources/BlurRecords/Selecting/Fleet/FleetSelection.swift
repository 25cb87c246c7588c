import Blur

/// Which kernel is fastest on which machine, and what one choice for all of them costs.
///
/// A kernel counts on each machine with the widest instruction set that was measured there, as the library
/// picks it at run time: what a program names is the kernel. Numbers of threads are never mixed.
public struct FleetSelection: Encodable, Sendable {
  /// A kernel over all workloads where it keeps the bound on every machine.
  public struct Standing: Encodable, Sendable {
    public let kernel: String
    /// The greatest slowdown of any workload and machine, and the geometric mean of all.
    public let worst: Double, geometricMean: Double
    /// Of how many workloads; kernels with fewer than all of them are no choice for the whole fleet.
    public let workloads: Int
  }

  /// The machines, in the order of the records.
  public let machines: [FleetMachine]
  /// The workloads that at least two machines have records of.
  public let choices: [FleetChoice]
  /// Kernels by the number of workloads, then by worst slowdown, geometric mean and name.
  public let standings: [Standing]
  /// What the figures do not show.
  public let notes: [String]

  /// Compares machines by their records.
  ///
  /// - Parameters:
  ///   - records: of any machines and workloads; those of one case and machine are taken together.
  ///   - origins: the lines of provenance beside them, for names and revisions of machines.
  ///   - evidence: what an error is known by.
  ///   - kernels: whose promises are believed.
  ///   - bound: the accepted error in a format.
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

  /// The kernel for every workload and machine with the least worst slowdown, and that with the least
  /// geometric mean.
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
