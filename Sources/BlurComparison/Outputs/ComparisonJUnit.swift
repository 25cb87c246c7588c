import BlurText

extension Comparison {
  /// The comparison as JUnit XML, for tools that show test results. Each case is a test.
  ///
  /// The test results agree with the exit code. Regressions and wrong results are failures. Undecided cases
  /// are skipped, or count as failures if the user asked for a strict comparison. A case that neither the
  /// base nor the head supports is skipped too.
  public var junit: String {
    let tests = cases.isEmpty ? [emptiness] : sortedCases.map(test)
    let text = ([sentence] + warnings + furtherNotes + meaning).joined(separator: "\n")
    return JUnit(verb: "compare", title: "\(base) against \(head)", tests, notes: text).xml
  }

  /// The test that is reported if there are no cases. Without it, tools would show the empty list of tests as
  /// a success.
  private var emptiness: JUnit.Test {
    JUnit.Test(name: "comparison", result: undecided, type: Self.cannotTell, message: sentence)
  }

  /// The JUnit result of a case without a clear verdict: a failure if the user asked for a strict comparison,
  /// and skipped otherwise.
  private var undecided: JUnit.Result { isStrict == true ? .failure : .skipped }
  private static let cannotTell = Outcome.cannotTell.rawValue

  private func test(_ item: CaseComparison) -> JUnit.Test {
    let isUntimed = item.isUntimed && !isFailure(item)
    let isTrusted = caveats.isEmpty || isFailure(item) || isUntimed
    let result: JUnit.Result? =
      switch item.status {
      case _ where isFailure(item): .failure
      case _ where isUntimed: .skipped
      case _ where !isTrusted, .suspect, .missing, .unclear: undecided
      default: nil
      }
    let figures = [
      item.ratio.map(NumberText.change) ?? "", NumberText.times(item.base.time, item.head.time),
      item.smallestDetectable.map { "smallest slowdown that can be found: \(NumberText.share($0))" } ?? "",
    ]
    let reasons = isTrusted ? item.remarks : caveats
    let isUnclear = !isTrusted || item.status == .unclear
    let type = isUnclear ? Self.cannotTell : isUntimed ? "not timed" : word(for: item)
    // The message should begin with the type of the test result, such as "wrong result". The type is added at
    // the beginning, unless the description of a fault already begins with it.
    let message = (reasons + figures).filter { !$0.isEmpty }.joined(separator: "; ")
    return JUnit.Test(
      name: item.name, seconds: item.head.time.map { $0 / 1e9 }, result: result, type: type,
      message: message.hasPrefix(type) ? message : "\(type): \(message)")
  }
}
