import BlurRecords
import BlurVerification
import Foundation
import TestSupport
import Testing

@testable import BlurComparison

@Suite("Comparisons of the records of two runs")
struct RecordComparisonTests {
  /// A run on a simulated machine. Times differ between processes, but hardly between the repetitions in one
  /// process.
  private struct Run {
    var processes: Int? = 7
    /// The standard deviation of the logarithms of the processes' times.
    var spread = 0.03
    /// The factor by which the machine is slower than usual. The kernels are always slowed by this factor.
    /// The probe loop and memcpy are slowed as well, unless `showsMachine` is false.
    var machine = 1.0
    var showsMachine = true
    var noise = Noise(.normal, seed: 1)

    mutating func records(_ kernel: String, _ factor: Double = 1, error: Double = 0.5) throws -> [Record] {
      try (0..<(processes ?? 1)).flatMap { process in
        let time = 1000 * factor * machine * exp(spread * noise.next())
        let times = (0..<10).map { _ in time * exp(0.002 * noise.next()) }
        let probe = 700 * (showsMachine ? machine : 1) * exp(0.01 * noise.next())
        return Fixture.records(try Fixture.name(kernel), times).map { record in
          var record = record.inProcess(processes == nil ? nil : process)
          record.maxErrorLevels = error
          record.outputHash = "feed"
          record.machineKey = "a1"
          record.probeTime = probe
          return record
        }
      }
    }

    /// Returns the records of memcpy, which shows the speed of the machine, and of one kernel for each
    /// factor. A kernel's time is its usual time multiplied by the factor.
    mutating func records(_ factors: [Double]) throws -> [Record] {
      let all = try factors.enumerated().flatMap { try records("k\($0.offset)", $0.element) }
      return all + (try records(Case.memcpy, showsMachine ? 1 : 1 / machine))
    }
  }

  private func result(
    _ base: [Record], _ head: [Record], change: (inout ComparisonOptions) -> Void = { _ in }
  ) throws -> Comparison {
    var options = ComparisonOptions()
    change(&options)
    return try RecordComparison(base, head, options).result(base: "a.csv", head: "b.csv")
  }

  /// Compares two runs of 36 cases. Ten of the cases take twice as long in the new version (the head) as in
  /// the old version (the base).
  private func planted(_ base: Run, _ head: Run) throws -> Comparison {
    var (base, head) = (base, head)
    head.noise = Noise(.normal, seed: 2)
    return try result(
      base.records(Array(repeating: 1, count: 36)),
      head.records((0..<36).map { $0 % 4 == 1 || $0 == 8 ? 2 : 1 }))
  }

  private static let doubled = Set([1, 5, 8, 9, 13, 17, 21, 25, 29, 33].map { "kernel=k\($0)/" })

  private func isDoubled(_ item: CaseComparison) -> Bool {
    Self.doubled.contains { item.name.contains($0) }
  }

  @Test("Seven processes prove that ten cases take twice as long, and these cases are listed first")
  func proven() throws {
    let found = try planted(Run(), Run())
    #expect(found.outcome == .regressed && found.caveats.isEmpty)
    #expect(found.cases.filter { $0.verdict == .regressed }.allSatisfy(isDoubled))
    #expect(found.cases.count { $0.verdict == .regressed } == 10)
    #expect(found.cases.count { $0.verdict == .same } == 26)
    #expect(found.sortedCases.prefix(10).allSatisfy(isDoubled))
    let effects = found.sortedCases.prefix(10).compactMap { $0.ratio?.estimate }
    #expect(effects == effects.sorted(by: >) && effects.count == 10)
    #expect(found.cases.allSatisfy { $0.pairs == 7 })
    #expect(found.notes.contains { $0.contains("not measured together") && $0.contains("30 %") })
  }

  @Test(
    "Too few processes on a side prove no regression, only suspects, which are sorted by effect",
    arguments: [(nil, 7), (7, nil), (nil, nil), (4, 4), (1, 7)] as [(Int?, Int?)])
  func suspects(base: Int?, head: Int?) throws {
    let found = try planted(Run(processes: base), Run(processes: head))
    #expect(found.outcome == .cannotTell)
    #expect(found.sentence == "Cannot tell: 10 possibly slower, 26 the same of 36 cases")
    #expect(found.cases.filter { $0.verdict == .suspect }.allSatisfy(isDoubled))
    let effects = found.sortedCases.prefix(10).compactMap { $0.ratio?.estimate }
    #expect(found.sortedCases.prefix(10).allSatisfy(isDoubled) && effects == effects.sorted(by: >))
    let note = found.notes.first { $0.hasPrefix("changes can be suspected but not proven") }
    #expect(note?.contains("--processes 7") == true, "\(found.notes)")
    let lines = found.text.split(separator: "\n")
    let table = try #require(lines.firstIndex { $0.hasPrefix("verdict") })
    #expect(lines[(table + 1)...].prefix(10).allSatisfy { $0.hasPrefix("suspect ") })
  }

