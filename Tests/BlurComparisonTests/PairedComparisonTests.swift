import BlurMeasurement
import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurComparison

@Suite("Comparisons on a simulated machine")
struct PairedComparisonTests {
  @Test(
    "Identical cases are not found to differ, whatever the noise is like",
    arguments: SimulatedMachine.Weather.allCases)
  func falseAlarms(weather: SimulatedMachine.Weather) throws {
    var verdicts: [Verdict: Int] = [:]
    for seed in 0..<5 {
      let found = try Simulated.comparison(SimulatedMachine(weather, seed: seed), cases: 40)
      for row in found.cases { verdicts[row.verdict, default: 0] += 1 }
      #expect(found.caveats.isEmpty, "\(found.caveats)")
      #expect(found.outcome != .regressed)
    }
    let changed = verdicts[.regressed, default: 0] + verdicts[.improved, default: 0]
    #expect(changed <= 2, "\(weather): \(verdicts)")
    #expect(verdicts[.same, default: 0] >= 180, "\(weather): \(verdicts)")
  }

  @Test(
    "A slowdown of 6 % in a single case is found, and so is a speedup", .tags(.long), .slow,
    arguments: SimulatedMachine.Weather.allCases, Tiers.some(of: [0.06, -0.06]))
  func slowdown(weather: SimulatedMachine.Weather, change: Double) throws {
    var found = 0
    for seed in 0..<10 {
      let machine = SimulatedMachine(weather, seed: seed)
      machine.slowdown = { process, name in process == 1 && name == "case 7" ? change : 0 }
      let result = try Simulated.comparison(machine, cases: 20)
      let row = try #require(result.cases.first { $0.name == "case 7" })
      found += row.verdict == (change > 0 ? .regressed : .improved) ? 1 : 0
      #expect(result.cases.count { $0.verdict == .regressed || $0.verdict == .improved } <= 2)
    }
    #expect(found >= 9, "\(weather): \(found) of 10")
  }

  @Test("A change below a third of the threshold does not count, however certain it is")
  func small() throws {
    let machine = SimulatedMachine(.quiet, seed: 1)
    machine.slowdown = { process, _ in process == 1 ? 0.013 : 0 }
    let result = try Simulated.comparison(machine, cases: 10) { $0.pairs = 60 }
    #expect(result.cases.allSatisfy { $0.verdict == .same && $0.ratio!.low > 1 })
  }

  @Test(
    "The number of samples that others disturbed is reported if it is known", arguments: [nil, true, false])
  func disturbances(isQuiet: Bool?) throws {
    let machine = SimulatedMachine(.quiet, seed: 1)
    machine.isQuiet = isQuiet
    let result = try Simulated.comparison(machine, cases: 3)
    let samples = machine.log.count
    let note = "\(samples) of \(samples) samples were disturbed by other programs or virtual machines"
    #expect(result.notes == (isQuiet == false ? [note] : []))
  }

  @Test("A flagged case changes its verdict only if later measurements agree")
  func confirmation() throws {
    var evidence = CaseEvidence()
    let rule = Rule(threshold: 0.05)
    let first = Array(repeating: 0.1, count: 12)
    evidence.update(.paired(first))
    evidence.flag(p: 0.001, rule)
    #expect(evidence.isFlagged && evidence.verdict(rule) == .unclear)
    evidence.update(.paired(first + (0..<6).map { 0.001 * Double($0 - 3) }))
    evidence.flag(p: 0.001, rule)
    #expect(evidence.verdict(rule) == .unclear)
    evidence.update(.paired(Array(repeating: 0.1, count: 24)))
    #expect(evidence.verdict(rule) == .regressed)
  }

