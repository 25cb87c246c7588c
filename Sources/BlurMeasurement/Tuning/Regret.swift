import Blur
import BlurRecords
import BlurText
import Foundation

/// How much longer what is chosen takes than the best in hindsight.
public struct Regret: Encodable, Sendable {
  /// What chooses.
  public enum Method: String, CaseIterable, Sendable {
    /// Always the same kernel: the last of the list that keeps the bound, with the widest instruction set.
    /// That is `pyramid`, or `pyramid-fine` where `pyramid` does not promise the bound.
    case null = "always pyramid"
    /// Operations counted by the kernels.
    case estimate
    /// Times of this very problem, measured before.
    case measured
  }

  /// What a method chose, and its regret: 1 is none.
  public struct Pick: Encodable, Sendable {
    public let kernel: String, regret: Double
  }

  /// A trial.
  public struct Row: Encodable, Sendable {
    /// The workload in a few words, and the accepted error in levels.
    public let workload: String, bound: Double
    /// The fastest, and its median time in nanoseconds.
    public let best: String, time: Double
    public let null: Pick, estimate: Pick, measured: Pick

    func pick(_ method: Method) -> Pick {
      switch method {
      case .null: null
      case .estimate: estimate
      case .measured: measured
      }
    }
  }

  /// Geometric mean and worst of some rows.
  public struct Mean: Encodable, Sendable {
    public let geometricMean: Double, worst: Double

    init(_ regrets: [Double]) {
      geometricMean = Statistics.geometricMean(regrets) ?? 1
      worst = regrets.max() ?? 1
    }
  }

  public let rows: [Row]
  public let null: Mean, estimate: Mean, measured: Mean
  /// The median of the time that choosing by estimate took, in nanoseconds.
  public let choosing: Double?

  init(_ rows: [Row], choosing: [Double]) {
    self.rows = rows
    null = Mean(rows.map(\.null.regret))
    estimate = Mean(rows.map(\.estimate.regret))
    measured = Mean(rows.map(\.measured.regret))
    self.choosing = Statistics.median(choosing)
  }

  /// One time over another, from interleaved samples taken in several sessions: the median of the rounds'
  /// ratios, or 1 where it is not sure that the first takes longer. Sure is what chance does in one of 40
  /// cases, by the sign test.
  static func ratio(_ times: [Double], to best: [Double]) -> Double {
    let ratios = zip(times, best).map { $0 / $1 }
    let slower = Double(ratios.count { $0 > 1 })
    let count = Double(ratios.count)
    guard slower > count / 2 + count.squareRoot(), let median = Statistics.median(ratios) else { return 1 }
    return max(1, median)
  }
}

// MARK: Text

extension Regret {
  /// A table as text: the trials, the worst last, and the means.
  public var text: String {
    let head = ["workload", "within", "best", "ms"] + Method.allCases.flatMap { [$0.rawValue, "regret"] }
    let lines = rows.sorted { $0.worst < $1.worst }.map { row in
      [
        row.workload, "\((row.bound * 1e4).rounded() / 1e4)", row.best,
        String(format: "%.3f", row.time / 1e6),
      ] + Method.allCases.flatMap { [row.pick($0).kernel, Self.ratio(row.pick($0).regret)] }
    }
    let alignments: [TextTable.Alignment] =
      [.left, .right, .left, .right] + Method.allCases.flatMap { _ in [.left, .right] }
    return TextTable.aligned([head] + lines, alignments) + "\n\n" + summary
  }

  private var summary: String {
    let means = zip(Method.allCases, [null, estimate, measured]).map { method, mean in
      "\(method.rawValue): geometric mean \(Self.ratio(mean.geometricMean)), "
        + "worst \(Self.ratio(mean.worst))\n"
    }
    return "time of the choice over time of the best, \(rows.count.of("workload")) "
      + "that no constant was fitted to\n" + means.joined()
      + (choosing.map { "choosing by estimate took \(($0 / 1000).fixed(1)) µs (median)\n" } ?? "")
  }

  /// One JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }

  /// What a file of figures holds: this, and where it comes from.
  private struct Figures: Encodable {
    let figures = "regret", provenance: [String]
    let seed: UInt64, count: Int, choosing: Double?
    let null: Mean, estimate: Mean, measured: Mean
    let rows: [Row]
  }

  /// A JSON document that says where it comes from, for pages of docs.
  ///
  /// - Parameter seed: that of the workloads.
  public func figures(seed: UInt64, _ provenance: Provenance) throws -> String {
    try JSONDocument.text(
      of: Figures(
        provenance: provenance.text.split(separator: "\n").map(String.init), seed: seed, count: rows.count,
        choosing: choosing, null: null, estimate: estimate, measured: measured, rows: rows))
  }

  private static func ratio(_ value: Double) -> String { String(format: "%.3f", value) }
}

extension Regret.Row {
  fileprivate var worst: Double { max(estimate.regret, measured.regret) }
}
