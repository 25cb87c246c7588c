import Blur
import Testing

@testable import BlurVerification

@Suite struct SharedValuesTests {
  /// Returns the summary of a property whose 15 checks use all edge modes with three sigmas, and fail for
  /// some of the edge modes.
  private func row(_ property: Property, failing edges: [String], _ levels: Double) throws
    -> VerificationSummary
  {
    let kernel = try Registry.kernel(named: "simd")
    let checks = try EdgeMode.allCases.flatMap { edge in
      try [2, 3, 4].map { sigma in
        let subject = Subject(.gray8, sigma: try Sigma(sigma), edge: edge)
        let finding = Finding("off", Deviation(maxLevels: levels))
        return Check(
          kernel: kernel, property: property, subject: subject,
          outcome: edges.contains(edge.name) ? .failed(finding) : .passed(nil))
      }
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
    #expect(groups[0].text.hasPrefix("FAILED simd wrong: mirror edge, 27 levels\n  6 of 30 checks"))
    #expect(groups[0].text.contains("\n  truth, axes: off\n    blurbench verify --kernel simd"))
    // A later property fails with another edge mode, so the edge mode is not the cause.
    let more = FailureGroup.all(of: rows + [try row(.impulse, failing: ["wrap"], 40)])
    #expect(more[0].title == "wrong: 40 levels" && !more[0].text.contains("failures have"))
  }

  @Test(
    "Failures that do not recur alone have a title of their own and share nothing, unless a race is known")
  func others() throws {
    var rows = [try row(.truth, failing: ["mirror"], 27), try row(.threads, failing: ["clamp"], 1)]
    for i in rows.indices { rows[i].dependsOnOthers("blurbench verify") }
    let groups = FailureGroup.all(of: rows)
    #expect(
      groups.map(\.title) == [
        "depends on earlier blurs or on chance: 27 levels", "differs with the number of threads: 1 level",
      ])
    #expect(!groups[0].text.contains("failures have"))
  }

  /// With 3 failures, the probability that all of them have a value of 5 out of 11 checks is
  /// C(5, 3) / C(11, 3) = 10 / 165, about 6 %. For 5 out of 40 checks, it is 10 / 9880.
  @Test("A value that all failures have by coincidence is not named")
  func coincidence() {
    func shared(others: Int) -> [String] {
      let values = [
        CheckedValue(name: "reflect edge", dimension: 0, failed: 3, made: 5),
        CheckedValue(name: "clamp edge", dimension: 0, made: others),
      ]
      return CheckedValue.shared(values, failures: 3).map(\.name)
    }
    #expect(shared(others: 6).isEmpty)
    #expect(shared(others: 35) == ["reflect edge"])
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
    #expect(
      try shared { $0.edgeName == "constant-colour" }
        == "all 36 failures have constant-colour edge (of 36 checks with it)")
    #expect(
      try shared { $0.edge.name == "constant" }
        == "all 72 failures have constant edge (of 72 checks with it)")
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
