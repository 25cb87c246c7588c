import BlurComparison
import Foundation
import Testing

@Suite("Confidence bounds of a rate")
struct BinomialRateTests {
  @Test("The bounds have closed forms if no trial or every trial has an event", arguments: [1, 10, 59, 1000])
  func extremes(trials: Int) {
    let bound = pow(0.05, 1 / Double(trials))
    let none = BinomialRate(0, of: trials)
    #expect(none.lower == 0 && abs(none.upper - (1 - bound)) < 1e-9)
    let all = BinomialRate(trials, of: trials)
    #expect(all.upper == 1 && abs(all.lower - bound) < 1e-9)
  }

  @Test("If the groups have equal rates, all their trials count")
  func alike() {
    let found = BinomialRate(groups: Array(repeating: (events: 3, trials: 10), count: 6))
    #expect(found.events == 18 && found.trials == 60)
    let all = BinomialRate(groups: Array(repeating: (events: 10, trials: 10), count: 6))
    #expect(all.events == 60 && all.trials == 60)
  }

  @Test("If all trials of each group agree, a group counts as one trial, as a single group always does")
  func apart() {
    let groups = (0..<20).map { (events: $0 < 8 ? 50 : 0, trials: 50) }
    let found = BinomialRate(groups: groups)
    // The trials within a group agree completely, so each group counts as about one trial. The 20 groups
    // count as only 19 trials, because an estimate of the variance between 20 groups has 19 degrees of
    // freedom.
    #expect(found.trials == 19 && found.events == 8)
    #expect(BinomialRate(groups: [(events: 49, trials: 50)]).trials == 1)
    #expect(BinomialRate(groups: []).trials == 0)
  }

  @Test(
    "Each bound is wrong in at most 5 % of experiments, at any rate",
    arguments: [0.01, 0.05, 0.3, 0.5, 0.9])
  func coverage(rate: Double) {
    let trials = 40
    // The binomial distribution: element k is the probability that exactly k of the trials are events. It is
    // computed with Pascal's rule, which needs no factorials.
    var shares = [1.0]
    for _ in 0..<trials {
      shares = zip(shares + [0], [0] + shares).map { $0 * (1 - rate) + $1 * rate }
    }
    var (above, below) = (0.0, 0.0)
    for (count, share) in shares.enumerated() {
      let found = BinomialRate(count, of: trials)
      if found.lower > rate { above += share }
      if found.upper < rate { below += share }
      #expect(found.lower <= Double(count) / Double(trials) && Double(count) / Double(trials) <= found.upper)
    }
    #expect(above <= 0.05 && below <= 0.05)
    #expect(above + below > 0, "bounds that are never wrong are too wide")
  }
}
