import BlurRecords
import Foundation

/// The change in speed of the machine itself between two runs, as logarithms of time ratios. It is measured
/// with code that is identical in both builds, so that the code cannot be the reason for the change.
struct MachineShift {
  /// The slowdown of a loop of arithmetic that is timed next to each workload, or nil if one run has no such
  /// times.
  let arithmetic: Double?
  /// The slowdown of the memcpy that is timed together with the blurs of each workload, as the median over
  /// all workloads. It is nil if the two runs have no workload in common.
  let copying: Double?

  init(_ base: [Record], _ head: [Record]) {
    let probes = [base, head].map { Statistics.median($0.compactMap(\.probeTime)) }
    arithmetic = probes[0].flatMap { old in probes[1].map { log($0 / old) } }
    let copies = [base, head].map { records in
      Dictionary(grouping: records.filter { $0.isCopy }, by: \.name)
        .compactMapValues { Statistics.median($0.logTimesOfProcesses) }
    }
    copying = Statistics.median(
      copies[0].compactMap { name, old in copies[1][name].map { $0 - old } })
  }

  /// The range of time changes that a change of the machine alone can explain, as logarithms of time ratios.
  /// The range contains 0, the slowdown of arithmetic and the slowdown of memory copies, because the speed of
  /// a blur can depend on arithmetic, on the memory, or on a mixture.
  var explained: ClosedRange<Double> {
    let shifts = [0] + [arithmetic, copying].compactMap(\.self)
    return (shifts.min() ?? 0)...(shifts.max() ?? 0)
  }

  /// Whether the slowdown of the machine was measured, both with arithmetic and with memory copies.
  var isKnown: Bool { arithmetic != nil && copying != nil }

  /// A text that says how much slower the machine became for arithmetic and for memory copies. It is nil if
  /// neither was measured.
  var words: String? {
    let parts = [("a fixed loop of arithmetic", arithmetic), ("memcpy", copying)].compactMap { name, shift in
      shift.map { "\(name) \(NumberText.change(exp($0)))" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension [Record] {
  /// The logarithms of all times of one case in one run. Times of one process are not independent, because
  /// they share memory pages and the load on the machine.
  var logTimes: [Double] { filter(\.isMeasured).compactMap(\.realTime).map { log($0) } }

  /// For each process that measured the case, the logarithm of its median time. Two runs should be compared
  /// by these values, because times of one process depend on each other.
  var logTimesOfProcesses: [Double] {
    Dictionary(grouping: filter(\.isMeasured), by: \.process).values.compactMap { rows in
      Statistics.median(rows.compactMap(\.realTime)).map { log($0) }
    }.sorted()
  }
}
