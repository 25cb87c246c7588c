import BlurRecords
import BlurText
import Foundation

extension Regret {
  /// A table for a person: the trials, the worst last, and the means.
  public var text: String {
    let head = ["workload", "within", "best", "ms", "by wisdom", "regret", "by cost model", "regret"]
    let lines = rows.sorted {
      ($0.wisdomRegret ?? 1, $0.modelRegret) < ($1.wisdomRegret ?? 1, $1.modelRegret)
    }
    .map { row in
      [
        row.workload, "\((row.bound * 1e4).rounded() / 1e4)", row.best,
        String(format: "%.3f", row.time / 1e6),
        row.wisdom ?? "", row.wisdomRegret.map(Self.ratio) ?? "", row.model, Self.ratio(row.modelRegret),
      ]
    }
    let alignments: [TextTable.Alignment] = [.left, .right, .left, .right, .left, .right, .left, .right]
    return TextTable.aligned([head] + lines, alignments) + "\n\n" + summary
  }

  private var summary: String {
    let means = [("wisdom", wisdom), ("cost model alone", model)].compactMap { name, mean in
      mean.map { "\(name): geometric mean \(Self.ratio($0.geometricMean)), worst \(Self.ratio($0.worst))\n" }
    }
    return "time of the choice over time of the best, \(rows.count) workloads that no tuning has seen\n"
      + means.joined()
      + (choosing.map { "choosing took \(String(format: "%.1f", $0 / 1000)) µs (median)\n" } ?? "")
  }

  /// One JSON object.
  public func json() throws -> String {
    try JSONDocument.text(of: self)
  }

  private static func ratio(_ value: Double) -> String { String(format: "%.3f", value) }
}
