import Foundation

/// The rate of an event, estimated from a number of independent trials.
///
/// The confidence limits follow C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
/// illustrated in the case of the binomial" (1934).
public struct BinomialRate: Sendable {
  /// The number of events, and the number of trials.
  public let events: Int, trials: Int

  /// Creates a rate. The number of events must be between 0 and `trials`.
  public init(_ events: Int, of trials: Int) {
    self.events = events
    self.trials = trials
  }

  /// Creates a rate from trials that come in groups, such as the cases of several comparisons. The trials of
  /// one group resemble each other, so they carry less information than independent trials. The rate is
  /// therefore treated as if it came from a smaller number of independent trials. This number is chosen so
  /// that the variance of the rate agrees with the observed differences between the groups.
  ///
  /// If all groups have the same rate, for example because every trial has an event, the number of trials is
  /// not reduced. A single group counts as one trial.
  ///
  /// Source: E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number
  /// of positive counts estimated from survey data" (1998).
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

  /// The lower confidence limit: the rate is at least this value, with 95 % confidence.
  public var lower: Double { Self.rate { atLeast(rate: $0) < 0.05 } }

  /// The upper confidence limit: the rate is at most this value, with 95 % confidence.
  public var upper: Double {
    events == trials ? 1 : Self.rate { atMost(events, rate: $0) >= 0.05 }
  }

  /// Returns the probability of at least `events` events, if each trial has an event with the probability
  /// `rate`.
  func atLeast(rate: Double) -> Double { events == 0 ? 1 : max(0, 1 - atMost(events - 1, rate: rate)) }

  /// Returns the probability of at most `events` events, if each trial has an event with the probability
  /// `rate`.
  private func atMost(_ events: Int, rate: Double) -> Double {
    (0...events).reduce(0) { sum, count in
      let choices =
        lgamma(Double(trials + 1)) - lgamma(Double(count + 1)) - lgamma(Double(trials - count + 1))
      return sum + exp(choices + Double(count) * log(rate) + Double(trials - count) * log1p(-rate))
    }
  }

  /// Finds the largest rate from 0 to 1 for which `isBelow` is true, by bisection. The closure must be true
  /// for all rates up to some limit, and false above it.
  private static func rate(where isBelow: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
