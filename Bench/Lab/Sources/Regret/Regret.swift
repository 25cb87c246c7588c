import Blur
import BlurRecords
import BlurText
import Foundation

/// A report on how much time is lost if kernels are chosen in various ways, compared with always choosing the
/// fastest kernel.
struct Regret {
  /// A method of choosing a kernel for a workload.
  enum Method: String, CaseIterable {
    /// Always chooses the kernel `pyramid`, or the more accurate `pyramid-fine` if `pyramid` does not promise
    /// the required error bound. The widest instruction set is used.
    case null = "always pyramid"
    /// Chooses a kernel by estimated times, which are computed from the operations that the kernels count.
    case estimate
    /// Chooses a kernel by measured times. The kernels were timed beforehand on exactly this problem.
    case measured
  }

  /// The kernel that was chosen by one of the methods, and its regret. The regret is the time of the chosen
  /// kernel divided by the time of the fastest kernel, so it is at least 1.
  struct Pick: Encodable {
    let kernel: String, regret: Double
  }

  /// The results for one randomly chosen workload.
  struct Row: Encodable {
    /// A short description of the workload, and the largest error that is accepted, in levels.
    let workload: String, bound: Double
    /// The name of the fastest kernel and its median time in nanoseconds.
    let best: String, time: Double
    let null: Pick, estimate: Pick, measured: Pick

    func pick(_ method: Method) -> Pick {
      switch method {
      case .null: null
      case .estimate: estimate
      case .measured: measured
      }
    }
  }

  /// The geometric mean and the largest of several regrets.
  struct Mean: Encodable {
    let geometricMean: Double, worst: Double

    init(_ regrets: [Double]) {
      geometricMean = Statistics.geometricMean(regrets) ?? 1
      worst = regrets.max() ?? 1
    }
  }

  let rows: [Row]
  let null: Mean, estimate: Mean, measured: Mean
  /// The median time in nanoseconds that the library needs to choose a kernel by estimated times.
  let choosing: Double?

  init(_ rows: [Row], choosing: [Double]) {
    self.rows = rows
    null = Mean(rows.map(\.null.regret))
    estimate = Mean(rows.map(\.estimate.regret))
    measured = Mean(rows.map(\.measured.regret))
    self.choosing = Statistics.median(choosing)
  }

  /// Returns how many times longer one kernel takes than the fastest kernel. The result is the median of the
  /// ratios `times[i] / best[i]`. If it is not certain that the kernel is slower, the result is 1.
  ///
  /// The arrays hold times from several sessions, and times with equal indices were measured shortly after
  /// each other. A sign test decides whether the kernel is slower: pure chance would give such a result in
  /// only about one of 40 cases.
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
  /// A table of the results with one row per workload. The rows are sorted, so that the workload with the
  /// largest regret comes last. The mean regrets follow below the table.
  var text: String {
    let picks = Method.allCases.flatMap { method -> [Column<Row>] in
      [
        Column(method.rawValue) { $0.pick(method).kernel },
        Column("regret", .right) { Self.ratio($0.pick(method).regret) },
      ]
    }
    let columns: [Column<Row>] = [
      Column("workload") { $0.workload }, Column("error bound", .right) { ($0.bound * 1e4).rounded() / 1e4 },
      Column("fastest") { $0.best }, Column("ms", .right) { ($0.time / 1e6).fixed(3) },
    ]
    return Table(columns + picks).text(rows.sorted { $0.worst < $1.worst }) + "\n\n" + summary
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

  /// The contents of the JSON document.
  private struct Figures: Encodable {
    let figures = "regret", provenance: [String]
    let seed: UInt64, count: Int, choosing: Double?
    let null: Mean, estimate: Mean, measured: Mean
    let rows: [Row]
  }

  /// Returns a JSON document with the regrets and their provenance, from which pages of the documentation are
  /// made. The workloads were made with the given seed.
  func figures(seed: UInt64, _ provenance: Provenance) throws -> String {
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
