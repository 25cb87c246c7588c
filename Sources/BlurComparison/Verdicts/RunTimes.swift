import BlurRecords
import Foundation

/// The times of one case in one run, as logarithms.
struct RunTimes {
  /// All samples. Those of one process have memory pages and neighbours in common.
  let samples: [Double]
  /// The median of each process: what may be compared between runs.
  let processes: [Double]

  init(_ records: [Record]) {
    let measured = records.filter(\.isMeasured)
    samples = measured.compactMap(\.realTime).map { log($0) }
    processes = Dictionary(grouping: measured, by: \.process).values.compactMap { rows in
      Statistics.median(rows.compactMap(\.realTime)).map { log($0) }
    }.sorted()
  }

  /// How far the middle half of the processes is apart.
  var spread: Double { Statistics.interquartileRange(processes) ?? 0 }
}

/// By how much the machine itself was slower in the second of two runs, as logarithms: what takes longer
/// although it does not depend on the code that is compared.
struct MachineShift {
  /// Of the arithmetic that is timed beside each workload; nil where a run has none.
  let arithmetic: Double?
  /// Of the memcpy beside each workload, the median of all; nil where the runs have none in common.
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

  /// What the machine explains of a change: a case is bound by arithmetic, by memory, or by something
  /// between.
  var explained: ClosedRange<Double> {
    let shifts = [0] + [arithmetic, copying].compactMap(\.self)
    return (shifts.min() ?? 0)...(shifts.max() ?? 0)
  }

  /// Whether both kinds of shift are known.
  var isKnown: Bool { arithmetic != nil && copying != nil }

  /// The shifts in words; nil where none is known.
  var words: String? {
    let parts = [("a fixed loop of arithmetic", arithmetic), ("memcpy", copying)].compactMap { name, shift in
      shift.map { "\(name) \(NumberText.change(exp($0)))" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
