import BlurRecords
import Foundation
import Testing

@testable import BlurComparison

@Suite("The signed-rank test")
struct SignedRankTests {
  /// Returns the two one-sided p-values of the signed-rank test by brute force. It ranks the distances of the
  /// values from `shift`, tries all combinations of signs for the ranks, and counts how often the sum of
  /// positive ranks is at least, and at most, the observed one. Values equal to `shift` are left out.
  private func enumerated(_ values: [Double], at shift: Double) -> (above: Double, below: Double) {
    let differences = values.map { $0 - shift }.filter { $0 != 0 }
    let sizes = differences.map { abs($0) }
    let ranks = sizes.map { size in
      Double(sizes.count { $0 < size }) + Double(sizes.count { $0 == size } + 1) / 2
    }
    let found = zip(differences, ranks).reduce(0.0) { $1.0 > 0 ? $0 + $1.1 : $0 }
    var above = 0
    var below = 0
    for signs in 0..<(1 << ranks.count) {
      let sum = ranks.indices.reduce(0.0) { signs >> $1 & 1 == 1 ? $0 + ranks[$1] : $0 }
      if sum >= found { above += 1 }
      if sum <= found { below += 1 }
    }
    let all = Double(1 << ranks.count)
    return (Double(above) / all, Double(below) / all)
  }

  @Test(
    "The p-value is the share of sign patterns whose rank sum is at least as extreme, also with ties",
    arguments: 0...10)
  func enumeration(_ count: Int) {
    var noise = Noise(seed: count)
    for range in [2.0, 4, 30] {
      let values = noise.values(count).map { ($0 * range).rounded() }
      let test = RankTest(.paired(values))
      for shift in [-1.0, 0, 1, 2.5] {
        let (above, below) = enumerated(values, at: shift)
        #expect(abs(test.p(above: shift) - above) < 1e-12, "\(values) \(shift)")
        #expect(abs(test.p(below: shift) - below) < 1e-12, "\(values) \(shift)")
        #expect(abs(test.twoSided(at: shift) - min(1, 2 * min(above, below))) < 1e-12, "\(values) \(shift)")
      }
    }
  }

