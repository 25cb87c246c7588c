import BlurMeasurement
import Foundation

/// Finds out how many rows a kernel must blur once more so that it is slower by a given share.
///
/// A strip costs more than its share of the rows, because the rows beside it are read too; so two strips are
/// measured, and the time of a strip is taken as a straight line.
struct Planting {
  private static let trials = 7

  /// The height of each case's image.
  let heights: [Int]
  let names: [String]
  let process: SideProcesses
  let settings: ContestSettings

  /// By case: what a strip of one row and each further row cost, as shares of the whole; nil where that could not be
  /// measured.
  func costs() throws(MeasurementError) -> [Cost?] {
    let entry = { (rows: @escaping (Int) -> Int) in
      { (index: Int) in PaceEntry(names[index], repeatedRows: rows(index)) }
    }
    let contest = Contest(
      count: names.count,
      [
        Contestant(track: 0, slot: 0, entry: entry { _ in 0 }),
        Contestant(track: 0, slot: 1, isJudged: true, entry: entry { _ in 1 }),
        Contestant(track: 0, slot: 2, isJudged: true, entry: entry { large(heights[$0]) }),
      ], settings
    ) { _ throws(MeasurementError) in [try process.start()] }
    for _ in 0..<Self.trials { try contest.trial(of: Array(names.indices)) }
    return names.indices.map { index in
      let ratios = contest.standings[index].logRatios.dropFirst().map { SignedRank($0).estimate.map(exp) }
      guard let one = ratios[0], let many = ratios[1], many > one else { return nil }
      return Cost(first: one - 1, further: (many - one) / Double(large(heights[index]) - 1))
    }
  }

  private func large(_ height: Int) -> Int { max(2, height / 8) }

  /// What a strip costs.
  struct Cost {
    let first: Double, further: Double

    /// The rows of a strip that costs this share of the whole; nil where one row costs more.
    func rows(for share: Double) -> Int? {
      guard first <= share, further > 0 else { return nil }
      return 1 + Int(((share - first) / further).rounded())
    }
  }
}
