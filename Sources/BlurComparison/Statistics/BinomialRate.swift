import Foundation

/// What a count of events in independent trials says about their rate.
///
/// C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
/// binomial" (1934).
public struct BinomialRate: Sendable {
  /// The number of events, and of trials.
  public let events: Int, trials: Int

  /// Makes a rate.
  ///
  /// - Parameter events: from 0 to `trials`.
  public init(_ events: Int, of trials: Int) {
    self.events = events
    self.trials = trials
  }

  /// What counts in groups say, whose trials have more in common than those of different groups: as if there
  /// were only as many independent trials as the groups' differences show.
  ///
  /// E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number of
  /// positive counts estimated from survey data" (1998). Where groups do not differ, as when there are events
  /// alone, all trials count; of a single group, one.
  public init(groups: [(events: Int, trials: Int)]) {
    let (events, trials) = (groups.reduce(0) { $0 + $1.events }, groups.reduce(0) { $0 + $1.trials })
    let (count, share) = (Double(groups.count), Double(events) / Double(max(1, trials)))
    let squares = groups.reduce(0.0) { sum, group in
      let surplus = Double(group.events) - share * Double(group.trials)
      return sum + surplus * surplus
    }
    var independent = groups.count > 1 ? trials : min(1, trials)
    if groups.count > 1, squares > 0 {
      let variance = count / (count - 1) * squares / Double(trials * trials)
      independent = min(trials, max(1, Int((share * (1 - share) / variance).rounded())))
    }
    self.init(Int((share * Double(independent)).rounded()), of: independent)
  }

  /// The rate is at least this, with 95 % confidence.
  public var lower: Double { Self.rate { atLeast(rate: $0) < 0.05 } }

  /// The rate is at most this, with 95 % confidence.
  public var upper: Double {
    events == trials ? 1 : Self.rate { atMost(events, rate: $0) >= 0.05 }
  }

  /// The probability of as many events, or more, where each trial has one with the probability `rate`.
  func atLeast(rate: Double) -> Double { events == 0 ? 1 : max(0, 1 - atMost(events - 1, rate: rate)) }

  /// The probability of at most `events` where each trial has one with the probability `rate`.
  private func atMost(_ events: Int, rate: Double) -> Double {
    (0...events).reduce(0) { sum, count in
      let choices =
        lgamma(Double(trials + 1)) - lgamma(Double(count + 1)) - lgamma(Double(trials - count + 1))
      return sum + exp(choices + Double(count) * log(rate) + Double(trials - count) * log1p(-rate))
    }
  }

  /// The largest rate for which `isBelow` holds, by bisection.
  private static func rate(where isBelow: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
