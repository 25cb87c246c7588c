import BlurText

extension Comparison {
  /// The comparison as JUnit XML, for tools that show test results. Each case is a test.
  ///
  /// The test results agree with the exit code. Regressions and wrong results are failures. Undecided cases
  /// are skipped, or are failures in a strict comparison. Cases that neither side can run are skipped.
  public var junit: String {
    let tests = cases.isEmpty ? [emptiness] : sortedCases.map(test)
    let text = ([sentence] + warnings + furtherNotes + meaning).joined(separator: "\n")
    return JUnit(verb: "compare", title: "\(base) against \(head)", tests, notes: text).xml
  }

  /// The only test of a comparison without cases. Tools would take a suite without tests for a success.
  private var emptiness: JUnit.Test {
    JUnit.Test(name: "comparison", result: undecided, type: Self.cannotTell, message: sentence)
  }

  /// The test result of an undecided case.
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
    // The message of a fault already begins with its kind, which is also the type of the test result.
    let message = (reasons + figures).filter { !$0.isEmpty }.joined(separator: "; ")
    return JUnit.Test(
      name: item.name, seconds: item.head.time.map { $0 / 1e9 }, result: result, type: type,
      message: message.hasPrefix(type) ? message : "\(type): \(message)")
  }
}
