import BlurRecords
import BlurText

/// Bencher's metric format. It is an object that contains benchmarks. Each benchmark is an object that
/// contains measures, and each measure is an object with `value`, `lower_value` and `upper_value`.
///
/// The measure `latency` is defined by Bencher and is in nanoseconds. Its value is the median, and its limits
/// are the quartiles.
enum BencherExport {
  /// The maximum length of a benchmark's name in Bencher, in characters.
  static let maximumName = 1024

  static func text(_ cases: [MeasuredCases.Item]) -> String {
    JSONText.object(cases.map { ($0.name, measures($0)) }).text() + "\n"
  }

  private static func measures(_ item: MeasuredCases.Item) -> JSONText {
    let bounds: [(String, Double?)] = [
      ("value", item.median), ("lower_value", Statistics.quantile(0.25, of: item.times)),
      ("upper_value", Statistics.quantile(0.75, of: item.times)),
    ]
    let latency = JSONText.object(bounds.compactMap { key, value in value.map { (key, .number($0)) } })
    let error = item.maxErrorLevels.map { JSONText.object([("value", .number($0))]) }
    return .object([("latency", latency)] + (error.map { [("max-error-levels", $0)] } ?? []))
  }
}
