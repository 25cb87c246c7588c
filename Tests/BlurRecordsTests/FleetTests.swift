import Blur
import Foundation
import Testing

@testable import BlurRecords

@Suite("One kernel for several machines")
struct FleetTests {
  /// Returns three records for each machine, whose median is the given time. The mean is far from the median.
  static func records(
    _ kernel: String, _ times: [String: Double], sigma: Double = 3, threads: Int = 1, error: Double = 0.5,
    certified: Double? = nil, isa: InstructionSet = .baseline
  ) -> [Record] {
    var workload = SelectionTests.workload
    (workload.sigma, workload.threads) = (sigma, threads)
    return times.sorted { $0.key < $1.key }.flatMap { machine, time in
      [50, 1, 0.9].map { factor in
        var record = Record(Case(kernel: kernel, isa: isa, workload: workload), machineKey: machine)
        record.realTime = time * factor
        (record.maxErrorLevels, record.certifiedLevels) = (error, certified)
        return record
      }
    }
  }

  static let origins = ProvenanceReader(
    """
    date: 2026-11-22T00:00:00Z
    machine key: a
    cpu: Alpha(R) One Processor
    cores: 1
    git revision: 1111111aaaa
    machine key: b
    cpu: Beta
    cores: 4
    git revision: 2222222bbbb, with uncommitted changes
    """
  ).lines

  static func fleet(_ records: [Record], within levels: Double = 1) -> FleetSelection {
    FleetSelection(records, origins: origins, kernels: Registry.kernels) { _ in .levels(levels) }
  }

  /// Records of two machines, of which b takes about a thousand times as long as a. The slowdowns on a and b
  /// are 1 and 1.9 for simd, 1.6 and 1.5 for pyramid, and 4 and 1 for dct.
  static let three =
    records("simd", ["a": 100, "b": 190e3]) + records("pyramid", ["a": 160, "b": 150e3])
    + records("dct", ["a": 400, "b": 100e3]) + records("memcpy", ["a": 1, "b": 1])

  private func reason(_ kernel: String, in fleet: FleetSelection) throws -> String? {
    try #require(fleet.choices.first).excluded.first { $0.kernel == kernel }?.reason
  }

  /// Choosing by the sum of times would take dct. Choosing by the arithmetic or geometric mean of slowdowns
  /// would take simd.
  @Test("The smallest worst slowdown decides, even for a kernel that is the fastest nowhere")
  func minimax() throws {
    let choice = try #require(Self.fleet(Self.three).choices.first)
    #expect(choice.places.map(\.machine) == ["a", "b"])
    #expect(choice.places.map(\.fastest?.kernel) == ["simd", "dct"])
    let chosen = try #require(choice.chosen)
    #expect(chosen.kernel == "pyramid" && chosen.slowdowns == [1.6, 1.5] && chosen.worst == 1.6)
    #expect(chosen.times == [160, 150e3] && abs(chosen.geometricMean - 2.4.squareRoot()) < 1e-12)
    #expect(choice.others.map(\.kernel) == ["simd", "dct"] && choice.others.map(\.worst) == [1.9, 4])
    #expect(choice.isCostly && choice.excluded.isEmpty)
  }

  @Test("If the worst slowdowns are equal, the geometric mean decides, and then the name")
  func ties() throws {
    let first = Self.records("pyramid", ["a": 300, "b": 100])
    let mean = Self.fleet(
      first + Self.records("dct", ["a": 200, "b": 200]) + Self.records("simd", ["a": 100, "b": 200]))
    #expect(mean.choices.map(\.chosen?.kernel) == ["simd"])
    let name = Self.fleet(
      Self.records("simd", ["a": 100, "b": 200, "c": 300])
        + Self.records("dct", ["a": 300, "b": 100, "c": 200])
        + Self.records("pyramid", ["a": 200, "b": 300, "c": 100]))
    #expect(name.choices.map(\.chosen?.kernel) == ["dct"])
    #expect(name.choices.first?.others.map(\.kernel) == ["pyramid", "simd"])
  }

