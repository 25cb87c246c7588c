import BlurVerification
import TestSupport
import Testing

@testable import BlurComparison

@Suite("Slowdowns beyond doubt")
struct ClearSlowdownTests {
  private static let rule = Rule(threshold: 0.05)

  /// Draws the times of three equally fast processes, `count` times. Returns the log ratios of the second and
  /// of the third time to the first.
  private static func pairs(
    _ count: Int, _ generator: inout SplitMix64, time: (inout SplitMix64) -> Double
  ) -> (head: [Double], control: [Double]) {
    let times = (0..<count).map { _ in (0..<3).map { _ in time(&generator) } }
    return (times.map { $0[1] - $0[0] }, times.map { $0[2] - $0[0] })
  }

  /// Returns a generator of random times (as logarithms) that can only be multiples of 0.2, like the rungs of
  /// a ladder. Each time begins at 0. With probability `share` it stops where it is, and otherwise it climbs
  /// one rung and the choice is repeated. A share of 0.634 gives the most pairs that look like a clear
  /// slowdown.
  private static func ladder(_ share: Double) -> (inout SplitMix64) -> Double {
    { generator in
      var rungs = 0.0
      while Double.random(in: 0..<1, using: &generator) >= share { rungs += 1 }
      return 0.2 * rungs
    }
  }

  @Test(
    "Equal processes give clear pairs no more often than the bound allows, and in the worst case nearly so",
    arguments: [0.2, 0.5, 0.634, 0.8, 0.95])
  func bound(share: Double) {
    var generator = SplitMix64(seed: 5)
    let count = 40_000
    let (head, control) = Self.pairs(count, &generator, time: Self.ladder(share))
    let clear = zip(head, control).count {
      Self.rule.pOfClearSlowdown([$0], beside: [$1]) < 1
    }
    let rate = Double(clear) / Double(count)
    // The margin of 0.006 is three standard errors.
    #expect(rate < Rule.clearChance + 0.006, "\(rate)")
    if share == 0.634 { #expect(rate > Rule.clearChance - 0.006, "\(rate)") }
  }

  @Test(
    "In the worst noise, fewer comparisons than promised call a case slower beyond doubt",
    arguments: [(1, 3), (1, 10), (4, 4), (19, 5), (51, 12)])
  func falseAlarms(cases: Int, pairs: Int) {
    var generator = SplitMix64(seed: 6)
    let runs = Tiers.isAll ? 4000 : 800
    let alarms = (0..<runs).count { _ in
      let ps = (0..<cases).map { _ in
        let (head, control) = Self.pairs(pairs, &generator, time: Self.ladder(0.634))
        return Self.rule.pOfClearSlowdown(head, beside: control)
      }
      return Self.rule.adjusted(ps).contains { $0 <= Self.rule.clearRate }
    }
    #expect(BinomialRate(alarms, of: runs).lower <= Self.rule.clearRate, "\(alarms) of \(runs)")
  }

  @Test("A pair is clear if the head exceeds both base runs by three thresholds and these runs agree")
  func clear() {
    let (below, above) = (0.139, 0.141)  // log(1.15) is 0.1398
    func isClear(_ head: Double, _ control: Double) -> Bool {
      Self.rule.pOfClearSlowdown([head], beside: [control]) < 1
    }
    #expect(isClear(above, 0) && !isClear(below, 0) && !isClear(-above, 0))
    #expect(!isClear(above, 0.04) && isClear(above + 0.04, 0.04) && isClear(above, -0.04))
    #expect(!isClear(9, 0.05) && !isClear(9, -0.05))
  }

  @Test("Each clear pair lowers p, an unclear pair raises it, and a pair without a control does not count")
  func counts() {
    func p(_ head: [Double], _ control: [Double]) -> Double {
      Self.rule.pOfClearSlowdown(head, beside: control)
    }
    let zeros = [0.0, 0, 0, 0]
    #expect(p([], []) == 1 && p([2, 2, 2], []) == 1)
    #expect(abs(p([2, 2, 2], zeros) - 0.0037) < 1e-4 && abs(p([2, 2], zeros) - 0.0239) < 1e-4)
    #expect(p([2, 2, 2, 0], zeros) > p([2, 2, 2], zeros))
  }
}
