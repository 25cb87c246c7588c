import Blur
import TestSupport
import Testing

@testable import BlurVerification

@Suite struct VerificationJUnitTests {
  /// The run has a kernel that fails, a kernel that passes, and a kernel that is not checked.
  @Test("The JUnit report has one test for each kernel and property")
  func junitHasATestForEachKernelAndProperty() throws {
    var run = VerificationRun(
      kernels: [Kernel(MutantKernel<Darkened>()), Kernel(MutantKernel<Honest>()), Kernel(NoFloat())],
      properties: [.constant])
    (run.formats, run.sigmas, run.edgeNames) = ([.grayf32], [try Sigma(1)], ["clamp"])
    let report = VerificationReport(try run.checks())
    let elements = try XMLElements.of(report.junit)
    let names = elements.filter { $0.name == "testcase" }.map { $0.attributes["name"] }
    #expect(names == ["Darkened constant", "Honest constant", "no-float constant"])
    let totals = elements.filter { $0.name.hasPrefix("testsuite") }.map(\.attributes)
    #expect(totals.count == 2)
    for total in totals {
      #expect([total["tests"], total["failures"], total["skipped"]] == ["3", "1", "1"])
    }
    #expect(
      elements.map(\.name).suffix(6) == [
        "testcase", "failure", "testcase", "testcase", "skipped", "system-out",
      ])
    let failure = try #require(elements.first { $0.name == "failure" }).attributes
    #expect(failure["type"] == "constant")
    #expect(failure["message"]?.contains("blurbench verify --kernel Darkened --property constant") == true)
    let skipped = try #require(elements.first { $0.name == "skipped" }).attributes
    #expect(skipped["message"] == "kernel no-float does not support format grayf32")
    // A run that checked nothing is not a success.
    #expect(try XMLElements.of(VerificationReport(rows: []).junit).contains { $0.name == "skipped" })
  }
}
