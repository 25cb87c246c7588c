import Foundation

/// A JUnit XML document for tools that display test results. The format is the one that Jenkins reads.
package struct JUnit {
  private let verb: String, title: String, tests: [Test], notes: String

  /// Creates a document from the results of tests.
  ///
  /// - Parameters:
  ///   - verb: The command that produced the results, such as `compare`.
  ///   - title: A description of what was tested.
  ///   - notes: Remarks that apply to all tests.
  package init(verb: String, title: String, _ tests: [Test], notes: String) {
    (self.verb, self.title, self.tests, self.notes) = (verb, title, tests, notes)
  }

  /// The XML document as text.
  package var xml: String {
    let count = { (result: Result) in tests.count { $0.result == result } }
    let totals =
      "tests=\"\(tests.count)\" failures=\"\(count(.failure))\" errors=\"0\" "
      + "skipped=\"\(count(.skipped))\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="blurbench \(verb)" \(totals)>
        <testsuite name="\(title.xml)" \(totals)>
      \(tests.map { $0.xml(verb) }.joined(separator: "\n"))
          <system-out>\(notes.xml)</system-out>
        </testsuite>
      </testsuites>

      """
  }

  /// The outcome of a test that did not pass.
  package enum Result: String { case failure, skipped }

  /// The name and outcome of one test.
  package struct Test {
    private let name: String, seconds: Double?, type: String, message: String
    fileprivate let result: Result?

    /// Creates the description of one test.
    ///
    /// - Parameters:
    ///   - seconds: The duration of the test, or nil if it is unknown.
    ///   - result: The outcome, or nil if the test passed.
    ///   - type: The kind of failure.
    ///   - message: The reason why the test did not pass.
    package init(name: String, seconds: Double? = nil, result: Result?, type: String, message: String) {
      (self.name, self.seconds, self.result) = (name, seconds, result)
      (self.type, self.message) = (type, message)
    }

    fileprivate func xml(_ verb: String) -> String {
      let time = seconds.map { String(format: " time=\"%.9f\"", $0) } ?? ""
      let start = "    <testcase classname=\"blurbench.\(verb)\" name=\"\(name.xml)\"\(time)"
      guard let result else { return start + "/>" }
      let kind = result == .skipped ? "" : " type=\"\(type.xml)\""
      return """
        \(start)>
              <\(result.rawValue)\(kind) message="\(message.xml)"/>
            </testcase>
        """
    }
  }
}

extension String {
  /// The string escaped for XML elements and attributes, without the characters that XML 1.0 forbids.
  fileprivate var xml: String {
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
