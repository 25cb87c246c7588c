import BlurText

extension VerificationReport {
  /// The report as JUnit XML, for programs that show test results. Each combination of kernel and property is
  /// a test.
  public var junit: String {
    // Programs that read JUnit XML consider a suite without tests successful. A run without checks is
    // therefore written as one skipped test.
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