  @Test("A cost is marked if it is more than a tenth", arguments: [(110.0, false), (111, true)])
  func limit(time: Double, isCostly: Bool) throws {
    let fleet = Self.fleet(
      Self.records("simd", ["a": 100, "b": time]) + Self.records("dct", ["a": 500, "b": 100]))
    #expect(fleet.choices.first?.chosen?.worst == time / 100)
    #expect(fleet.choices.first?.isCostly == isCostly)
    #expect(fleet.text(explains: false).contains(" *") == isCostly)
    #expect(
      fleet.sentence.contains(
        isCostly ? "more than 10 % in 1 of 1 workload, and at most 11 %" : "average, and at most 10 %, in"))
  }

  @Test(
    "A kernel that one machine did not measure cannot be chosen, but can be the fastest on another"
  )
  func missing() throws {
    let fleet = Self.fleet(Self.records("pyramid", ["a": 50]) + Self.records("simd", ["a": 100, "b": 100]))
    let choice = try #require(fleet.choices.first)
    #expect(choice.places.map(\.fastest?.kernel) == ["pyramid", "simd"])
    #expect(choice.chosen?.kernel == "simd" && choice.chosen?.slowdowns == [2, 1])
    #expect(try reason("pyramid", in: fleet) == "not measured (Beta, 4 cores)")
    #expect(fleet.notes.contains { $0.hasPrefix("pyramid is the fastest on a machine in 1 workload") })
    #expect(fleet.text(explains: true).contains("not measured (Beta, 4 cores)"))
  }

  @Test("The bound must hold on every machine, so the worst error counts")
  func bound() throws {
    let records =
      Self.records("simd", ["a": 100, "b": 100]) + Self.records("peer", ["a": 10], certified: 0.9)
      + Self.records("peer", ["b": 10], error: 2, certified: 0.9) + Self.records("other", ["a": 1, "b": 1])
    let fleet = Self.fleet(records)
    #expect(fleet.choices.first?.chosen?.kernel == "simd")
    #expect(
      try reason("peer", in: fleet) == "its error on the test image is 2 levels; allowed: 1 (Beta, 4 cores)")
    #expect(try reason("other", in: fleet) == "promises no bound on its error")
    #expect(Self.fleet(records, within: 2).choices.first?.chosen?.kernel == "peer")
    let none = Self.fleet(records, within: 0.1)
    #expect(none.choices.count == 1 && none.choices[0].chosen == nil && none.standings.isEmpty)
    #expect(none.notes.contains("no kernel is accurate enough on all machines in 1 workload"))
  }

  @Test("Judged by the image alone, kernels without a promise count if their error is known and small enough")
  func picture() {
    var unknown = Self.records("unknown", ["a": 1, "b": 1])
    for index in unknown.indices { unknown[index].maxErrorLevels = nil }
    let records = Self.three + Self.records("peer", ["a": 90, "b": 90]) + unknown
    let fleet = { (levels: Double) in
      FleetSelection(records, origins: [], by: .picture, kernels: []) { _ in .levels(levels) }
    }
    #expect(fleet(0.5).choices.first?.chosen?.kernel == "peer")
    #expect(fleet(0.49).choices.first?.chosen == nil)
  }

  @Test("Wrong or refused rows and invalid times exclude a kernel, whatever other machines measured")
  func unusable() throws {
    let wrong = Self.records("dct", ["b": 1]).map { $0.wrong("writes 3 bytes after the image") }
    let refused = Self.records("pyramid", ["a": 1]).map { $0.skipped("too slow") }
    let fleet = Self.fleet(
      Self.records("simd", ["a": 100, "b": 100]) + Self.records("dct", ["a": 10]) + wrong
        + Self.records("pyramid", ["b": 10]) + refused + Self.records("fft", ["a": 0, "b": 10]))
    #expect(fleet.choices.first?.chosen?.kernel == "simd")
    #expect(try reason("dct", in: fleet) == "wrong: writes 3 bytes after the image (Beta, 4 cores)")
    #expect(try reason("pyramid", in: fleet) == "skipped: too slow (Alpha One, 1 core)")
    #expect(try reason("fft", in: fleet) == "has no valid time (Alpha One, 1 core)")
  }

  @Test("If a machine refused everything, it has no fastest kernel, and none is chosen for all")
  func refusedEverywhere() {
    let fleet = Self.fleet(
      Self.records("simd", ["a": 100]) + Self.records("simd", ["b": 1]).map { $0.skipped("no") })
    #expect(fleet.choices.first?.places.map(\.fastest?.kernel) == ["simd", nil])
    #expect(fleet.choices.count == 1 && fleet.choices[0].chosen == nil)
  }

  @Test("Each machine counts with its widest instruction set, as in real programs, even if that is slower")
  func widest() {
    let fleet = Self.fleet(
      Self.records("simd", ["a": 300], isa: .avx512) + Self.records("simd", ["a": 100, "b": 100])
        + Self.records("dct", ["a": 200, "b": 190]))
    #expect(fleet.choices.first?.places.map(\.fastest?.kernel) == ["dct", "simd"])
    #expect(
      fleet.choices.first?.chosen?.kernel == "simd" && fleet.choices.first?.chosen?.slowdowns == [1.5, 1])
  }

  @Test("Different numbers of threads are not mixed, and workloads of a single machine are left out")
  func apart() {
    let records =
      Self.records("simd", ["a": 100], threads: 2) + Self.records("simd", ["b": 100])
      + Self.records("simd", ["": 10])
    let fleet = Self.fleet(records)
    #expect(fleet.choices.isEmpty)
    #expect(
      fleet.notes.suffix(2) == [
        "left out: 2 workloads with records of only one machine", "left out: 3 records without a machine key",
      ])
    #expect(fleet.text(explains: true).hasPrefix("No workload has records of two machines."))
  }

  /// The slowdowns are 1, 1.9, 1 and 1 for simd, and 1.6, 1.5, 1.3 and 1.1 for pyramid.
  @Test("Over all workloads, the kernel with the least worst slowdown may not be best in the mean")
  func overall() throws {
    let fleet = Self.fleet(
      Self.three + Self.records("simd", ["a": 10, "b": 10], sigma: 9)
        + Self.records("pyramid", ["a": 13, "b": 11], sigma: 9))
    #expect(fleet.standings.map(\.kernel) == ["pyramid", "simd", "dct"])
    #expect(fleet.standings.map(\.workloads) == [2, 2, 1] && fleet.standings.map(\.worst) == [1.6, 1.9, 4])
    #expect(abs(fleet.standings[1].geometricMean - pow(1.9, 0.25)) < 1e-12)
    let all = try #require(fleet.choicesForAll)
    #expect(all.leastWorst.kernel == "pyramid" && all.leastMean.kernel == "simd")
    // For the first workload, the best single choice is pyramid, whose slowdowns on the two machines are 1.6
    // and 1.5. For the second workload it is simd, with slowdowns of 1 and 1. The geometric mean of these
    // four slowdowns is the fourth root of 2.4, which is 1.245.
    #expect(
      fleet.sentence.contains(
        "costs 24.5 % more time on average, more than 10 % in 1 of 2 workloads, and at most 60 % "))
    #expect(fleet.sentence.hasSuffix("sigma 3, clamp, 1 thread, on Alpha One, 1 core)"))
  }

  @Test("Machines are named by their provenance, with keys if names are equal, and other revisions are noted")
  func machines() {
    let twin =
      Self.origins + ProvenanceReader("machine key: c\ncpu: Beta\ncores: 4\ngit revision: 2222222cc").lines
    let named = FleetMachine.named(["a", "b", "c", "d"], by: twin)
    #expect(named.map(\.name) == ["Alpha One, 1 core", "Beta, 4 cores (b)", "Beta, 4 cores (c)", "d"])
    #expect(named.map(\.revisions) == [["1111111"], ["2222222"], ["2222222"], []])
    let note = "the machines ran different revisions of the program, in which kernels may differ: "
    let list = "Alpha One, 1 core: 1111111; Beta, 4 cores: 2222222"
    #expect(Self.fleet(Self.three).notes == [note + list])
  }

  @Test("Lists select by workload, kernel and widest instruction set, but `all` is no number of threads")
  func lists() throws {
    let records =
      Self.three + Self.records("simd", ["a": 100, "b": 100], sigma: 5)
      + Self.records("dct", ["a": 1, "b": 1], isa: .avx512)
    let fleet = { (lists: [CaseDimension: String]) in
      try SelectionRun(lists: lists, within: .levels(1), cores: 2).fleet(from: records, origins: [])
    }
    #expect(try fleet([:]).choices.map(\.chosen?.kernel) == ["dct", "simd"])
    #expect(try fleet([.isa: "avx2", .sigma: "3"]).choices.map(\.chosen?.kernel) == ["pyramid"])
    #expect(try fleet([.kernel: "simd", .sigma: "3"]).choices.map(\.chosen?.kernel) == ["simd"])
    #expect(throws: MeasurementError.self) { try fleet([.threads: "1,all"]) }
    #expect(throws: MeasurementError.self) { try fleet([.sigma: "4"]) }
  }

  @Test("The text has the machines as columns, and the JSON has the same figures")
  func outputs() throws {
    let fleet = Self.fleet(Self.three)
    let lines = fleet.text(explains: false).split(separator: "\n").map(String.init)
    #expect(lines[0] == "gray8 64x48, sigma 3, clamp, 1 thread, error at most 1 level")
    #expect(lines[1].contains("Alpha One, 1 core") && lines[1].contains("Beta, 4 cores"))
    #expect(lines[2].contains("simd (baseline)") && lines[2].contains("dct (baseline)"))
    #expect(
      lines[3].contains("for all: pyramid") && lines[3].contains("+60 % *") && lines[3].contains("+50 % *"))
    let object = try JSONSerialization.jsonObject(with: Data(fleet.json().utf8)) as? [String: Any]
    let choice = try #require((object?["choices"] as? [[String: Any]])?.first)
    #expect((choice["chosen"] as? [String: Any])?["slowdowns"] as? [Double] == [1.6, 1.5])
    #expect((object?["machines"] as? [[String: Any]])?.map { $0["key"] as? String } == ["a", "b"])
  }
}
