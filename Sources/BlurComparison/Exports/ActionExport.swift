import BlurRecords
import BlurText
import Foundation

/// The format of github-action-benchmark for results of which smaller ones are better: a list of objects with
/// `name`, `unit`, `value`, `range` and `extra`.
///
/// It has one row for each name, so a case is its median, with half the distance of the quartiles as the
/// range.
enum ActionExport {
  static func text(_ cases: [MeasuredCases.Item]) -> String {
    JSONText.array(cases.map(row)).text() + "\n"
  }

  private static func row(_ item: MeasuredCases.Item) -> JSONText {
    let spread = (Statistics.interquartileRange(item.times) ?? 0) / 2
    let extra = [
      "median of \(item.times.count)",
      item.maxErrorLevels.map { String(format: "max error %g levels", $0) } ?? "",
      item.records[0].machineKey.isEmpty ? "" : "machine \(item.records[0].machineKey)",
    ]
    return .object([
      ("name", .string(item.name)), ("unit", .string("ns/iter")), ("value", .number(item.median)),
      ("range", .string("± " + String(format: "%.0f", spread))),
      ("extra", .string(extra.filter { !$0.isEmpty }.joined(separator: "\n"))),
    ])
  }
}
