import BlurRecords

/// The format of another tool, to which records can be exported.
public enum Export: String, CaseIterable, Sendable {
  /// The format of the action github-action-benchmark, for its tool `customSmallerIsBetter`.
  case gha
  /// Bencher's metric format.
  case bencher
  /// The text format of Go's benchmarks, which the program benchstat reads.
  case benchstat
  /// Google Benchmark's JSON document with all repetitions, in the form that its compare.py reads.
  case google

  /// Returns the records in this format. Cases without times, and cases with wrong results, are left out.
  public func of(_ records: [Record], origin: ProvenanceReader = ProvenanceReader()) -> Exported {
    let measured = MeasuredCases(records, maximumName: self == .bencher ? BencherExport.maximumName : nil)
    let text =
      switch self {
      case .gha: ActionExport.text(measured.cases)
      case .bencher: BencherExport.text(measured.cases)
      case .benchstat: GoExport.text(measured.cases, origin)
      case .google:
        RecordsJSON.document(
          measured.cases.flatMap(\.records),
          context: origin.context(machineKey: measured.cases.first?.records[0].machineKey))
      }
    return Exported(text: text, count: measured.cases.count, leftOut: measured.leftOut)
  }
}

/// Records that were converted to the format of another tool.
public struct Exported: Sendable {
  /// The document in the other tool's format, as text.
  public let text: String
  /// The number of cases in the document.
  public let count: Int
  /// One line for each case that was not exported, with the case's name and the reason.
  public let leftOut: [String]
}

/// The cases that can be exported to another tool. A case can be exported if all of its records have valid
/// times.
struct MeasuredCases {
  /// One case with its samples.
  struct Item {
    let name: String
    let records: [Record]
    /// The wall-clock times per blur in nanoseconds, and their median.
    let times: [Double], median: Double
    /// The largest error of the case's blurred test image compared with the exact blur, in 8-bit levels. It
    /// is nil if the error was not determined.
    var maxErrorLevels: Double? { records.compactMap(\.maxErrorLevels).max() }
  }

  /// The cases that can be exported, in the order of their first records.
  private(set) var cases: [Item] = []
  private(set) var leftOut: [String] = []

  /// Selects the cases that can be exported.
  ///
  /// - Parameter maximumName: The maximum length of a case's name in characters, or nil if any length is
  ///   allowed.
  init(_ records: [Record], maximumName: Int? = nil) {
    for (name, records) in records.inGroups(by: \.name) {
      let times = records.compactMap(\.realTime)
      if let reason = Self.obstacle(name, records, maximumName) {
        leftOut.append("\(name.plain): \(reason.plain)")
      } else if let median = Statistics.median(times) {
        cases.append(Item(name: name, records: records, times: times, median: median))
      }
    }
  }

  /// Returns the reason to leave out a case, or nil if the case can be exported. One wrong result makes all
  /// times of a case untrustworthy.
  private static func obstacle(_ name: String, _ records: [Record], _ maximumName: Int?) -> String? {
    if let wrong = records.first(where: \.errorOccurred) { return "wrong: \(wrong.errorMessage)" }
    if let other = records.first(where: { !$0.isMeasured }) {
      return other.isSkipped ? "skipped: \(other.errorMessage)" : "no time"
    }
    guard let maximumName, name.count > maximumName else { return nil }
    return "the name has more than \(maximumName) characters"
  }
}
