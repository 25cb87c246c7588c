import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurComparison
@testable import BlurTrials

/// Four cases are noisy from process to process, thirty are not.
@Suite("Noisy cases among quiet ones")
struct CaseThresholdTests {
  private static let count = 34

  /// - Parameter noisy: how many of the cases are noisy, the last ones.
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
      $0.sampling.rounds = 6
      change(&$0)
    }
  }

  @Test("Only a noisy case has a larger threshold, its own, unless one was named")
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

  @Test("A case that is too noisy cannot be told, and says why; the others can")
  func tooNoisy() throws {
    let machine = Self.machine(seed: 2)
    machine.spread = { $1 == "case 5" ? 0.6 : 0.02 }
    let found = try Self.comparison(machine) { $0.mostStages = 2 }
    #expect(found.caveats.isEmpty && found.outcome == .cannotTell)
    #expect(found.cases.filter { $0.caveat != nil }.map(\.name) == ["case 5"])
    #expect(found.cases[5].verdict == .unclear && found.cases[5].caveat?.hasPrefix("too noisy") == true)
    #expect(found.cases.count { $0.verdict == .same } == Self.count - 1)
  }

  @Test("What is proven the same at the usual threshold is the same, however noisy its base is")
  func noisyBase() throws {
    let machine = Self.machine(seed: 3, noisy: 0)
    machine.spread = { process, name in process == 2 && name == "case 5" ? 0.6 : 0.02 }
    let row = try Self.comparison(machine).cases[5]
    let control = try #require(row.control)
    #expect(max(control.high, 1 / control.low) > 1 + ComparisonOptions.mostNoise)
    #expect(row.verdict == .same && row.threshold == nil && row.caveat == nil)
  }

  @Test(
    "A slowdown by 6 % in a quiet case is found as often as without noisy cases beside it",
    .tags(.long), .slow)
  func power() throws {
    let runs = 40
    let found = try [0, 4].map { noisy in
      try (0..<runs).count { seed in
        let machine = Self.machine(seed: seed, noisy: noisy)
        machine.slowdown = { process, name in process == 1 && name == "case 7" ? 0.06 : 0 }
        // As many stages as a budget leaves time for: with more, noise itself becomes small.
        let result = try Self.comparison(machine) { $0.mostStages = 3 }
        return result.cases[7].verdict == .regressed && result.outcome == .regressed
      }
    }
    // Found in at least 90 of 100, whatever else there is: fewer than 36 of 40 would not be likely then.
    #expect(found.allSatisfy { $0 >= 36 }, "\(found) of \(runs)")
    #expect(abs(found[0] - found[1]) <= 3, "\(found) of \(runs)")
  }

  @Test(
    "False alarms are rarer than promised, also where everything changed by a third of the threshold",
    .tags(.long), .slow, arguments: [0, 0.05 / 3])
  func falseAlarms(change: Double) throws {
    let runs = 200
    let alarms = try (0..<runs).count { seed in
      let machine = Self.machine(seed: 1000 + seed)
      machine.slowdown = { process, _ in process == 1 ? change : 0 }
      let result = try Self.comparison(machine)
      return result.cases.contains { $0.verdict == .regressed || $0.verdict == .improved }
    }
    let rate = Rule(threshold: 0.05).rate
    // So few alarms would be seen less than once in a hundred times, were the rate as high as the promised
    // one.
    #expect(Self.probability(atMost: alarms, of: runs, rate) < 0.01, "\(alarms) of \(runs)")
  }

  /// The probability of at most `most` events among `count`, each of probability `rate`.
  private static func probability(atMost most: Int, of count: Int, _ rate: Double) -> Double {
    let n = Double(count)
    return (0...most).reduce(0) { sum, events in
      let k = Double(events)
      let ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
      return sum + exp(ways + k * log(rate) + (n - k) * log(1 - rate))
    }
  }
}
