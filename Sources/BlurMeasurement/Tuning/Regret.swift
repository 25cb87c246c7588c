import Blur
import BlurRecords
import BlurText
import Foundation

/// The time that is lost by choosing kernels in various ways, compared with always choosing the fastest
/// kernel.
public struct Regret: Encodable, Sendable {
  /// A way of choosing a kernel.
  public enum Method: String, CaseIterable, Sendable {
    /// Always takes the last kernel in the list that keeps the error bound, with the widest instruction set.
    /// That is `pyramid`, or `pyramid-fine` if `pyramid` does not promise the bound.
    case null = "always pyramid"
    /// Chooses by times that are estimated from the operations that the kernels count.
    case estimate
    /// Chooses by times that were measured earlier for exactly this problem.
    case measured
  }

  /// The kernel that a method chose, and its regret. A regret of 1 means that the choice was as fast as the
  /// best kernel.
  public struct Pick: Encodable, Sendable {
    public let kernel: String, regret: Double
  }

  /// The results of one trial.
  public struct Row: Encodable, Sendable {
    /// A short description of the workload, and the accepted error in levels.
    public let workload: String, bound: Double
    /// The name of the fastest kernel and its median time in nanoseconds.
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

  /// The geometric mean and the largest of several regrets.
  public struct Mean: Encodable, Sendable {
    public let geometricMean: Double, worst: Double

    init(_ regrets: [Double]) {
      geometricMean = Statistics.geometricMean(regrets) ?? 1
      worst = regrets.max() ?? 1
    }
  }

  public let rows: [Row]
  public let null: Mean, estimate: Mean, measured: Mean
  /// The median time that it took to choose a kernel by estimate, in nanoseconds.
  public let choosing: Double?

  init(_ rows: [Row], choosing: [Double]) {
    self.rows = rows
    null = Mean(rows.map(\.null.regret))
    estimate = Mean(rows.map(\.estimate.regret))
    measured = Mean(rows.map(\.measured.regret))
    self.choosing = Statistics.median(choosing)
  }

  /// Returns the median of the ratios `times[i] / best[i]`, or 1 if it is not certain that `times` are
  /// longer. The arrays hold interleaved samples from several sessions, and equal indices belong to the same
  /// round.
  ///
  /// A sign test decides: `times` count as longer if chance alone would give such a result in only about one
  /// of 40 cases.
  static func ratio(_ times: [Double], to best: [Double]) -> Double {
    let ratios = zip(times, best).map { $0 / $1 }
    let slower = Double(ratios.count { $0 > 1 })
    let count = Double(ratios.count)
    guard slower > count / 2 + count.squareRoot(), let median = Statistics.median(ratios) else { return 1 }
    return max(1, median)
  }
}

// MARK: Output as text and JSON

extension Regret {
  /// A table of the trials, in which the worst trial comes last, followed by the means.
  public var text: String {
    let head =
      ["workload", "error bound", "fastest", "ms"] + Method.allCases.flatMap { [$0.rawValue, "regret"] }
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
    return "regret: the time of the chosen kernel divided by the time of the fastest one, measured for "
      + "\(rows.count.of("workload")) that were not used to fit the constants of the estimate\n"
      + means.joined()
      + (choosing.map { "choosing by estimate took \(($0 / 1000).fixed(1)) µs (median)\n" } ?? "")
  }

  /// Returns the regrets as one JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }

  /// The contents of a JSON file for the documentation: the regrets and their provenance.
  private struct Figures: Encodable {
    let figures = "regret", provenance: [String]
    let seed: UInt64, count: Int, choosing: Double?
    let null: Mean, estimate: Mean, measured: Mean
    let rows: [Row]
  }

  /// Returns a JSON document with the regrets and their provenance, from which pages of the documentation are
  /// made.
  ///
  /// - Parameters:
  ///   - seed: The seed of the random workloads.
  ///   - provenance: A description of the machine and the build that measured.
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
