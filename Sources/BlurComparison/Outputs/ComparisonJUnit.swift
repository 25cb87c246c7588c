import Foundation

extension Comparison {
  /// The comparison as JUnit's XML, for what shows results of tests: a test for each case.
  ///
  /// Regressions and wrong results are failures; so are cases without a verdict in a strict comparison, else
  /// they are skipped. Where the times are not to be trusted every other case is an error. The form is that
  /// of Jenkins's reader.
  public var junit: String {
    let tests = cases.isEmpty ? [emptiness] : sortedCases.map(test)
    let count = { (result: TestResult) in tests.count { $0.result == result } }
    let totals =
      "tests=\"\(tests.count)\" failures=\"\(count(.failure))\" errors=\"\(count(.error))\" "
      + "skipped=\"\(count(.skipped))\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="blurbench compare" \(totals)>
        <testsuite name="\("\(base) against \(head)".xml)" \(totals)>
      \(tests.map(\.xml).joined(separator: "\n"))
          <system-out>\(([sentence] + warnings + notes + meaning).joined(separator: "\n").xml)</system-out>
        </testsuite>
      </testsuites>

      """
  }

  /// Readers take a suite without tests for a success.
  private var emptiness: Test {
    Test(name: "comparison", result: .error, type: "cannot tell", message: sentence)
  }

  private func test(_ item: CaseComparison) -> Test {
    let isTrusted = caveats.isEmpty || isFailure(item)
    let result: TestResult? =
      switch item.status {
      case _ where !isTrusted: .error
      case _ where isFailure(item): .failure
      case .suspect, .unclear: isStrict == true ? .failure : .skipped
      default: nil
      }
    let figures = [
      item.ratio.map(NumberText.change) ?? "", NumberText.times(item.base.time, item.head.time),
      item.smallestDetectable.map { "smallest found \(NumberText.share($0))" } ?? "",
    ]
    let reasons = isTrusted ? item.remarks : caveats
    let type = isTrusted ? word(for: item) : "cannot tell"
    // Faults begin with their kind, which is the type.
    let message = (reasons + figures).filter { !$0.isEmpty }.joined(separator: "; ")
    return Test(
      name: item.name, time: item.head.time, result: result, type: type,
      message: message.hasPrefix(type) ? message : "\(type): \(message)")
  }
}

/// How a test ended otherwise than well.
private enum TestResult: String { case failure, error, skipped }

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
