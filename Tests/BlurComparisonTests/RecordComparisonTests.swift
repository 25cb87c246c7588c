import BlurRecords
import Testing

@testable import BlurComparison

@Suite("Records of two runs")
struct RecordComparisonTests {
  private func records(_ kernel: String, _ factor: Double = 1, count: Int = 10, error: Double = 0.5) throws
    -> [Record]
  {
    let times = (0..<count).map { (index: Int) -> Double in
      let noise = Double(index * 7 % 10)
      return 1000 * factor * (1 + 0.01 * noise)
    }
    return Fixture.records(try Fixture.name(kernel), times).map { record in
      var record = record
      record.maxErrorLevels = error
      record.outputHash = "feed"
      record.machineKey = "a1"
      return record
    }
  }

  private func result(
    _ base: [Record], _ head: [Record], change: (inout ComparisonOptions) -> Void = { _ in }
  ) throws -> Comparison {
    var options = ComparisonOptions()
    change(&options)
    return try RecordComparison(base, head, options).result(base: "a.csv", head: "b.csv")
  }

  @Test("Only large changes count, and it is said that the two were not measured together")
  func wide() throws {
    let base = try records("slow") + records("calm") + records("fast")
    let head = try records("slow", 1.5) + records("calm", 1.05) + records("fast", 0.6)
    let found = try result(base, head)
    #expect(found.cases.map(\.verdict) == [.regressed, .same, .improved])
    #expect(found.threshold == 0.3 && found.outcome == .regressed)
    #expect(found.notes.contains { $0.contains("not measured together") && $0.contains("30 %") })
    #expect(abs(found.cases[0].ratio!.estimate - 1.5) < 1e-9)
    // With a threshold of one's own, the same 5 % is found.
    let narrow = try result(base, head) { $0.threshold = 0.02 }
    #expect(narrow.cases[1].verdict == .regressed)
  }

  @Test("Few samples cannot show one change among many cases")
  func few() throws {
    let kernels = (0..<40).map { "k\($0)" }
    let base = try kernels.flatMap { try records($0, count: 4) }
    let head = try kernels.flatMap { try records($0, $0 == "k0" ? 3 : 1, count: 4) }
    let found = try result(base, head)
    #expect(found.caveats.contains { $0.hasPrefix("cannot detect: 4 samples") })
    #expect(found.outcome == .cannotTell)
  }

  @Test("Errors that grew are faults; cases of one side alone are named")
  func faults() throws {
    let found = try result(
      try records("a") + records("gone"), try records("a", error: 0.8) + records("new"))
    #expect(found.cases.map { $0.faults.map(\.kind) } == [[.error]])
    #expect(found.notes.contains { $0.hasPrefix("only in the base: 1 cases") && $0.contains("kernel=gone") })
    #expect(found.notes.contains { $0.hasPrefix("only in the head: 1 cases") && $0.contains("kernel=new") })
  }

  @Test("Different machines are refused, with their keys")
  func machines() throws {
    let other = try records("a").map { record in
      var record = record
      record.machineKey = "b2"
      return record
    }
    #expect {
      try result(try records("a"), other)
    } throws: { error in
      "\(error)".contains("a1") && "\(error)".contains("b2") && "\(error)".contains("not compared")
    }
  }
}
