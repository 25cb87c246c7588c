import BlurRecords
import BlurText
import Foundation

/// The format of another tool, to which records can be exported.
public enum Export: String, CaseIterable, Sendable {
  /// The JSON format that the GitHub action github-action-benchmark reads for its tool
  /// `customSmallerIsBetter`. It is a list of objects with `name`, `unit`, `value`, `range` and `extra`.
  ///
  /// The list has one object per benchmark and no room for individual samples. The object of a benchmark
  /// therefore contains the median of its times as `value`, and half of their interquartile range as `range`.
  case gha
  /// Bencher's metric format. It is an object that contains benchmarks. Each benchmark is an object that
  /// contains measures, and each measure is an object with `value`, `lower_value` and `upper_value`.
  ///
  /// The measure `latency` is defined by Bencher and is in nanoseconds. Its value is the median, and its
  /// limits are the quartiles.
  case bencher
  /// Go's benchmark data format (proposal 14313), which the program benchstat reads. It consists of lines
  /// `key: value`, and one line for each repetition with a name, the number of iterations, and values with
  /// units.
  ///
  /// benchstat puts results with different keys into different tables, so that times of different machines
  /// are not compared.
  case benchstat
  /// Google Benchmark's JSON document with all repetitions, in the form that its compare.py reads.
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

  /// Returns a name in the form that Go's format requires. Such a name begins with `Benchmark`, the next
  /// character is not a lowercase letter, and there are no spaces. Spaces, invisible characters and percent
  /// signs are percent-encoded, so that different names remain different.
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
  /// The largest error of the case's blurred test image compared with the exact blur, in 8-bit levels. It is
  /// nil if the error was not determined.
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
