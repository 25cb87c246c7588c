import Testing

@testable import BlurComparison

@Suite("The outcome of a comparison")
struct OutcomeTests {
  private func comparison(_ verdicts: Verdict..., caveats: [String] = [], fault: Bool = false) -> Comparison {
    var cases = verdicts.enumerated().map { CaseComparison(name: "case \($0.offset)", verdict: $0.element) }
    if fault { cases[0].faults = [Fault(.error, "3 levels, not 1")] }
    return Comparison(
      base: "a", head: "b", method: .processes, threshold: 0.05, cases: cases, caveats: caveats)
  }

  @Test("The outcome is good only if that is proven for every case")
  func good() {
    #expect(comparison(.same, .improved).outcome == .good)
    #expect(comparison(.same, .unclear).outcome == .cannotTell)
    #expect(comparison(.same, .notSlower).outcome == .good)
    #expect(comparison().outcome == .cannotTell)
  }

  @Test("A slowdown of three thresholds counts despite caveats about the comparison")
  func beyondDoubt() {
    func outcome(_ percent: Double, own: Double? = nil, caveat: String? = nil) -> Comparison {
      var item = Fixture.item("slow", .regressed, percent: percent)
      (item.threshold, item.caveat) = (own, caveat)
      return Comparison(
        base: "a", head: "b", method: .processes, threshold: 0.05,
        cases: [item, CaseComparison(name: "calm", verdict: .same)], caveats: ["busy"])
    }
    #expect(outcome(15.1).outcome == .regressed)
    #expect(outcome(15.1).sentence == "Regression: 1 slower, 1 with untrusted times of 2 cases")
    #expect(outcome(14.9).outcome == .cannotTell)
    #expect(outcome(14.9).sentence == "Cannot tell: the times cannot be trusted")
    // A case with its own threshold is judged by that threshold.
    #expect(outcome(29.9, own: 0.1).outcome == .cannotTell && outcome(30.1, own: 0.1).outcome == .regressed)
    #expect(outcome(500, caveat: "two measurements of the base differ").outcome == .cannotTell)
    var unproven = outcome(500)
    unproven.cases[0].verdict = .unclear
    #expect(unproven.outcome == .cannotTell)
    var faster = outcome(-50)
    faster.cases[0].verdict = .improved
    #expect(faster.outcome == .cannotTell)
  }

  @Test("A case that both sides refuse counts as the same, without a time")
  func refused() {
    var refused = CaseComparison(name: "odd", verdict: .same)
    (refused.base.problem, refused.head.problem) = ("no such format", "no such format")
    let found = Comparison(
      base: "a", head: "b", method: .processes, threshold: 0.05,
      cases: [refused, CaseComparison(name: "calm", verdict: .same)])
    #expect(found.outcome == .good)
    #expect(found.sentence == "No regression: 2 the same (1 not timed) of 2 cases")
    #expect(found.text.contains("same: no time  odd") && found.text.contains("odd: no such format\n"))
    #expect(found.markdown.contains("| same: no time | odd |"))
    // If no case was measured, nothing is proven.
    let nothing = Comparison(base: "a", head: "b", method: .processes, threshold: 0.05, cases: [refused])
    #expect(nothing.outcome == .cannotTell && nothing.sentence.contains("no case has a time"))
  }

  @Test("More instructions than the gate allows are a fault of their own")
  func instructions() {
    func found(_ new: Double, gate: Double?) -> Comparison {
      var item = Fixture.item("k", .same, percent: 0)
      item.note(instructions: 1e6, new, gate: gate)
      #expect(item.instructionRatio == new / 1e6 && item.head.instructions == new)
      return Comparison(
        base: "a", head: "b", method: .processes, threshold: 0.05, cases: [item], caveats: ["busy"])
    }
    #expect(found(1.0101e6, gate: 0.01).outcome == .regressed)
    #expect(found(1.0101e6, gate: 0.01).cases[0].faults.map(\.kind) == [.instructions])
    #expect(found(1.0101e6, gate: 0.01).sentence == "Regression: 1 with more instructions of 1 case")
    let reason = found(1.0101e6, gate: 0.01).cases[0].faults[0].reason
    #expect(reason.hasPrefix("+1.0 %, from 1000000 to 1010100 per blur"))
    for free in [found(1.0099e6, gate: 0.01), found(0.5e6, gate: 0.01), found(2e6, gate: nil)] {
      #expect(free.outcome == .cannotTell && free.cases[0].faults.isEmpty)
    }
    var both = found(2e6, gate: 0.01)
    both.cases[0].faults.append(Fault(.output, "some bits differ"))
    #expect(both.sentence == "Regression: 1 changed of 1 case")
  }

