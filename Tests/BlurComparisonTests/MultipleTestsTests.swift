import Foundation
import Testing

@testable import BlurComparison

@Suite("Correction for many tests at once")
struct MultipleTestsTests {
  @Test("An adjusted value is at most q exactly where the step-up rule rejects at q")
  func definition() {
    var noise = Noise(.uniform, seed: 8)
    for count in [1, 2, 7, 40] {
      let values = noise.values(count).map { pow($0 + 0.5, 3) }
      let adjusted = MultipleTests.benjaminiHochberg(values)
      for q in [0.01, 0.05, 0.2, 0.7] {
        // The step-up rule of Benjamini and Hochberg finds the largest k for which the k-th smallest of the m
        // p-values is at most kq/m. The rule then rejects the k hypotheses with the smallest p-values.
        let sorted = values.sorted()
        let rejected =
          (1...count).last { (k: Int) -> Bool in
            let share = Double(k) / Double(count)
            return sorted[k - 1] <= share * q
          } ?? 0
        let limit = rejected == 0 ? -1 : sorted[rejected - 1]
        #expect(adjusted.map { $0 <= q } == values.map { $0 <= limit })
      }
      #expect(zip(values, adjusted).allSatisfy { $0 <= $1 && $1 <= 1 })
    }
    #expect(MultipleTests.benjaminiHochberg([]) == [])
  }

  @Test("The fifteen p-values of Benjamini and Hochberg's example give their result")
  func paper() {
    let values = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
      0.7590, 1,
    ]
    // In the paper by Benjamini and Hochberg, four of these p-values are significant at a false discovery
    // rate of 0.05.
    #expect(MultipleTests.benjaminiHochberg(values.reversed()).count { $0 <= 0.05 } == 4)
    #expect(abs(MultipleTests.benjaminiHochberg(values)[3] - 0.0095 * 15 / 4) < 1e-12)
  }

  @Test("The share of false discoveries stays below the given rate")
  func falseDiscoveries() {
    var noise = Noise(seed: 9)
    var share = 0.0
    var found = 0
    let runs = 400
    for _ in 0..<runs {
      // The p-values of 30 cases without a change and of 10 cases with a clear change, each measured with 14
      // pairs.
      let p = (0..<40).map { place in
        RankTest(.paired(noise.values(14).map { $0 + (place < 30 ? 0 : 1.6) })).twoSided(at: 0)
      }
      let adjusted = MultipleTests.benjaminiHochberg(p)
      let wrong = adjusted[..<30].count { $0 <= 0.05 }
      let right = adjusted[30...].count { $0 <= 0.05 }
      share += Double(wrong) / Double(max(1, wrong + right))
      found += right
    }
    #expect(share / Double(runs) <= 0.05)
    // A rule that never rejects anything would also pass the check above.
    #expect(Double(found) / Double(10 * runs) > 0.8)
  }

  @Test(
    "The stated number of pairs can find a single change, and one pair fewer cannot",
    arguments: [1, 2, 7, 64, 100, 1000], [0.01, 0.05])
  func pairs(_ cases: Int, _ rate: Double) {
    let pairs = MultipleTests.pairsNeeded(cases: cases, rate: rate)
    let lone = { (pairs: Int) in
      let p = RankTest(.paired((0..<pairs).map { 1 + Double($0) })).twoSided(at: 0)
      return MultipleTests.benjaminiHochberg([p] + Array(repeating: 1, count: cases - 1))[0]
    }
    #expect(lone(pairs) <= rate * (1 + 1e-12))
    #expect(lone(pairs - 1) > rate)
    #expect(MultipleTests.pairsNeeded(cases: 100, rate: 0.05) == 12)
  }

  @Test(
    "The stated number of processes can find a single change, and one process fewer cannot",
    arguments: [1, 2, 7, 64, 1000], [0.01, 0.05])
  func processes(_ cases: Int, _ rate: Double) {
    let processes = MultipleTests.processesNeeded(cases: cases, rate: rate)
    let lone = { (processes: Int) in
      let base = (0..<processes).map { Double($0) }
      let p = RankTest(.separate(base: base, head: base.map { 100 + $0 })).twoSided(at: 0)
      return MultipleTests.benjaminiHochberg([p] + Array(repeating: 1, count: cases - 1))[0]
    }
    #expect(lone(processes) <= rate * (1 + 1e-9))
    #expect(lone(processes - 1) > rate)
    #expect(MultipleTests.processesNeeded(cases: 51, rate: 0.05) == 7)
  }
}
