import BlurText

extension VerificationReport {
  /// The report as JUnit's XML, for what shows results of tests: a test for each kernel and property.
  public var junit: String {
    // Readers take a suite without tests for a success.
    let nothing = JUnit.Test(name: "verify", result: .skipped, type: "", message: "nothing was checked")
    let title = rows.map(\.kernel).uniqued.listed
    return JUnit(verb: "verify", title: title, rows.isEmpty ? [nothing] : rows.map(\.test), notes: text).xml
  }
}

extension VerificationSummary {
  fileprivate var test: JUnit.Test {
    let result: JUnit.Result? =
      switch status {
      case .passed: nil
      case .failed: .failure
      case .skipped: .skipped
      }
    let lines = [message, shared, command].compactMap(\.self)
    return JUnit.Test(
      name: "\(kernel) \(property)", seconds: seconds, result: result, type: property,
      message: lines.joined(separator: "\n"))
  }
}
