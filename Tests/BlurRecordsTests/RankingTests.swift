import Blur
import Testing

@testable import BlurRecords

@Suite("Ranking")
struct RankingTests {
  /// Records of a kernel on a workload, one for each time in nanoseconds.
  func records(
    _ kernel: String, _ times: [Double], error: Double, sigma: Double = 2, threads: Int = 1
  ) throws -> [Record] {
    let layout = try ImageLayout(.gray8, width: 8, height: 8)
    let workload = Workload(threads: threads, layout: layout, sigma: sigma, edge: .clamp)
    let item = Case(kernel: kernel, isa: .baseline, workload: workload)
    return times.enumerated().map { repetition, time in
      var record = Record(item, machineKey: "key")
      record.realTime = time
      record.repetition = repetition
      record.maxErrorLevels = error
      return record
    }
  }

  @Test("Kernels stand in groups by error, by median time within them, and relative to the group's fastest")
  func groups() throws {
    let all =
      try records("slow", [400, 390, 9000], error: 1) + records("quick", [200, 210, 190], error: 0.5)
      + records("rough", [100, 100, 100], error: 2.5) + records("wild", [50, 60, 70], error: 40)
    let block = try #require(Ranking(all).blocks.first)
    #expect(block.entries.map(\.kernel) == ["quick", "slow", "rough", "wild"])
    #expect(block.entries.map(\.quality) == [.withinOne, .withinOne, .withinThree, .looser])
    #expect(block.entries.map(\.ratio) == [1, 2, 1, 1])
  }

  @Test("A kernel is marked when no other is better in both time and error")
  func pareto() throws {
    let all =
      try records("beaten", [300], error: 1) + records("quick", [200], error: 1)
      + records("exact", [500], error: 0) + records("useless", [600], error: 2)
    let marked = try #require(Ranking(all).blocks.first).entries.filter(\.isPareto).map(\.kernel)
    #expect(Set(marked) == ["quick", "exact"])
  }

  @Test("Thread counts are never mixed, and means are geometric")
  func means() throws {
    let all =
      try records("a", [100], error: 1, sigma: 1) + records("b", [200], error: 1, sigma: 1)
      + records("a", [100], error: 1, sigma: 2) + records("b", [800], error: 1, sigma: 2)
      + records("b", [10], error: 1, sigma: 1, threads: 2)
    let ranking = Ranking(all)
    #expect(ranking.blocks.count == 3)
    // √(2 · 8) = 4 on one thread; alone on two.
    let b = ranking.means.filter { $0.kernel == "b" }
    #expect(b.map(\.threads) == [1, 2])
    #expect(abs(b[0].ratio - 4) < 1e-12 && b[0].count == 2 && b[0].all == 2)
    #expect(b[1].ratio == 1 && b[1].all == 1)
  }

  @Test("Rows without a time, wrong rows and the memcpy are not ranked")
  func leftOut() throws {
    let skipped = try records("a", [100], error: 1).map { $0.skipped("no") }
    let wrong = try records("b", [100], error: 1).map { $0.wrong("no") }
    #expect(try Ranking(skipped + wrong + records(Case.memcpy, [10], error: 0)).blocks.isEmpty)
  }

  @Test("The text marks and groups kernels, with the caveats of a mean")
  func text() throws {
    let all = try records("quick", [200], error: 1) + records("rough", [100], error: 9)
    let text = Ranking(all).text
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "gray8 8x8, sigma 2, clamp, 1 thread")
    #expect(lines[2] == "within 1 level" && lines[3].contains("* ") && lines[3].contains("quick"))
    #expect(lines[4] == "looser" && lines[5].contains("rough"))
    #expect(text.contains("A mean hides"))
    #expect(Ranking([]).text == "nothing measured\n")
  }
}
