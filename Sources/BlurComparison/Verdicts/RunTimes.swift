import BlurRecords
import Foundation

/// The times of one case in one run, as logarithms.
struct RunTimes {
  /// All samples. Samples of one process are not independent, because they share memory pages and the load on
  /// the machine.
  let samples: [Double]
  /// For each process that measured the case, the logarithm of its median time. Two runs should be compared
  /// by these values, because samples of one process depend on each other.
  let processes: [Double]

  init(_ records: [Record]) {
    let measured = records.filter(\.isMeasured)
    samples = measured.compactMap(\.realTime).map { log($0) }
    processes = Dictionary(grouping: measured, by: \.process).values.compactMap { rows in
      Statistics.median(rows.compactMap(\.realTime)).map { log($0) }
    }.sorted()
  }

  /// The interquartile range of the medians of the processes, or 0 if there are none.
  var spread: Double { Statistics.interquartileRange(processes) ?? 0 }
}

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
        .compactMapValues { Statistics.median(RunTimes($0).processes) }
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
