import BlurRecords

/// Another tool's format for records.
public enum Export: String, CaseIterable, Sendable {
  /// The action github-action-benchmark, its tool `customSmallerIsBetter`.
  case gha
  /// Bencher's metric format.
  case bencher
  /// Go's benchmark text, for benchstat.
  case benchstat
  /// Google Benchmark's JSON document, for its compare.py.
  case google

  /// Writes records for the tool; cases without times, and wrong ones, are left out.
  public func of(_ records: [Record], origin: ProvenanceReader = ProvenanceReader()) -> Exported {
    let measured = MeasuredCases(records, maximumName: self == .bencher ? BencherExport.maximumName : nil)
    let text =
      switch self {
      case .gha: ActionExport.text(measured.cases)
      case .bencher: BencherExport.text(measured.cases)
      case .benchstat: GoExport.text(measured.cases, origin)
      case .google: GoogleExport.text(measured.cases, origin)
      }
    return Exported(text: text, count: measured.cases.count, leftOut: measured.leftOut)
  }
}

/// Records in another tool's format.
public struct Exported: Sendable {
  /// The whole document.
  public let text: String
  /// How many cases it holds.
  public let count: Int
  /// One line for each case that it lacks: the name, and why.
  public let leftOut: [String]
}

/// The cases of records that have nothing but times.
struct MeasuredCases {
  /// One case with its samples.
  struct Item {
    let name: String
    let records: [Record]
    /// Wall times in nanoseconds per blur, and their median.
    let times: [Double], median: Double
    /// Largest error on the verified picture, in levels.
    var maxErrorLevels: Double? { records.compactMap(\.maxErrorLevels).max() }
  }

  /// In the order of their first records.
  private(set) var cases: [Item] = []
  private(set) var leftOut: [String] = []

  /// - Parameter maximumName: how many characters a name may have.
  init(_ records: [Record], maximumName: Int? = nil) {
    let byName = Dictionary(grouping: records, by: \.name)
    var seen: Set<String> = []
    for record in records where seen.insert(record.name).inserted {
      let (name, records) = (record.name, byName[record.name] ?? [])
      let times = records.compactMap(\.realTime)
      if let reason = Self.obstacle(name, records, maximumName) {
        leftOut.append("\(name.plain): \(reason.plain)")
      } else if let median = Statistics.median(times) {
        cases.append(Item(name: name, records: records, times: times, median: median))
      }
    }
  }

  /// Why a case is left out. One wrong result speaks against all times of a case.
  private static func obstacle(_ name: String, _ records: [Record], _ maximumName: Int?) -> String? {
    if let wrong = records.first(where: \.errorOccurred) { return "wrong: \(wrong.errorMessage)" }
    if let other = records.first(where: { !$0.isMeasured }) {
      return other.isSkipped ? "skipped: \(other.errorMessage)" : "no time"
    }
    guard let maximumName, name.count > maximumName else { return nil }
    return "the name has more than \(maximumName) characters"
  }
}
