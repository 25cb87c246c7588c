import BlurRecords
import BlurText
import Foundation

/// The JSON format that the GitHub action github-action-benchmark reads if smaller values are better. It is a
/// list of objects with `name`, `unit`, `value`, `range` and `extra`.
///
/// The list has one object per benchmark and no room for single samples. The object of a benchmark therefore
/// contains the median of its times as `value`, and half of their interquartile range as `range`.
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