  @Test("A case proven not slower is good even if its gain is unconfirmed, but a slowdown stays open")
  func notSlower() throws {
    func judged(_ middle: Double) -> CaseEvidence {
      var evidence = CaseEvidence(.paired((0..<12).map { middle + 0.001 * Double($0 - 6) }))
      evidence.flag(p: 0.001, Rule(threshold: 0.05))
      return evidence
    }
    let rule = Rule(threshold: 0.05)
    #expect(judged(-0.03).verdict(rule) == .same && judged(-0.3).verdict(rule) == .notSlower)
    #expect(judged(0.06).verdict(rule) == .unclear && judged(0.3).verdict(rule) == .unclear)
    for middle in [-0.3, -0.03, 0.03, 0.3] { #expect(judged(middle).isOpen(rule)) }
    let machine = SimulatedMachine(.quiet, seed: 14)
    machine.slowdown = { process, name in process == 1 ? (name == "case 1" ? -0.3 : -0.03) : 0 }
    let found = try Simulated.comparison(machine, cases: 2) { $0.mostStages = 1 }
    #expect(found.cases.map(\.verdict) == [.same, .notSlower] && found.outcome == .good)
    #expect(found.notes.isEmpty)
    // A slowdown of 10 % counts only after a second stage has confirmed it. Without confirmation, a change
    // must be at least three times as large as the threshold of 5 %.
    machine.slowdown = { process, _ in process == 1 ? 0.1 : 0 }
    let open = try Simulated.comparison(machine, cases: 2) { $0.mostStages = 1 }
    #expect(open.outcome == .cannotTell)
    #expect(
      open.notes.contains {
        $0.hasPrefix("2 of 2 cases are still undecided after the maximum of 1 stages with 10 pairs")
      })
    #expect(found.sentence == "No regression: 1 the same, 1 not slower of 2 cases")
  }

  @Test("A base that differs from itself makes the comparison untrusted")
  func control() throws {
    let machine = SimulatedMachine(.quiet, seed: 2)
    machine.slowdown = { process, name in process == 2 && name == "case 3" ? 0.2 : 0 }
    let result = try Simulated.comparison(machine, cases: 30)
    #expect(result.outcome == .cannotTell)
    let caveat = result.caveats.first { $0.hasPrefix("two measurements of the base differ") }
    #expect(caveat?.contains("case 3") == true, "\(result.caveats)")
    #expect(result.sentence == "Cannot tell: the times cannot be trusted")
  }

