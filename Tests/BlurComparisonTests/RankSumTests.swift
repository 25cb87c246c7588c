import Foundation
import Testing

@testable import BlurComparison

@Suite("The rank-sum test")
struct RankSumTests {
  /// Returns the two one-sided p-values of the rank-sum test by brute force. It tries every way to choose the
  /// second sample from all values, and counts how often the rank sum is at least, and at most, the observed
  /// one.
  private func enumerated(_ first: [Double], _ second: [Double], at shift: Double) -> (Double, Double) {
    let all = first + second.map { $0 - shift }
    let ranks = all.map { value in
      Double(all.count { $0 < value }) + Double(all.count { $0 == value } + 1) / 2
    }
    let found = ranks[first.count...].reduce(0, +)
    let sums = (0..<(1 << all.count)).filter { $0.nonzeroBitCount == second.count }.map { chosen in
      ranks.indices.reduce(0.0) { chosen >> $1 & 1 == 1 ? $0 + ranks[$1] : $0 }
    }
    return (
      Double(sums.count { $0 >= found }) / Double(sums.count),
      Double(sums.count { $0 <= found }) / Double(sums.count)
    )
  }

  @Test(
    "The p-value is the share of choices whose rank sum is at least as extreme, also with ties",
    arguments: [(1, 1), (1, 6), (5, 2), (4, 4), (7, 5)])
  func enumeration(_ sizes: (Int, Int)) {
    var noise = Noise(seed: sizes.0)
    for range in [1.0, 3, 40] {
      let first = noise.values(sizes.0).map { ($0 * range).rounded() }
      let second = noise.values(sizes.1).map { ($0 * range + 1).rounded() }
      let test = RankTest(.separate(base: first, head: second))
      for shift in [-2.0, 0, 1] {
        let (above, below) = enumerated(first, second, at: shift)
        #expect(abs(test.p(above: shift) - above) < 1e-12, "\(first) \(second) \(shift)")
        #expect(abs(test.p(below: shift) - below) < 1e-12, "\(first) \(second) \(shift)")
        #expect(abs(test.twoSided(at: shift) - min(1, 2 * min(above, below))) < 1e-12)
      }
    }
  }

  @Test(
    "The p-value equals SciPy's",
    .enabled(if: Python.hasScipy, "SciPy is not installed (package python3-scipy)"))
  func scipy() throws {
    var noise = Noise(seed: 4)
    let exact = [(5, 9), (12, 8), (30, 30)].map { [noise.values($0), noise.values($1).map { $0 + 0.4 }] }
    // Samples with ties, for which SciPy has only the normal approximation.
    let normal = [(40, 30), (25, 90)].map { sizes in
      [sizes.0, sizes.1].map { noise.values($0).map { ($0 * 5).rounded() } }
    }
    let script = { (method: String) in
      """
      from scipy.stats import mannwhitneyu
      for first, second in data:
        for side in ["greater", "less"]:
          result.append(mannwhitneyu(second, first, alternative=side, method="\(method)").pvalue)
      """
    }
    let expected = try Python.run(script("exact"), on: exact) + Python.run(script("asymptotic"), on: normal)
    let tests = (exact + normal).map { RankTest(.separate(base: $0[0], head: $0[1])) }
    let found = tests.flatMap { [$0.p(above: 0), $0.p(below: 0)] }
    try #require(expected.count == found.count)
    for (found, expected) in zip(found, expected) { #expect(abs(found / expected - 1) < 1e-9) }
  }

  @Test(
    "The interval contains exactly the shifts that the test does not reject",
    arguments: [(3, 3), (4, 9), (20, 20), (50, 40)])
  func duality(_ sizes: (Int, Int)) throws {
    var noise = Noise(.laplace, seed: sizes.1)
    let test = RankTest(.separate(base: noise.values(sizes.0), head: noise.values(sizes.1).map { $0 + 2 }))
    for confidence in [0.5, 0.9, 0.95, 0.99] {
      guard let interval = test.interval(confidence: confidence) else {
        // The smallest p-value for two samples of three values each is 2/C(6, 3) = 0.1.
        #expect(sizes == (3, 3) && confidence > 0.9)
        continue
      }
      let nudge = 1e-9
      #expect(test.twoSided(at: interval.lowerBound + nudge) > 1 - confidence)
      #expect(test.twoSided(at: interval.upperBound - nudge) > 1 - confidence)
      #expect(test.twoSided(at: interval.lowerBound - nudge) <= 1 - confidence + 1e-12)
      #expect(test.twoSided(at: interval.upperBound + nudge) <= 1 - confidence + 1e-12)
      #expect(interval.contains(try #require(test.estimate)))
    }
  }

  @Test(
    "The interval contains the true shift as often as its confidence says", arguments: Noise.Shape.allCases)
  func coverage(_ shape: Noise.Shape) {
    var noise = Noise(shape, seed: 2)
    let held = (0..<2000).count { _ in
      let test = RankTest(.separate(base: noise.values(9), head: noise.values(11).map { $0 + 5 }))
      return test.interval(confidence: 0.95)!.contains(5)
    }
    #expect((0.935...0.977).contains(Double(held) / 2000))
  }

  @Test("The estimate is the median difference, and empty samples prove nothing")
  func estimate() {
    #expect(RankTest(.separate(base: [1, 2], head: [10, 20])).estimate == 13.5)
    for (base, head) in [([], [1]), ([1], []), ([.nan], [.infinity])] as [([Double], [Double])] {
      let test = RankTest(.separate(base: base, head: head))
      #expect(test.p(above: 0) == 1 && test.p(below: 0) == 1 && test.estimate == nil)
      #expect(test.interval(confidence: 0.9) == nil)
    }
    let ones = Array(repeating: 1.0, count: 40)
    #expect(RankTest(.separate(base: ones, head: ones)).twoSided(at: 0) == 1)
  }
}