  @Test("The report says how many processes measured each side", arguments: [7, 1])
  func counts(head: Int) throws {
    var (base, other) = (Run(), Run(processes: head))
    let text = try result(base.records([1]), other.records([1])).text
    #expect(
      text.contains(head == 7 ? ", 7 processes each\n" : "7 processes for the base, 1 process for"))
  }

  @Test("Two single processes whose times agree give a good outcome")
  func one() throws {
    var (base, head) = (Run(processes: nil), Run(processes: nil))
    head.noise = Noise(.normal, seed: 2)
    let found = try result(base.records([1, 1, 1]), head.records([1, 1.05, 0.95]))
    #expect(found.outcome == .good && found.cases.allSatisfy { $0.verdict == .same })
  }

  @Test("A case that is certainly not slower is decided, even if too few processes prove that it is faster")
  func notSlower() throws {
    func found(_ processes: Int?) throws -> Comparison {
      var (base, head) = (Run(processes: processes), Run(processes: processes))
      head.noise = Noise(.normal, seed: 2)
      return try result(base.records([1, 1, 1]), head.records([0.4, 1, 1]))
    }
    let single = try found(nil)
    #expect(single.cases.map(\.verdict) == [.notSlower, .same, .same] && single.outcome == .good)
    #expect(single.sentence == "No regression: 2 the same, 1 not slower of 3 cases")
    #expect(try found(7).cases.map(\.verdict) == [.improved, .same, .same])
  }

  @Test("Two runs of one program are no regression, however much processes differ", arguments: [nil, 6, 12])
  func identical(processes: Int?) throws {
    for seed in 0..<(Tiers.isAll ? 40 : 3) {
      var (base, head) = (Run(processes: processes, spread: 0.2), Run(processes: processes, spread: 0.2))
      base.noise = Noise(.normal, seed: 10 + 2 * seed)
      head.noise = Noise(.heavy, seed: 11 + 2 * seed)
      head.machine = 1 + 0.02 * Double(seed % 16)
      let ones = Array(repeating: 1.0, count: 36)
      let found = try result(base.records(ones), head.records(ones))
      #expect(found.outcome != .regressed, "seed \(seed): \(found.sentence)")
    }
  }

  @Test("A slowdown that a fixed loop and memcpy also show is blamed on the machine, any other on the code")
  func machine() throws {
    let slower = try planted(Run(), Run(machine: 1.4))
    #expect(slower.caveats.contains { $0.contains("machine itself became") && $0.contains("memcpy +") })
    // Even if the whole machine became 40 % slower, only the cases whose time doubled are reported as
    // regressions.
    #expect(slower.cases.filter { $0.verdict == .regressed }.allSatisfy(isDoubled))
    #expect(slower.outcome == .regressed)
    // First, the machine becomes slower, so all twelve cases take longer and nothing is blamed on the code.
    // Afterwards the machine is as fast as before, but the code of eleven cases is slower, and these eleven
    // are regressions.
    var (base, head) = (Run(), Run(machine: 1.4))
    head.noise = Noise(.normal, seed: 2)
    let ones = Array(repeating: 1.0, count: 12)
    let moved = try result(base.records(ones), head.records(ones))
    #expect(moved.outcome == .cannotTell && moved.cases.allSatisfy { $0.verdict != .regressed })
    head = Run(noise: Noise(.normal, seed: 2))
    let code = try result(base.records(ones), head.records([1] + Array(repeating: 1.4, count: 11)))
    #expect(code.outcome == .regressed && code.cases.count { $0.verdict == .regressed } == 11)
    #expect(code.caveats.isEmpty)
  }

  @Test("If all cases are equally slower, only a large change is called a regression")
  func common() throws {
    func found(_ factor: Double, cases: Int) throws -> Comparison {
      var (base, head) = (Run(), Run(noise: Noise(.normal, seed: 2)))
      return try result(
        base.records(Array(repeating: 1, count: cases)), head.records(Array(repeating: factor, count: cases)))
    }
    let unseen = try found(1.4, cases: 12)
    #expect(unseen.outcome == .cannotTell && unseen.cases.allSatisfy { $0.verdict == .regressed })
    #expect(unseen.caveats.count == 1 && unseen.caveats[0].contains("all 12 cases are slower"))
    #expect(try found(2.2, cases: 12).outcome == .regressed)
    // If there are only a few cases, all of them may really have changed.
    #expect(try found(1.4, cases: 3).outcome == .regressed)
  }

  @Test("Without a measurement of the machine's speed, a slower case is only suspect")
  func blind() throws {
    var (base, head) = (Run(), Run())
    let old = try base.records([1, 1])
    var new = try head.records([3, 1])
    for index in new.indices { new[index].probeTime = nil }
    let found = try result(old, new)
    #expect(found.cases.map(\.verdict) == [.suspect, .same] && found.outcome == .cannotTell)
  }

  @Test("An effect within the spread of the processes is not proven, however many processes there are")
  func spread() throws {
    func verdict(_ spread: Double, _ factor: Double = 1.4) throws -> Verdict {
      var (base, head) = (Run(processes: 40, spread: spread), Run(processes: 40, spread: spread))
      head.noise = Noise(.normal, seed: 2)
      return try result(base.records([1, 1]), head.records([factor, 1])).cases[0].verdict
    }
    #expect(try verdict(0.03) == .regressed)
    #expect(try verdict(0.4) != .regressed)
    // A spread of 0.03 between processes is small enough to prove that a time doubled. With a spread of 0.55
    // this cannot be proven, but the case is still listed as a suspect.
    #expect(try verdict(0.03, 2) == .regressed && verdict(0.55, 2) == .suspect)
  }

  @Test("A single change needs more processes, and a note says how many")
  func lone() throws {
    func found(_ processes: Int) throws -> Comparison {
      var (base, head) = (Run(processes: processes), Run(processes: processes))
      head.noise = Noise(.normal, seed: 2)
      return try result(
        base.records(Array(repeating: 1, count: 36)), head.records([2] + Array(repeating: 1, count: 35)))
    }
    let few = try found(5)
    #expect(few.cases[0].verdict == .suspect && few.outcome == .cannotTell)
    #expect(
      few.notes.contains { $0.contains("one change among 36 cases, base and head each need 7 processes") })
    #expect(try found(7).cases[0].verdict == .regressed)
  }

  @Test("A smaller threshold than the default finds a smaller change")
  func threshold() throws {
    var (base, head) = (Run(spread: 0.002), Run(spread: 0.002))
    head.noise = Noise(.normal, seed: 2)
    let (old, new) = (try base.records([1, 1]), try head.records([1.08, 1]))
    #expect(try result(old, new).cases[0].verdict == .same)
    #expect(try result(old, new) { $0.threshold = 0.05 }.cases[0].verdict == .regressed)
  }

  @Test("Errors that grew are faults, and cases that only one side has are named")
  func faults() throws {
    var run = Run(processes: nil)
    let found = try result(
      try run.records("a") + run.records("gone"), try run.records("a", error: 0.8) + run.records("new"))
    #expect(found.cases.map { $0.faults.map(\.kind) } == [[.error], []])
    #expect(found.sentence == "Regression: 1 changed, 1 missing of 2 cases")
    #expect(found.notes.contains { $0.hasPrefix("cases that only the new") && $0.contains("kernel=new") })
  }

  @Test("A case missing in the head's records leaves the outcome open, unless its absence is accepted")
  func missing() throws {
    var run = Run()
    let records = try run.records([1, 1, 1])
    let fewer = records.filter { !$0.name.contains("kernel=k2/") }
    var found = try result(records, fewer)
    #expect(found.cases.map(\.verdict) == [.same, .same, .missing] && found.outcome == .cannotTell)
    #expect(found.sentence == "Cannot tell: 1 of 3 cases is missing in the new version (head); 2 the same")
    #expect(found.notes.contains { $0.contains("`--accept-gone`") })
    #expect(found.text.contains("\nmissing ") && found.junit.contains("skipped=\"1\""))
    found.isStrict = true
    #expect(found.sentence.hasPrefix("Not decided") && found.junit.contains("failures=\"1\""))
    let accepted = try result(records, fewer) { $0.acceptsGone = true }
    #expect(accepted.sentence == "Accepted: 1 changed, 2 the same of 3 cases")
    #expect(accepted.notes.allSatisfy { !$0.contains("--accept-gone") })
    // If no kernel is in both runs, the sentence says that the only case is missing. If the base has fewer
    // cases than the head, nothing is missing.
    let none = try result(try run.records("a"), try run.records("b"))
    #expect(none.sentence == "Cannot tell: 1 of 1 case is missing in the new version (head)")
    #expect(try result(fewer, records).outcome == .good)
  }

  @Test("A case that both sides refuse is the same, and an output that differs between processes is wrong")
  func refused() throws {
    let name = try Fixture.name("odd")
    let refused = [Record(name: name).skipped("no such format")]
    let found = try result(refused, refused)
    #expect(found.cases.map(\.isUntimed) == [true] && found.cases.map(\.verdict) == [.same])
    #expect(try result(refused, [Record(name: name).wrong("off")]).outcome == .regressed)
    let wrong = { [Record(name: name).wrong($0)] }
    #expect(try result(wrong("off"), wrong("off")).cases.map(\.verdict) == [.same])
    #expect(try result(wrong("off"), wrong("further off")).cases.map(\.verdict) == [.unclear])
    var run = Run()
    let old = try run.records("a")
    var new = old
    new[new.count - 1].outputHash = "beef"
    let unsteady = try result(old, new)
    #expect(unsteady.cases[0].faults.map(\.reason) == ["the output differs from process to process"])
  }

  @Test("Records of different machines are rejected, with their keys")
  func machines() throws {
    var run = Run(processes: nil)
    let other = try run.records("a").map { record in
      var record = record
      record.machineKey = "b2"
      return record
    }
    #expect {
      try result(try run.records("a"), other)
    } throws: { error in
      "\(error)".contains("a1") && "\(error)".contains("b2") && "\(error)".contains("cannot be compared")
    }
  }
}
