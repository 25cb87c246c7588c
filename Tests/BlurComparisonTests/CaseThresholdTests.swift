import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurComparison

/// Tests of comparisons in which four cases vary strongly from process to process, and thirty do not.
@Suite("Noisy cases among quiet ones")
struct CaseThresholdTests {
  private static let count = 34

  /// Makes a quiet machine on which some cases are noisy.
  ///
  /// - Parameters:
  ///   - seed: The seed of the random numbers.
  ///   - noisy: The number of noisy cases, which are the last ones.
  private static func machine(seed: Int, noisy: Int = 4) -> SimulatedMachine {
    let machine = SimulatedMachine(.quiet, seed: seed)
    let names = Set((count - noisy..<count).map { "case \($0)" })
    machine.spread = { names.contains($1) ? 0.25 : 0.02 }
    return machine
  }

  private static func comparison(
    _ machine: SimulatedMachine, change: (inout ComparisonOptions) -> Void = { _ in }
  ) throws -> Comparison {
    try Simulated.comparison(machine, cases: count) {
      $0.rounds = 6
      change(&$0)
    }
  }

  @Test("Only noisy cases get a larger threshold of their own, unless the user set the threshold")
  func thresholds() throws {
    let found = try Self.comparison(Self.machine(seed: 1)) { $0.mostStages = 1 }
    #expect(found.threshold == 0.05)
    for (index, row) in found.cases.enumerated() {
      #expect((row.threshold != nil) == (index >= Self.count - 4), "\(row)")
      let control = try #require(row.control)
      if let own = row.threshold { #expect(abs(own - (max(1 / control.low, control.high) - 1)) < 1e-9) }
    }
    let named = try Self.comparison(Self.machine(seed: 1)) {
      $0.mostStages = 1
      $0.threshold = 0.04
    }
    #expect(named.threshold == 0.04 && named.cases.allSatisfy { $0.threshold == nil })
  }

  @Test("A case that is too noisy stays undecided and says why, and the other cases are decided")
  func tooNoisy() throws {
    let machine = Self.machine(seed: 2)
    machine.spread = { $1 == "case 5" ? 0.6 : 0.02 }
    let found = try Self.comparison(machine) { $0.mostStages = 2 }
    #expect(found.caveats.isEmpty && found.outcome == .cannotTell)
    #expect(found.cases.filter { $0.caveat != nil }.map(\.name) == ["case 5"])
    #expect(found.cases[5].verdict == .unclear && found.cases[5].caveat?.hasPrefix("too noisy") == true)
    #expect(found.cases.count { $0.verdict == .same } == Self.count - 1)
  }

  @Test("A case that is the same at the usual threshold stays so, however noisy its base is")
  func noisyBase() throws {
    let machine = Self.machine(seed: 3, noisy: 0)
    machine.spread = { process, name in process == 2 && name == "case 5" ? 0.6 : 0.02 }
    let row = try Self.comparison(machine).cases[5]
    let control = try #require(row.control)
    #expect(max(control.high, 1 / control.low) > 1 + ComparisonOptions.mostNoise)
    #expect(row.verdict == .same && row.threshold == nil && row.caveat == nil)
  }

  @Test(
    "A slowdown of 6 % in a quiet case is found equally often with and without noisy cases",
    .tags(.long), .slow)
  func power() throws {
    let runs = 40
    let found = try [0, 4].map { noisy in
      try (0..<runs).count { seed in
        let machine = Self.machine(seed: seed, noisy: noisy)
        machine.slowdown = { process, name in process == 1 && name == "case 7" ? 0.06 : 0 }
        // A stage measures a fixed number of pairs of every undecided case. The usual time budget allows
        // about three stages. With more stages, the noise would average out even in the noisy cases.
        let result = try Self.comparison(machine) { $0.mostStages = 3 }
        return result.cases[7].verdict == .regressed && result.outcome == .regressed
      }
    }
    // The slowdown should be found in at least 90 % of the runs, with or without noisy cases. That is 36 of
    // 40.
    #expect(found.allSatisfy { $0 >= 36 }, "\(found) of \(runs)")
    #expect(abs(found[0] - found[1]) <= 3, "\(found) of \(runs)")
  }

  @Test(
    "False alarms are rarer than promised, even if everything is slower by a third of the threshold",
    .tags(.long), .slow, arguments: Tiers.some(of: [0.05 / 3, 0]))
  func falseAlarms(change: Double) throws {
    let runs = 200
    let alarms = try (0..<runs).count { seed in
      let machine = Self.machine(seed: 1000 + seed)
      machine.slowdown = { process, _ in process == 1 ? change : 0 }
      let result = try Self.comparison(machine)
      return result.cases.contains { $0.verdict == .regressed || $0.verdict == .improved }
    }
    let rate = Rule(threshold: 0.05).rate
    // If the rate of false alarms were as high as promised, so few alarms would have a probability below 1 %.
    #expect(Self.probability(atMost: alarms, of: runs, rate) < 0.01, "\(alarms) of \(runs)")
  }

  /// Returns the probability of at most `most` events among `count` trials, if each trial has an event with
  /// probability `rate`.
  private static func probability(atMost most: Int, of count: Int, _ rate: Double) -> Double {
    let n = Double(count)
    return (0...most).reduce(0) { sum, events in
      let k = Double(events)
      let ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
      return sum + exp(ways + k * log(rate) + (n - k) * log(1 - rate))
    }
  }
}