  @Test("With too few pairs for so many cases, the comparison says that it cannot detect a change")
  func tooFew() throws {
    let machine = SimulatedMachine(.quiet, seed: 3)
    machine.slowdown = { process, name in process == 1 && name == "case 1" ? 0.5 : 0 }
    let result = try Simulated.comparison(machine, cases: 40) {
      $0.pairs = 4
      $0.mostStages = 1
    }
    #expect(result.outcome == .cannotTell)
    #expect(
      result.caveats.contains {
        $0.hasPrefix("too few pairs of measurements: 4") && $0.contains("11 are needed")
      })
    let few =
      "4 pairs of measurements are too few to find a change of a single case (11 are needed); raise --pairs, "
      + "or"
    #expect(result.sentence.hasSuffix("\(few) compare fewer cases"))
    // A budget of one microsecond is spent before the first case.
    let spent = try Simulated.comparison(machine, cases: 40) { $0.budget = 1e-6 }
    let words = "the budget of 0.000001 s is spent; raise --budget, or compare fewer cases"
    #expect(spent.sentence == "Cannot tell: 0 of 40 cases decided; \(words)" && spent.notes == [words])
    #expect(result.cases.allSatisfy { $0.verdict != .regressed })
  }

  @Test("A large slowdown is a regression even if unconfirmed, unless the base disagrees with itself")
  func clear() throws {
    func found(_ pairs: Int, cases: Int, slower: Int, _ percent: Double = 800, base: Double = 0) throws
      -> Comparison
    {
      let machine = SimulatedMachine(.quiet, seed: 15)
      let names = Set((0..<slower).map { "case \($0)" })
      machine.slowdown = { process, name in
        names.contains(name) ? (process == 1 ? percent / 100 : process == 2 ? base : 0) : 0
      }
      return try Simulated.comparison(machine, cases: cases) {
        ($0.pairs, $0.mostStages) = (pairs, 1)
      }
    }
    for (pairs, cases, slower) in [(10, 1, 1), (4, 4, 4), (4, 4, 1), (3, 4, 4), (5, 40, 1)] {
      let clear = try found(pairs, cases: cases, slower: slower)
      #expect(clear.outcome == .regressed, "\(pairs) pairs of \(cases) cases: \(clear.sentence)")
      #expect(clear.cases.map { $0.verdict == .regressed } == (0..<cases).map { $0 < slower })
      #expect(clear.failures.count == slower)
    }
    // None of these three comparisons proves a regression. The first has too few pairs, and the second has a
    // change of only 12 %. In the third, one of the two measurements of the base is as slow as the head.
    #expect(try found(2, cases: 4, slower: 4).outcome == .cannotTell)
    #expect(try found(10, cases: 1, slower: 1, 12).outcome == .cannotTell)
    #expect(try found(4, cases: 4, slower: 1, base: 8).outcome == .cannotTell)
  }

  @Test("If a process dies in a case, that case is blamed and the others go on")
  func death() throws {
    let machine = SimulatedMachine(.quiet, seed: 6)
    machine.dies = { process, name in process == 1 && name == "case 4" }
    let result = try Simulated.comparison(machine, cases: 8)
    let dead = try #require(result.cases.first { $0.name == "case 4" })
    #expect(dead.faults == [Fault(.wrong, "crashed: signal 11")])
    #expect(dead.ratio == nil)
    #expect(result.cases.count { $0.verdict == .same } == 7)
    #expect(result.outcome == .regressed)
  }

  @Test("Wrong, worse, changed and refused results are faults, whatever the times are")
  func faults() throws {
    let machine = SimulatedMachine(.quiet, seed: 7)
    machine.findings = { process, name in
      var findings = Findings.good
      guard process == 1 else { return findings }
      switch name {
      case "case 0": findings = Findings(problem: "2 levels from the Gaussian", isWrong: true)
      case "case 1": findings.maxErrorLevels = 0.9
      case "case 2": findings.outputHash = "beef"
      case "case 3":
        findings = Findings(problem: "no kernel is called so")
        findings.isGone = true
      default: break
      }
      return findings
    }
    let result = try Simulated.comparison(machine, cases: 5)
    #expect(result.cases.map { $0.faults.map(\.kind) } == [[.wrong], [.error], [.output], [.gone], []])
    #expect(result.outcome == .regressed)
    let accepted = try Simulated.comparison(machine, cases: 5) { $0.acceptsOutputs = true }
    #expect(accepted.cases.map { $0.openFaults.map(\.kind) } == [[.wrong], [], [], [.gone], []])
    #expect(accepted.text.contains("case 1: accepted: error grew: 0.9 levels, up from 0.5 levels"))
    #expect(accepted.cases.map(accepted.word).contains("same (accepted)"))
    // The base becomes slower, so the head is faster.
    machine.findings = { process, name in
      var findings = Findings.good
      if process == 1 && name == "case 1" { findings.outputHash = "beef" }
      return findings
    }
    machine.slowdown = { process, _ in process == 1 ? 0 : 0.5 }
    let faster = try Simulated.comparison(machine, cases: 2) { $0.acceptsOutputs = true }
    #expect(faster.sentence == "Accepted: 1 changed (1 faster), 1 faster of 2 cases")
    #expect(faster.cases.map(faster.word) == ["improved", "improved (accepted)"])
    machine.slowdown = { _, _ in 0 }
    machine.findings = { process, name in
      name == "case 3" && process == 1 ? Findings(problem: "no kernel is called so") : .good
    }
    let gone = try Simulated.comparison(machine, cases: 5) { $0.acceptsGone = true }
    #expect(gone.outcome == .good && gone.sentence.hasPrefix("Accepted: 1 changed, 4 the same of 5 cases"))
    #expect(gone.text.contains("case 3: accepted: refused: no kernel is called so"))
  }

  @Test(
    "A looser promise is a fault, even if the base was wrong, but a tighter or equal one is not",
    arguments: [
      (1, 50, "1 level → 50 levels"), (1, nil, "1 level → as the head says"), (1, 1, nil), (50, 1, nil),
      (nil, 50, nil),
    ] as [(Double?, Double?, String?)])
  func promises(old: Double?, new: Double?, reason: String?) throws {
    let machine = SimulatedMachine(.quiet, seed: 13)
    machine.findings = { process, name in
      var findings = Findings.good
      if name == "case 1", process != 1 { findings = Findings(problem: "2 levels off", isWrong: true) }
      findings.promise = "as the \(process == 1 ? "head" : "base") says"
      findings.promisedLevels = process == 1 ? new : old
      return findings
    }
    let found = try Simulated.comparison(machine, cases: 2)
    let reasons = Array(repeating: [reason].compactMap(\.self), count: 2)
    #expect(found.cases.map { $0.faults.map(\.reason) } == reasons)
    #expect((found.outcome == .regressed) == (reason != nil))
    let accepted = try Simulated.comparison(machine, cases: 1) { $0.acceptsOutputs = true }
    #expect(accepted.outcome == .good)
  }

  @Test("A case over its limit is a regression whatever the base is like, and one within it is not")
  func limits() throws {
    // In these comparisons a blur takes 50 µs and is off by 0.5 levels.
    func found(_ limits: Limits, change: (SimulatedMachine) -> Void = { _ in }) throws -> Comparison {
      let machine = SimulatedMachine(.quiet, seed: 11)
      change(machine)
      return try Simulated.comparison(machine, cases: 2) {
        $0.limits = { $0 == "case 1" ? [limits] : [] }
      }
    }
    let slow = try found(Limits(time: .nanoseconds(40_000)))
    #expect(slow.cases.map { $0.faults.map(\.kind) } == [[], [.limit]] && slow.outcome == .regressed)
    #expect(slow.cases[1].verdict == .same && slow.sentence.contains("1 over the limit"))
    #expect(slow.cases[1].faults[0].reason.hasSuffix("ms, but the limit is 0.04 ms"))
    let far = try found(Limits(levels: 0.25))
    #expect(far.cases[1].faults.map(\.reason) == ["has an error of 0.5 levels, but the limit is 0.25"])
    for limits in [Limits(time: .nanoseconds(60_000), levels: 0.5), Limits(time: .memcpys(0.001))] {
      #expect(try found(limits).outcome == .good)
    }
    // Limits apply only to the new version (the head). In the first comparison, only the base is over the
    // limit, so there is no fault. In the second one, the head gave a wrong result, which has no error to
    // compare with the limit.
    let better = try found(Limits(time: .nanoseconds(60_000))) {
      $0.slowdown = { process, _ in process == 1 ? 0 : 0.5 }
    }
    #expect(better.outcome == .good)
    let wrong = try found(Limits(levels: 0.25)) {
      $0.findings = { process, _ in process == 1 ? Findings(problem: "9 levels off", isWrong: true) : .good }
    }
    #expect(wrong.cases[1].faults.map(\.kind) == [.wrong])
  }

  @Test("If slower cases are accepted, the outcome is good and they are still shown, but limits hold")
  func acceptedSlower() throws {
    let machine = SimulatedMachine(.quiet, seed: 12)
    machine.slowdown = { process, name in process == 1 && name == "case 1" ? 0.5 : 0 }
    let accepted = try Simulated.comparison(machine, cases: 3) { $0.acceptsSlower = true }
    #expect(accepted.outcome == .good && accepted.cases[1].verdict == .regressed)
    #expect(accepted.sentence == "Accepted: 1 slower, 2 the same of 3 cases")
    #expect(!accepted.junit.contains("<failure") && !accepted.annotations.contains("::error"))
    let limited = try Simulated.comparison(machine, cases: 3) {
      $0.acceptsSlower = true
      $0.limits = { _ in [Limits(time: .nanoseconds(60_000))] }
    }
    #expect(limited.outcome == .regressed && limited.cases.map(\.faults.count) == [0, 1, 0])
  }

  @Test("Cases that fail on both sides are the same, and cases that fail only on the base are undecided")
  func refusedByBoth() throws {
    let machine = SimulatedMachine(.quiet, seed: 10)
    machine.findings = { process, name in
      switch name {
      case "case 0": Findings(problem: "no room on side \(process)")
      case "case 1": Findings(problem: "2 levels off", isWrong: true)
      case "case 2" where process != 1: Findings(problem: "needs a newer build")
      case "case 4" where process != 1: Findings(problem: "2 levels off", isWrong: true)
      default: .good
      }
    }
    let found = try Simulated.comparison(machine, cases: 5)
    #expect(found.cases.map(\.verdict) == [.same, .same, .unclear, .same, .unclear])
    #expect(found.cases.map(\.isUntimed) == [true, true, false, false, false])
    #expect(found.cases.allSatisfy(\.faults.isEmpty) && found.cases[0].ratio == nil)
    machine.findings = { _, name in name == "case 0" ? Findings(problem: "no room") : .good }
    #expect(try Simulated.comparison(machine, cases: 4).outcome == .good)
  }

  @Test("Cases that one of two kernels refuses are left out with one note, but wrong results count")
  func refusedByOneKernel() throws {
    func found(_ problems: [String: Findings]) throws -> Comparison {
      let machine = SimulatedMachine(.quiet, seed: 16)
      machine.findings = { _, name in problems[name] ?? .good }
      let names = (0..<3).map { ["old \($0)", "new \($0)"] }
      let candidates = (0..<3).map { place in
        Candidate(process: place, isJudged: place < 2) {
          BenchRequest(names[$0][place % 2])
        }
      }
      let comparison = PairedComparison(
        names, candidates, ComparisonOptions(), generator: machine.generator
      ) { _ in machine.processes(3) }
      try comparison.measure()
      return comparison.result(base: "old", head: "new", method: .kernels)
    }
    let refusal = Findings(problem: "1 thread at most")
    let one = try found(["new 0": refusal, "old 1": refusal])
    #expect(one.cases.map(\.name) == ["new 2"] && one.outcome == .good)
    #expect(one.notes == ["not compared: 2 cases: 1 thread at most"])
    let none = try found(["old 0": refusal, "old 1": refusal, "new 2": refusal])
    #expect(none.cases.isEmpty && none.outcome == .cannotTell)
    let wrong = try found(["new 1": Findings(problem: "9 levels off", isWrong: true)])
    #expect(wrong.cases.count == 3 && wrong.outcome == .regressed)
  }

  @Test("An output that differs from process to process is wrong")
  func unsteady() throws {
    let machine = SimulatedMachine(.quiet, seed: 8)
    var opened = 0
    machine.findings = { process, _ in
      var findings = Findings.good
      opened += 1
      if process == 1 { findings.outputHash = "\(opened)" }
      return findings
    }
    let result = try Simulated.comparison(machine, cases: 1)
    #expect(result.cases[0].faults.map(\.reason) == ["the output differs from process to process"])
  }

  @Test("All sides run the same number of iterations, and take turns")
  func turns() throws {
    let machine = SimulatedMachine(.quiet, seed: 9)
    _ = try Simulated.comparison(machine, cases: 1)
    let timed = machine.log.dropFirst(2)
    #expect(Set(timed.map(\.iterations)).count == 1)
    for process in 0..<3 { #expect(timed.count { $0.process == process } == timed.count / 3) }
    // In each round of three samples, every process occurs once.
    for round in 0..<timed.count / 3 {
      #expect(Set(timed.dropFirst(3 * round).prefix(3).map(\.process)).count == 3)
    }
  }
}

@Suite("The order of turns")
struct WilliamsDesignTests {
  @Test("Each candidate is at each place, and follows each other candidate, equally often", arguments: 2...9)
  func balance(count: Int) {
    let rows = WilliamsDesign.rows(count)
    let share = rows.count / count
    for thing in 0..<count {
      for place in 0..<count { #expect(rows.count { $0[place] == thing } == share) }
      for other in 0..<count where other != thing {
        let follows = rows.map { row in zip(row, row.dropFirst()).count { $0 == thing && $1 == other } }
        #expect(follows.reduce(0, +) == share)
      }
    }
  }

  @Test("Two candidates run as ABBA BAAB, and as BAAB ABBA in the backward order")
  func pair() {
    let rounds = WilliamsDesign.rounds(2, atLeast: 4, isBackwards: false)
    #expect(rounds == [[0, 1], [1, 0], [1, 0], [0, 1]])
    #expect(WilliamsDesign.rounds(2, atLeast: 4, isBackwards: true) == [[1, 0], [0, 1], [0, 1], [1, 0]])
  }
}