  @Test(
    "The p-value equals SciPy's",
    .enabled(if: Python.hasScipy, "SciPy is not installed (package python3-scipy)"))
  func scipy() throws {
    var noise = Noise(seed: 3)
    let sets = [8, 12, 25, 40].map { noise.values($0).map { $0 + 0.3 } }
    let expected = try Python.run(
      """
      from scipy.stats import wilcoxon
      for values in data:
        for side in ["greater", "less", "two-sided"]:
          result.append(wilcoxon(values, alternative=side, method="exact").pvalue)
      """, on: sets)
    let found = sets.map { RankTest(.paired($0)) }
      .flatMap { [$0.p(above: 0), $0.p(below: 0), $0.twoSided(at: 0)] }
    try #require(expected.count == found.count)
    for (found, expected) in zip(found, expected) { #expect(abs(found / expected - 1) < 1e-9) }
  }

  @Test("Above 200 values, the normal distribution takes over smoothly")
  func many() {
    let ranks = RankDistribution.distinct(200)
    guard case .exact = RankDistribution.ofSigns(ranks) else {
      Issue.record("200 signs are not counted exactly")
      return
    }
    let exact = RankDistribution.ofSigns(ranks)
    let squares = (1...200).reduce(0.0) { $0 + 4 * Double($1 * $1) }
    let normal = RankDistribution.normal(mean: 20_100, deviation: squares.squareRoot() / 2)
    for sum in stride(from: 14_000, through: 26_000, by: 400) {
      #expect(abs(exact.atLeast(sum) - normal.atLeast(sum)) < 2e-3, "\(sum)")
      #expect(abs(exact.atMost(sum) - normal.atMost(sum)) < 2e-3, "\(sum)")
    }
    guard case .normal(let mean, let deviation) = RankDistribution.ofSigns(RankDistribution.distinct(500))
    else {
      Issue.record("500 signs are counted")
      return
    }
    // Plain ranks have the mean n(n+1)/4 and the variance n(n+1)(2n+1)/24. The ranks here are doubled.
    #expect(mean == 2 * 500 * 501 / 4)
    #expect(abs(deviation - 2 * (500.0 * 501 * 1001 / 24).squareRoot()) < 1e-9)
    var noise = Noise(seed: 5)
    let test = RankTest(.paired(noise.values(500)))
    #expect(test.interval(confidence: 0.95)!.contains(0))
    #expect(test.p(above: 0.3) > 0.999 && test.p(above: -0.3) < 1e-6)
  }

  @Test("Without values, all p-values are 1, and there is no estimate and no interval")
  func empty() {
    for samples in [LogTimes.paired([]), .paired([.nan, .infinity])] {
      let test = RankTest(samples)
      #expect(samples.finite.count == 0)
      #expect(test.p(above: 0) == 1 && test.p(below: 0) == 1 && test.twoSided(at: 0) == 1)
      #expect(test.estimate == nil && test.interval(confidence: 0.5) == nil)
      #expect(test.detectable(beyond: 0, significance: 0.05, power: 0.95) == nil)
    }
    #expect(RankTest(.paired([2, 2, 2])).p(above: 2) == 1)
  }

  @Test("The estimate is the median of the means of all pairs")
  func estimate() {
    // The pairs of 5, 0 and 1, in which each value is also paired with itself, have the means 0, ½, 1, 2½, 3
    // and 5. The estimate is their median, 1.75.
    #expect(RankTest(.paired([5, 0, 1])).estimate == 1.75)
    #expect(RankTest(.paired([3])).estimate == 3)
    // Among the means of all pairs, ten are 0, four are 4.5 and one is 9. Their median is therefore 0, so the
    // outlier 9 does not change the estimate.
    #expect(RankTest(.paired([0, 0, 0, 0, 9])).estimate == 0)
  }

  @Test(
    "The interval contains exactly the medians that the test does not reject",
    arguments: [5, 6, 9, 14, 60, 230])
  func duality(_ count: Int) throws {
    var noise = Noise(.laplace, seed: count)
    let test = RankTest(.paired(noise.values(count)))
    for confidence in [0.5, 0.8, 0.9, 0.95, 0.99] {
      guard let interval = test.interval(confidence: confidence) else {
        // There is no interval because even the smallest two-sided p-value is too large for this confidence.
        #expect(exp2(1 - Double(count)) > 1 - confidence)
        continue
      }
      #expect(exp2(1 - Double(count)) <= 1 - confidence)
      let nudge = 1e-9
      #expect(test.twoSided(at: interval.lowerBound + nudge) > 1 - confidence)
      #expect(test.twoSided(at: interval.upperBound - nudge) > 1 - confidence)
      #expect(test.twoSided(at: interval.lowerBound - nudge) <= 1 - confidence + 1e-12)
      #expect(test.twoSided(at: interval.upperBound + nudge) <= 1 - confidence + 1e-12)
      #expect(interval.contains(try #require(test.estimate)))
    }
  }

  @Test(
    "The interval contains the true median as often as its confidence says", arguments: Noise.Shape.allCases)
  func coverage(_ shape: Noise.Shape) {
    var noise = Noise(shape, seed: 1)
    let held = (0..<2000).count { _ in
      RankTest(.paired(noise.values(12))).interval(confidence: 0.95)!.contains(0)
    }
    // The confidence nearest to 0.95 that 12 values allow is 0.958. The range covers four standard errors of
    // 2000 draws.
    #expect((0.94...0.976).contains(Double(held) / 2000))
  }

  @Test(
    "A shift that is called detectable is found with the stated power",
    arguments: [(8, 0.05, 0.9), (12, 0.0005, 0.95), (16, 0.01, 0.5), (30, 0.001, 0.95), (70, 0.001, 0.9)])
  func power(_ count: Int, _ significance: Double, _ power: Double) throws {
    let reach = try #require(RankTest.reach(pairs: count, significance: significance, power: power))
    var noise = Noise(seed: count)
    let found = (0..<1500).count { _ in
      RankTest(.paired(noise.values(count).map { 0.2 + 0.1 * ($0 + reach) })).p(above: 0.2) <= significance
    }
    #expect(abs(Double(found) / 1500 - power) < 0.04)
  }

  @Test(
    "The detectable shift follows the spread, and an outlier does not change it much", arguments: [8, 12, 30])
  func detectable(_ count: Int) throws {
    var noise = Noise(seed: count)
    let reach = try #require(RankTest.reach(pairs: count, significance: 0.01, power: 0.9))
    var ours: [Double] = []
    var deviations: [Double] = []
    for _ in 0..<500 {
      var values = noise.values(count)
      ours.append(RankTest(.paired(values)).detectable(beyond: 0, significance: 0.01, power: 0.9)! / reach)
      let median = Statistics.median(values)!
      deviations.append(Statistics.median(values.map { abs($0 - median) })! / 0.6745)
      let shifted = values.map { 3 + 7 * $0 }
      let detectable = RankTest(.paired(shifted)).detectable(beyond: 0.1, significance: 0.01, power: 0.9)!
      #expect(abs(detectable - 0.1 - 7 * reach * ours.last!) < 1e-9)
      values[0] = 1e6
      #expect(RankTest(.paired(values)).detectable(beyond: 0, significance: 0.01, power: 0.9)! < 4 * reach)
    }
    #expect((0.9...1.15).contains(Statistics.median(ours)!))
    #expect(Statistics.interquartileRange(ours)! < 0.92 * Statistics.interquartileRange(deviations)!)
  }

  @Test("Too few values cannot detect any shift")
  func undetectable() {
    let ten = RankTest(.paired((0..<10).map { Double($0) }))
    // The smallest p-value of ten values is 2^−10, which lies between 0.0005 and 0.001.
    #expect(ten.detectable(beyond: 0, significance: 0.0005, power: 0.9) == nil)
    #expect(ten.detectable(beyond: 0, significance: 0.001, power: 0.9) != nil)
  }
}
