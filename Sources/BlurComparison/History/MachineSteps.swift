import BlurRecords
import Foundation

/// A lasting change in the times of one case.
struct DatedStep {
  /// The indices of the files at which the change may have happened. The range begins after the last file
  /// that has a time from before the change. It ends at the first file that has a time from after the change.
  let files: ClosedRange<Int>
  let p: Double
  /// The logarithm of the factor by which the median time changed.
  let shift: Double

  /// Returns whether two changes in speed may have happened at the same time. Each change happened somewhere
  /// in its range of files (``files``). The result is true if the two ranges overlap or are adjacent.
  func coincides(with other: DatedStep) -> Bool {
    files.lowerBound <= other.files.upperBound + 1 && other.files.lowerBound <= files.upperBound + 1
  }
}

/// Steps in the speed of the machine itself, which show up in the times of memory copies and of a fixed
/// arithmetic loop. This type finds out how much of a case's step is left when the machine's steps are taken
/// into account.
struct MachineSteps {
  /// The trends and steps of all cases, grouped by workload. The key of a workload is the name of the case
  /// that copies its image.
  private let groups: [String: [(trend: History.Trend, steps: [DatedStep])]]
  /// The steps in the time of the fixed arithmetic loop.
  private let clock: [DatedStep]
  /// The smallest change that counts, as the logarithm of a time ratio.
  private let limit: Double

  init(_ trends: [History.Trend], _ steps: [[DatedStep]], clock: [DatedStep], limit: Double) {
    groups = Dictionary(grouping: zip(trends, steps).map { (trend: $0, steps: $1) }) {
      Self.copyName(of: $0.trend)
    }
    self.clock = clock
    self.limit = limit
  }

  private static func copyName(of trend: History.Trend) -> String {
    (try? Case(name: trend.name)).map { Case.copying($0.workload).name } ?? ""
  }

  /// Returns, for each step of a case, the part that comes from the blur itself and not from the machine. The
  /// part is the logarithm of a time ratio.
  ///
  /// If the machine has a step in the same direction at the same time, the change that the machine's step
  /// explains is subtracted from the step of the case. If at most `limit` is left, the machine explains the
  /// whole step, and the result is nil for this step. If the machine has no such step, the result is the
  /// whole step of the case.
  ///
  /// The steps are handled from the latest to the earliest. If the machine became fast again after a step but
  /// the case did not, the blur itself has become slower. The result is then at least as large as this
  /// slowdown, unless a later step of the case accounts for it.
  func ownShifts(of trend: History.Trend, _ steps: [DatedStep]) -> [Double?] {
    let group = groups[Self.copyName(of: trend)] ?? []
    let copy = group.first { $0.trend.name == Self.copyName(of: $0.trend) }
    var own: [Double?] = steps.map(\.shift)
    for (number, step) in steps.enumerated().reversed() {
      let later = own[(number + 1)...].reduce(0) { $0 + ($1 ?? 0) }
      let remaining = steps[number...].reduce(0) { $0 + $1.shift } - later
      let sign = step.shift < 0 ? -1.0 : 1.0
      let ratio = copy.map { self.ratio(of: trend, to: $0.trend, at: step, in: group.map(\.steps)) } ?? 1
      let rests = [(clock, 1), (copy?.steps ?? [], ratio)].compactMap { source, ratio -> Double? in
        // The case takes `ratio` times as long as a copy of its image, so copying memory can account for at
        // most the fraction 1 / `ratio` of its time. If copies become slower, only this fraction grows.
        let explained = { (steps: [DatedStep]) in log1p(expm1(steps.reduce(0) { $0 + $1.shift }) / ratio) }
        let now = explained(source.filter { $0.coincides(with: step) })
        guard now * sign > 0 else { return nil }
        let sinceThen = explained(source.filter { $0.files.upperBound >= step.files.lowerBound - 1 })
        return max(0, sign * (step.shift - now), sign * (remaining - sinceThen))
      }
      if let rest = rests.min() { own[number] = rest <= limit ? nil : sign * rest }
    }
    return own
  }

  /// Returns the time of a case before a step, divided by the time of a memory copy before the step, but at
  /// least 1. If at least half of the workload's blurs have a step in the same direction at the same time,
  /// the result is 1. In that case, whatever changed the speed of the memory copy changed the speed of the
  /// blurs by about as much.
  private func ratio(
    of trend: History.Trend, to copy: History.Trend, at step: DatedStep, in steps: [[DatedStep]]
  ) -> Double {
    let moved = steps.count {
      $0.contains {
        ($0.shift > 0) == (step.shift > 0) && abs($0.shift) >= limit && $0.coincides(with: step)
      }
    }
    // The list `steps` also includes the memory copy itself, which has a step in the same direction at the
    // same time and is therefore counted in `moved`. Only blurs should be counted, so 1 is subtracted from
    // both numbers.
    if 2 * (moved - 1) >= steps.count - 1 { return 1 }
    let before = { (trend: History.Trend) in
      Statistics.median(trend.times[..<step.files.lowerBound].compactMap(\.self))
    }
    guard let time = before(trend), let copyTime = before(copy) else { return 1 }
    return max(1, time / copyTime)
  }
}
