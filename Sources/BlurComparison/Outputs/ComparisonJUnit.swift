import Foundation

extension Comparison {
  /// The comparison as JUnit's XML, for what shows results of tests: a test for each case.
  ///
  /// It agrees with the exit code: regressions and wrong results are failures; where nothing can be told a
  /// case is skipped, or in a strict comparison a failure. What neither side runs is skipped. The form is
  /// that of Jenkins's reader.
  public var junit: String {
    let tests = cases.isEmpty ? [emptiness] : sortedCases.map(test)
    let count = { (result: TestResult) in tests.count { $0.result == result } }
    let totals =
      "tests=\"\(tests.count)\" failures=\"\(count(.failure))\" errors=\"0\" "
      + "skipped=\"\(count(.skipped))\""
    let text = ([sentence] + warnings + furtherNotes + meaning).joined(separator: "\n")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="blurbench compare" \(totals)>
        <testsuite name="\("\(base) against \(head)".xml)" \(totals)>
      \(tests.map(\.xml).joined(separator: "\n"))
          <system-out>\(text.xml)</system-out>
        </testsuite>
      </testsuites>

      """
  }

  /// Readers take a suite without tests for a success.
  private var emptiness: Test {
    Test(name: "comparison", result: undecided, type: Self.cannotTell, message: sentence)
  }

  /// What is not decided.
  private var undecided: TestResult { isStrict == true ? .failure : .skipped }
  private static let cannotTell = Outcome.cannotTell.rawValue

  private func test(_ item: CaseComparison) -> Test {
    let isUntimed = item.isUntimed && !isFailure(item)
    let isTrusted = caveats.isEmpty || isFailure(item) || isUntimed
    let result: TestResult? =
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
    return Test(
      name: item.name, time: item.head.time, result: result, type: type,
      message: message.hasPrefix(type) ? message : "\(type): \(message)")
  }
}

/// How a test ended otherwise than well.
private enum TestResult: String { case failure, skipped }

private struct Test {
  let name: String
  /// Nanoseconds.
  var time: Double?
  let result: TestResult?
  let type: String, message: String

  var xml: String {
    let seconds = time.map { String(format: " time=\"%.9f\"", $0 / 1e9) } ?? ""
    let start = "    <testcase classname=\"blurbench.compare\" name=\"\(name.xml)\"\(seconds)"
    guard let result else { return start + "/>" }
    let kind = result == .skipped ? "" : " type=\"\(type.xml)\""
    return """
      \(start)>
            <\(result.rawValue)\(kind) message="\(message.xml)"/>
          </testcase>
      """
  }
}

extension String {
  /// The text inside an element or an attribute, without the characters that XML 1.0 does not allow.
  var xml: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || [0xFFFE, 0xFFFF].contains(scalar.value): break
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
