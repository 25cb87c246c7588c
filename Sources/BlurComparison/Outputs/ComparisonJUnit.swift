import BlurText

extension Comparison {
  /// The comparison as JUnit's XML, for what shows results of tests: a test for each case.
  ///
  /// It agrees with the exit code: regressions and wrong results are failures; where nothing can be told a
  /// case is skipped, or in a strict comparison a failure. What neither side runs is skipped.
  public var junit: String {
    let tests = cases.isEmpty ? [emptiness] : sortedCases.map(test)
    let text = ([sentence] + warnings + furtherNotes + meaning).joined(separator: "\n")
    return JUnit(verb: "compare", title: "\(base) against \(head)", tests, notes: text).xml
  }

  /// Readers take a suite without tests for a success.
  private var emptiness: JUnit.Test {
    JUnit.Test(name: "comparison", result: undecided, type: Self.cannotTell, message: sentence)
  }

  /// What is not decided.
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
      item.smallestDetectable.map { "smallest found \(NumberText.share($0))" } ?? "",
    ]
    let reasons = isTrusted ? item.remarks : caveats
    let isUnclear = !isTrusted || item.status == .unclear
    let type = isUnclear ? Self.cannotTell : isUntimed ? "not timed" : word(for: item)
    // Faults begin with their kind, which is the type.
    let message = (reasons + figures).filter { !$0.isEmpty }.joined(separator: "; ")
    return JUnit.Test(
      name: item.name, seconds: item.head.time.map { $0 / 1e9 }, result: result, type: type,
      message: message.hasPrefix(type) ? message : "\(type): \(message)")
  }
}
