import BlurRecords
import BlurText
import Foundation

/// A format in which records can be exported for another tool.
public enum Export: String, CaseIterable, Sendable {
  /// The JSON format that the GitHub action github-action-benchmark reads if its input `tool` is
  /// `customSmallerIsBetter`. It is a list of objects with `name`, `unit`, `value`, `range` and `extra`.
  ///
  /// Each benchmark is one object, which has no room for individual samples. Its `value` is therefore the
  /// median of the times, and its `range` is half of their interquartile range.
  case gha
  /// Bencher's metric format. It is a JSON object that contains one object per benchmark. Each benchmark
  /// contains measures, and each measure is an object with `value`, `lower_value` and `upper_value`.
  ///
  /// Bencher defines the measure `latency` for times in nanoseconds. Its value is the median of the times,
  /// and its lower and upper values are the quartiles.
  case bencher
  /// Go's benchmark data format (proposal 14313), which the program benchstat reads. It consists of
  /// `key: value` lines, and of one line per repetition. A repetition's line contains a name, the number of
  /// iterations, and values with units.
  ///
  /// If two results differ in the value of a key, benchstat puts them into separate tables. It therefore
  /// never compares times from different machines.
  case benchstat
  /// Google Benchmark's JSON format, which its script compare.py reads. The document contains all
  /// repetitions.
  case google

  /// The maximum length of a benchmark's name in characters, or nil if any length is allowed.
  private var maximumName: Int? { self == .bencher ? 1024 : nil }

  /// Returns the records in this format. Cases without times, and cases with wrong results, are left out.
  ///
  /// - Returns: The document as text, the number of cases in it, and one line for each case that was left
  ///   out, with the case's name and the reason.
  public func of(
    _ records: [Record], origin: ProvenanceReader = ProvenanceReader()
  ) -> (text: String, count: Int, leftOut: [String]) {
    var cases: [MeasuredCase] = []
    var leftOut: [String] = []
    for (name, records) in records.inGroups(by: \.name) {
      let times = records.compactMap(\.realTime)
      if let reason = obstacle(name, records) {
        leftOut.append("\(name.plain): \(reason.plain)")
      } else if let median = Statistics.median(times) {
        cases.append(MeasuredCase(name: name, records: records, times: times, median: median))
      }
    }
    let text =
      switch self {
      case .gha: JSONText.array(cases.map(\.forAction)).text() + "\n"
      case .bencher: JSONText.object(cases.map { ($0.name, $0.forBencher) }).text() + "\n"
      case .benchstat: Self.goText(cases, origin)
      case .google:
        RecordsJSON.document(
          cases.flatMap(\.records), context: origin.context(machineKey: cases.first?.records[0].machineKey))
      }
    return (text, cases.count, leftOut)
  }

  /// Returns the reason to leave out a case, or nil if the case can be exported. A case is left out if one of
  /// its results is wrong, because then none of its times can be trusted.
  private func obstacle(_ name: String, _ records: [Record]) -> String? {
    if let wrong = records.first(where: \.errorOccurred) { return "wrong: \(wrong.errorMessage)" }
    if let other = records.first(where: { !$0.isMeasured }) {
      return other.isSkipped ? "skipped: \(other.errorMessage)" : "no time"
    }
    guard let maximumName, name.count > maximumName else { return nil }
    return "the name has more than \(maximumName) characters"
  }

  // MARK: Go's format

  private static func goText(_ cases: [MeasuredCase], _ origin: ProvenanceReader) -> String {
    var lines = goConfiguration(origin)
    var machine: String?
    for item in cases {
      for record in item.records {
        if record.machineKey != machine {
          machine = record.machineKey
          lines.append("machine-key: \(record.machineKey.plain)")
        }
        guard let time = record.realTime else { continue }
        lines.append("\(goName(item.name))-\(record.threads)\t\(record.iterations ?? 1)\t\(time) ns/op")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns the known properties of the machine, with the keys that `go test` uses.
  private static func goConfiguration(_ origin: ProvenanceReader) -> [String] {
    let flags = Set(origin["cpu flags"]?.split(separator: " ").map(String.init) ?? [])
    let architecture = flags.contains("sse2") ? "amd64" : flags.contains("asimd") ? "arm64" : nil
    // Foundation's description of the system begins with "Version" on macOS, and with the name of the
    // distribution on Linux.
    let system = origin["system"].map { $0.hasPrefix("Version ") ? "darwin" : "linux" }
    let pairs = [
      ("goos", system), ("goarch", architecture), ("pkg", "blurbench"), ("cpu", origin["cpu"]),
    ]
    return pairs.compactMap { key, value in value.map { "\(key): \($0.plain)" } }
  }

  /// Returns a name in the form that Go's format requires. Such a name begins with `Benchmark`, continues
  /// with a character that is not a lowercase letter, and contains no spaces. Spaces, invisible characters
  /// and percent signs are percent-encoded, so that different names remain different.
  static func goName(_ name: String) -> String {
    let rest = name.hasPrefix("BM_") ? String(name.dropFirst(3)) : "/" + name
    let isBad = rest.unicodeScalars.first?.properties.isLowercase == true
    let text = (isBad ? "/" : "") + rest
    return "Benchmark"
      + text.unicodeScalars.map { scalar in
        let isPlain = scalar != "%" && scalar != " " && String(scalar).plain == String(scalar)
        return isPlain
          ? String(scalar) : String(scalar).utf8.map { String(format: "%%%02X", $0) }.joined()
      }.joined()
  }
}

/// A case with its samples. All of its records have valid times.
private struct MeasuredCase {
  let name: String
  let records: [Record]
  /// The wall-clock times per blur in nanoseconds, and their median.
  let times: [Double], median: Double
  /// The largest difference between the case's blurred test image and the exact blur, in 8-bit levels, or nil
  /// if the error was not measured.
  private var maxErrorLevels: Double? { records.compactMap(\.maxErrorLevels).max() }

  var forAction: JSONText {
    let spread = (Statistics.interquartileRange(times) ?? 0) / 2
    let extra = [
      "median of \(times.count)",
      maxErrorLevels.map { String(format: "max error %g levels", $0) } ?? "",
      records[0].machineKey.isEmpty ? "" : "machine \(records[0].machineKey)",
    ]
    return .object([
      ("name", .string(name)), ("unit", .string("ns/iter")), ("value", .number(median)),
      ("range", .string("± " + String(format: "%.0f", spread))),
      ("extra", .string(extra.filter { !$0.isEmpty }.joined(separator: "\n"))),
    ])
  }

  var forBencher: JSONText {
    let bounds: [(String, Double?)] = [
      ("value", median), ("lower_value", Statistics.quantile(0.25, of: times)),
      ("upper_value", Statistics.quantile(0.75, of: times)),
    ]
    let latency = JSONText.object(bounds.compactMap { key, value in value.map { (key, .number($0)) } })
    let error = maxErrorLevels.map { JSONText.object([("value", .number($0))]) }
    return .object([("latency", latency)] + (error.map { [("max-error-levels", $0)] } ?? []))
  }
}
