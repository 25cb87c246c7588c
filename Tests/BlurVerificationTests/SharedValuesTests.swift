import Blur
import Testing

@testable import BlurVerification

@Suite struct SharedValuesTests {
  /// Returns the summary of a property whose checks use all edge modes and fail for some of them.
  private func row(_ property: Property, failing edges: [String], _ levels: Double) throws
    -> VerificationSummary
  {
    let kernel = try Registry.kernel(named: "simd")
    let checks = try EdgeMode.all.map { edge in
      let subject = Subject(.gray8, sigma: try Sigma(2), edge: edge)
      let finding = Finding("off", Deviation(maxLevels: levels))
      return Check(
        kernel: kernel, property: property, subject: subject,
        outcome: edges.contains(edge.name) ? .failed(finding) : .passed(nil))
    }
    return VerificationSummary(checks)
  }

  @Test("Failures with one cause are one block, whose title names what they share and the largest error")
  func groups() throws {
    let rows = [
      try row(.truth, failing: ["mirror"], 27), try row(.axes, failing: ["mirror"], 9),
      try row(.threads, failing: ["clamp"], 1),
    ]
    let groups = FailureGroup.all(of: rows)
    #expect(
      groups.map(\.title) == ["wrong: mirror edge, 27 levels", "differs with the number of threads: 1 level"])
    #expect(groups[0].text.hasPrefix("FAILED simd wrong: mirror edge, 27 levels\n  2 of 10 checks"))
    #expect(groups[0].text.contains("\n  truth, axes: off\n    blurbench verify --kernel simd"))
    // A later property fails with another edge mode, so the edge mode is not the cause.
    let more = FailureGroup.all(of: rows + [try row(.impulse, failing: ["wrap"], 40)])
    #expect(more[0].title == "wrong: 40 levels" && !more[0].text.contains("failures have"))
  }

  /// The simulated checks combine all formats and edge modes with two numbers of threads and two sigmas.
  @Test("A report says which format, edge mode or number of threads all failures have")
  func failuresSayWhatTheyShare() throws {
    let kernel = try Registry.kernel(named: "simd")
    func shared(example: Subject? = nil, _ isWrong: (Subject) -> Bool) throws -> String? {
      var checks: [Check] = []
      for format in PixelFormat.allCases {
        for name in Subject.edgeNames {
          for (threads, x) in [(1, 2.0), (2, 2), (1, 9), (2, 9)] {
            let edge = try #require(Subject.edge(named: name, for: format))
            let subject = Subject(format, sigma: try Sigma(x: x, y: 2), edge: edge, threads: threads)
            checks.append(
              isWrong(subject)
                ? Check(kernel, .truth, subject, failure: "off")
                : Check(kernel: kernel, property: .truth, subject: subject, outcome: .passed(nil)))
          }
        }
      }
      let shown = example.map { Check(kernel, .truth, $0, failure: "off") }
      let row = VerificationSummary(checks, example: shown)
      return FailureGroup.all(of: [row])[0].text.split(separator: "\n")
        .first { $0.hasPrefix("  all ") }.map { String($0.dropFirst(2)) }
    }
    #expect(
      try shared { $0.edge == .wrap && $0.threads == 2 }
        == "all 18 failures have wrap edge (of 36 checks with it), 2 threads (of 108 checks with it)")
    #expect(
      try shared { $0.format == .gray16 } == "all 24 failures have gray16 (of 24 checks with it)")
    // The report prints one failure as an example, after reducing it to simpler conditions. A value that the
    // simpler failure lacks is not named.
    let small = Subject(.gray8, sigma: try Sigma(x: 0, y: 0.5), edge: .wrap)
    #expect(
      try shared(example: small) { $0.edge == .wrap && $0.threads == 2 }
        == "all 18 failures have wrap edge (of 36 checks with it)")
    #expect(try shared(example: small) { $0.format == .gray16 } == nil)
    // Nothing is reported if all checks fail, if the failures share nothing, or if there is only one failure.
    for isWrong: (Subject) -> Bool in [
      { _ in true }, { $0.format.channels == 4 || $0.edge == .wrap }, { $0.sigma.x > 3 },
      { $0.format == .gray8 && $0.edge == .wrap && $0.threads == 2 && $0.sigma.x > 3 },
    ] {
      let text = try shared(isWrong)
      #expect(text == nil)
    }
  }
}
