import Testing

@testable import BlurComparison

@Suite("What a comparison says in the end")
struct OutcomeTests {
  private func comparison(_ verdicts: Verdict..., caveats: [String] = [], fault: Bool = false) -> Comparison {
    var cases = verdicts.enumerated().map { CaseComparison(name: "case \($0.offset)", verdict: $0.element) }
    if fault { cases[0].faults = [Fault(.error, "3 levels, not 1")] }
    return Comparison(
      base: "a", head: "b", method: .processes, threshold: 0.05, cases: cases, caveats: caveats)
  }

  @Test("Good is only what is proven for every case")
  func good() {
    #expect(comparison(.same, .improved).outcome == .good)
    #expect(comparison(.same, .unclear).outcome == .cannotTell)
    #expect(comparison().outcome == .cannotTell)
  }

  @Test("A slower case counts where times are trusted, a wrong one always")
  func regressed() {
    #expect(comparison(.regressed, .unclear).outcome == .regressed)
    #expect(comparison(.regressed, .same, caveats: ["busy"]).outcome == .cannotTell)
    #expect(comparison(.same, .same, caveats: ["busy"], fault: true).outcome == .regressed)
    #expect(comparison(.improved, .same, fault: true).sentence.hasPrefix("Regression: 1 wrong or changed"))
  }
}
