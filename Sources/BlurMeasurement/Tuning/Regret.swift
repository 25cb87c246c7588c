import Blur
import BlurRecords
import Foundation

/// How much longer what is chosen takes than the best in hindsight.
public struct Regret: Encodable, Sendable {
  /// A trial.
  public struct Row: Encodable, Sendable {
    /// The workload in a few words, and the accepted error in levels.
    public let workload: String, bound: Double
    /// The quickest, and its median time in nanoseconds.
    public let best: String, time: Double
    /// What wisdom chose and what the cost model chose, and their regret: 1 is none. No wisdom, no values.
    public let wisdom: String?, wisdomRegret: Double?
    public let model: String, modelRegret: Double
    /// Nanoseconds that choosing took, with wisdom.
    public let choosing: Double?
  }

  /// Geometric mean and worst of some rows.
  public struct Mean: Encodable, Sendable {
    public let geometricMean: Double, worst: Double

    init?(_ regrets: [Double]) {
      guard let mean = Statistics.geometricMean(regrets), let worst = regrets.max() else { return nil }
      (geometricMean, self.worst) = (mean, worst)
    }
  }

  public let rows: [Row]
  public let wisdom: Mean?, model: Mean?
  /// The median of the time that choosing took, in nanoseconds.
  public let choosing: Double?

  init(_ rows: [Row]) {
    self.rows = rows
    wisdom = Mean(rows.compactMap(\.wisdomRegret))
    model = Mean(rows.map(\.modelRegret))
    choosing = Statistics.median(rows.compactMap(\.choosing))
  }

  /// One time over another, from samples that were taken by turns, in several sessions: the median of the rounds'
  /// ratios, or 1 where it is not sure that the first takes longer. Sure is what chance does in one of 40 cases, by the
  /// sign test.
  static func ratio(_ times: [Double], to best: [Double]) -> Double {
    let ratios = zip(times, best).map { $0 / $1 }
    let slower = Double(ratios.count { $0 > 1 })
    let count = Double(ratios.count)
    guard slower > count / 2 + count.squareRoot(), let median = Statistics.median(ratios) else { return 1 }
    return max(1, median)
  }
}