  @Test("A case that the head refuses is not called wrong, and gets no command to measure it")
  func refusedByHead() throws {
    var gone = CaseComparison(name: try Fixture.name("gone"))
    gone.faults = [Fault(.gone, "no kernel is called gone")]
    var refused = CaseComparison(name: try Fixture.name("shy"))
    refused.faults = [Fault(.refused, "no such format")]
    var wrong = CaseComparison(name: try Fixture.name("wrong"))
    wrong.faults = [Fault(.wrong, "9 levels from the Gaussian")]
    let found = Comparison(
      base: "a", head: "b", method: .processes, threshold: 0.05, cases: [gone, wrong, refused])
    #expect(found.sentence == "Regression: 1 wrong, 1 refused, 1 gone of 3 cases")
    #expect(found.text.contains("--kernel wrong ") && !found.text.contains("--kernel gone"))
    #expect(found.text.contains("\ngone ") && found.text.contains("\nrefused "))
    #expect(found.markdown.contains("--kernel wrong "))
  }

  @Test("Ways to accept a fault are offered exactly where they help")
  func acceptances() {
    func offered(_ kinds: Fault.Kind..., verdict: Verdict = .same) -> String {
      var found = comparison(verdict)
      found.cases[0].faults = kinds.map { Fault($0, "because") }
      #expect(found.acceptances.allSatisfy { found.text.contains($0) && found.markdown.contains($0) })
      return found.acceptances.joined(separator: "\n")
    }
    #expect(offered() == "")
    #expect(offered(verdict: .regressed).contains("blurbench: accept-slower"))
    for kind in [Fault.Kind.refused, .gone] {
      #expect(offered(kind).contains("--accept-gone") && !offered(kind).contains("slower"))
    }
    for kind in [Fault.Kind.promise, .error, .output] {
      #expect(offered(kind).contains("--accept-outputs") && !offered(kind).contains("cannot be accepted"))
    }
    for kind in [Fault.Kind.wrong, .limit] {
      #expect(offered(kind).contains("cannot be accepted") && !offered(kind).contains("--"))
    }
    #expect(offered(.output, .instructions, verdict: .regressed).split(separator: "\n").count == 4)
  }

  @Test("A slowdown without more instructions says that the same work takes longer")
  func layout() {
    func text(_ instructions: Double, _ verdict: Verdict = .regressed) -> String {
      var item = Fixture.item("k", verdict, percent: 11.5)
      item.note(instructions: 1e6, instructions, gate: nil)
      return Comparison(base: "a", head: "b", method: .processes, threshold: 0.05, cases: [item]).markdown
    }
    #expect(text(1.004e6).contains("- k: instructions +0.4 %: the same work takes longer"))
    #expect(!text(1.2e6).contains("the same work") && !text(1.004e6, .same).contains("the same work"))
  }

  @Test("A case with a caveat of its own is not good")
  func ownCaveat() {
    var found = comparison(.same, .same)
    found.cases[1].caveat = "not counted"
    #expect(found.outcome == .cannotTell)
  }

  @Test("A slower case counts only if times are trusted, but a wrong one always counts")
  func regressed() {
    #expect(comparison(.regressed, .unclear).outcome == .regressed)
    #expect(comparison(.regressed, .same, caveats: ["busy"]).outcome == .cannotTell)
    #expect(comparison(.same, .same, caveats: ["busy"], fault: true).outcome == .regressed)
    #expect(comparison(.improved, .same, fault: true).sentence.hasPrefix("Regression: 1 changed"))
  }

  @Test("With --strict, an undecided comparison is called so and is a failure, also for CI")
  func strict() {
    var found = comparison(.same, .unclear)
    #expect(found.sentence == "Cannot tell: 1 the same, 1 undecided of 2 cases")
    #expect(found.annotations.hasPrefix("::warning ") && found.junit.contains("<skipped message"))
    found.isStrict = true
    let title = "Not decided, which --strict treats as a failure: 1 the same"
    #expect(found.sentence.hasPrefix(title) && found.markdown.hasPrefix("### \(title)"))
    #expect(found.annotations.hasPrefix("::error ") && found.junit.contains("<failure type=\"cannot tell\""))
    #expect(comparison(.regressed).sentence.hasPrefix("Regression"))
  }

  @Test("A spent budget has its own sentence, with the number of decided cases and what helps")
  func shortage() {
    var found = comparison(.same, .unclear, .unclear, caveats: ["too few pairs"])
    #expect(found.sentence == "Cannot tell: the times cannot be trusted")
    found.shortage = "the budget of 5 s is spent; raise --budget"
    #expect(found.sentence == "Cannot tell: 1 of 3 cases decided; the budget of 5 s is spent; raise --budget")
    // If all cases are decided, the sentence does not mention the number of decided cases.
    var few = comparison(.same, .same, caveats: ["too few pairs"])
    few.shortage = "6 pairs are too few to find a change of a single case"
    #expect(few.sentence == "Cannot tell: 6 pairs are too few to find a change of a single case")
    found.cases[1].faults = [Fault(.wrong, "9 levels off")]
    #expect(found.sentence == "Regression: 1 wrong, 2 undecided of 3 cases")
  }
}
