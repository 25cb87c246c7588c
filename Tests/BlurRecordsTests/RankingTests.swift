import Blur
import BlurText
import Testing

@testable import BlurRecords

@Suite("Ranking")
struct RankingTests {
  /// Returns the records of a kernel on a workload, one for each time in nanoseconds.
  func records(
    _ kernel: String, _ times: [Double], error: Double, sigma: Double = 2, threads: Int = 1
  ) throws -> [Record] {
    let layout = try ImageLayout(.gray8, width: 8, height: 8)
    let workload = Workload(threads: threads, layout: layout, sigma: sigma, edge: .clamp)
    let item = Case(kernel: kernel, isa: .baseline, workload: workload)
    return times.indices.map { repetition in
      var record = Record(item, machineKey: "key")
      record.realTime = times[repetition]
      record.repetition = repetition
      record.maxErrorLevels = error
      return record
    }
  }

  @Test("Kernels are grouped by error, sorted by median time, and compared with the fastest in the bound")
  func groups() throws {
    let all =
      try records("slow", [400, 390, 9000], error: 1) + records("quick", [200, 210, 190], error: 0.5)
      + records("rough", [100, 100, 100], error: 2.5) + records("wild", [50, 60, 70], error: 40)
      + records("useless", [300, 300, 300], error: 50)
    let block = try #require(Ranking(all).blocks.first)
    #expect(block.entries.map(\.kernel) == ["quick", "slow", "rough", "wild", "useless"])
    #expect(block.entries.map(\.quality) == [.withinOne, .withinOne, .withinThree, .looser, .looser])
    #expect(block.entries.map(\.ratio.median) == [1, 2, 1, 1, 5])
    // The slowdown's interval takes the uncertainty of both times into account. This kernel always takes 300
    // ns, and the fastest kernel takes 50 to 70 ns, so the slowdown is between 300/70 and 300/50.
    #expect(block.entries[4].ratio.low == 300.0 / 70 && block.entries[4].ratio.high == 6)
  }

  @Test("A looser bound also admits stricter kernels, so the only loose kernel need not be the fastest")
  func bounds() throws {
    let all = try records("exact", [100], error: 0) + records("loose", [300], error: 9)
    let ranking = Ranking(all)
    #expect(try #require(ranking.blocks.first).entries.map(\.ratio.median) == [1, 3])
    #expect(ranking.scores.map { abs($0.slowdown.median - $0.worst) < 1e-9 } == [true, true])
    #expect(ranking.scores.map(\.worst) == [1, 3])
    #expect(ranking.scores.map(\.bound) == [.withinOne, .looser])
  }

  @Test("A wrong kernel is listed with the reason, even if it has no time at all")
  func wrong() throws {
    let wrong = try records("liar", [0], error: 9).map { record in
      Record(try #require(record.item), machineKey: "key").wrong("breaks its promise")
    }
    let line = "WRONG liar baseline, gray8 8x8, sigma 2, clamp, 1 thread: breaks its promise"
    for ranking in [Ranking(wrong), Ranking(try records("quick", [100], error: 1) + wrong)] {
      #expect(ranking.text.split(separator: "\n").contains { $0 == line }, "\(ranking.text)")
      let json = try JSONDocument.text(of: ranking)
      #expect(json.contains("breaks its promise"))
    }
  }

  @Test("The Markdown has each kernel's mean and each workload, and names cannot become markup")
  func markdown() throws {
    let all = try records("quick", [100], error: 1) + records("<b>`|", [300], error: 1)
    let lines = Ranking(all).markdown.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("| quick | ") } == 1)
    #expect(lines.count { $0.contains("| quick | ") && $0.contains("| within 1 level |") } == 2)
    #expect(lines.contains { $0.contains("8x8, sigma 2, clamp, 1 thread</summary>") })
    #expect(lines.contains { $0.contains("| &#60;b&#62;&#96;&#124; | ") })
    #expect(Ranking([]).markdown == "nothing measured\n")
  }

  @Test("The largest certificate of a kernel is shown next to its error, and an unknown one is empty")
  func certified() throws {
    let known = try records("known", [100, 110], error: 0.5).enumerated().map { place, record in
      var record = record
      record.certifiedLevels = place == 0 ? 0.7 : 0.75
      return record
    }
    let ranking = try Ranking(known + records("unknown", [200], error: 0.5))
    #expect(try #require(ranking.blocks.first).entries.map(\.certifiedLevels) == [0.75, nil])
    let lines = ranking.csv.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    // The column is counted from the end of the line, because names of workloads contain commas.
    let place = lines[0].count - (try #require(lines[0].firstIndex(of: "certified_levels")))
    #expect(lines.dropFirst().map { $0[$0.count - place] } == ["0.75", ""])
    #expect(ranking.text.contains("0.75") && ranking.markdown.contains("| certified |"))
  }

  @Test("The summary of plug-ins includes slower ones, and says why one has no time")
  func plugins() throws {
    let all =
      try records("quick", [100], error: 1, sigma: 1) + records("mine", [200], error: 1, sigma: 1)
      + records("quick", [100], error: 1, sigma: 2) + records("mine", [800], error: 1, sigma: 2)
      + records("broken", [1], error: 1, sigma: 1).map { $0.skipped("no such format") }
      + records("broken", [1], error: 1, sigma: 2).map { $0.wrong("off by 9 levels") }
    let text = all.summary(ofPlugins: ["mine", "broken", "absent"])
    // The kernel takes 2 times as long as the fastest kernel in one workload, and 8 times as long in the
    // other. The geometric mean of the two is √(2 · 8) = 4.
    #expect(
      text == """
        mine (within 1 level) is fastest or tied in 0 of 2 workloads:
          it takes 4.00 times as long as the fastest kernel on average, and at most 8.00 times as long \
        (gray8 8x8, sigma 2, clamp, 1 thread)
        broken was not timed: WRONG: off by 9 levels

        """)
    #expect(
      all.summary(ofPlugins: ["quick"]).hasPrefix("quick (within 1 level) is fastest or tied in 2 of"))
    #expect(all.summary(ofPlugins: []).isEmpty)
  }

  @Test("A result with a wrong sigma or a huge error is suspect, and is not called the fastest")
  func suspects() throws {
    func sized(_ kernel: String, _ time: Double, error: Double, achieved: Double) throws -> [Record] {
      try records(kernel, [time], error: error, sigma: 5).map { record in
        var record = record
        record.achievedSigma = achieved
        return record
      }
    }
    let all =
      try sized("right", 400, error: 1, achieved: 4.98) + sized("rough", 300, error: 90, achieved: 6)
      + sized("copy", 100, error: 60, achieved: 0) + sized("huge", 200, error: 3e7, achieved: 5)
    let block = try #require(Ranking(all).blocks.first)
    #expect(block.entries.map(\.kernel) == ["right", "rough", "copy", "huge"])
    #expect(block.entries.map(\.quality) == [.withinOne, .looser, .suspect, .suspect])
    #expect(block.entries.map { $0.doubt != nil } == [false, false, true, true])
    #expect(
      all.summary(ofPlugins: ["copy"]).hasPrefix(
        "copy (SUSPECT, unlike the Gaussian: error 60 levels, achieved sigma 0 instead of 5) has the "
          + "shortest time in 1 of 1 workload, but is accurate enough to be called the fastest in only 0:"),
      "\(all.summary(ofPlugins: ["copy"]))")
    #expect(all.summary(ofPlugins: ["huge"]).contains(") is fastest or tied in 0 of 1 workload:"))
    #expect(Ranking(all).csv.contains(",suspect,copy,"))
  }

  @Test("A kernel is marked if no other kernel is better in both time and error")
  func pareto() throws {
    let all =
      try records("beaten", [300], error: 1) + records("quick", [200], error: 1)
      + records("exact", [500], error: 0) + records("useless", [600], error: 2)
    let marked = try #require(Ranking(all).blocks.first).entries.filter(\.isPareto).map(\.kernel)
    #expect(Set(marked) == ["quick", "exact"])
  }

  @Test("A kernel's score is the geometric mean of its slowdowns, each among equal numbers of threads")
  func scores() throws {
    let all =
      try records("a", [100], error: 1, sigma: 1) + records("b", [200], error: 1, sigma: 1)
      + records("a", [100], error: 1, sigma: 2) + records("b", [800], error: 1, sigma: 2)
      + records("b", [10], error: 1, sigma: 1, threads: 2)
    let ranking = Ranking(all)
    #expect(ranking.blocks.count == 3)
    // Times on different numbers of threads are never compared. On two threads, b is the only kernel, so its
    // slowdown there is 1. Its score is the geometric mean of its three slowdowns, ∛(2 · 8 · 1).
    #expect(ranking.scores.map(\.kernel) == ["b", "a"])
    let (b, a) = (ranking.scores[0], ranking.scores[1])
    #expect(
      abs(b.slowdown.median * b.slowdown.median * b.slowdown.median - 16) < 1e-9 && b.count == 3 && b.all == 3
    )
    #expect(b.worst == 8 && b.worstWorkload == "gray8 8x8, sigma 2, clamp, 1 thread")
    #expect(a.slowdown.median == 1 && a.count == 2 && a.all == 3)
  }

  @Test("A score says which workloads it lacks and why, and comes after complete scores")
  func missingCells() throws {
    let all =
      try records("whole", [300], error: 1, sigma: 1) + records("whole", [300], error: 1, sigma: 2)
      + records("whole", [300], error: 1, sigma: 3) + records("part", [100], error: 1, sigma: 1)
      + records("part", [100], error: 1, sigma: 2).map { $0.skipped("no") }
      + records("part", [1, 1], error: 1, sigma: 3).map { $0.wrong("no") }
      // The workload with sigma 4 was not timed for any kernel, so it does not count as missing in a kernel's
      // score.
      + records("part", [100], error: 1, sigma: 4).map { $0.skipped("no") }
    let ranking = Ranking(all)
    #expect(ranking.scores.map(\.kernel) == ["whole", "part"])
    let part = ranking.scores[1]
    #expect(part.count == 1 && part.all == 3 && part.skipped == 1 && part.wrong == 1)
    let line = ranking.text.split(separator: "\n").last { $0.hasPrefix("part") }
    #expect(
      line?.contains("1 of 3") == true
        && line?.hasSuffix("skipped on 1 workload; wrong on 1 workload") == true)
  }

  @Test("A kernel that is looser on one of two workloads has the looser bound, with the count")
  func looserOnce() throws {
    let all = try records("a", [100], error: 1, sigma: 1) + records("a", [100], error: 7, sigma: 2)
    let score = try #require(Ranking(all).scores.first)
    #expect(score.bound == .looser && score.boundCount == 1 && score.count == 2)
    #expect(Ranking(all).text.contains("larger errors on 1 of 2"))
  }

  @Test("Rows without a time, wrong rows and memcpy are not ranked")
  func leftOut() throws {
    let skipped = try records("a", [100], error: 1).map { $0.skipped("no") }
    let wrong = try records("b", [100], error: 1).map { $0.wrong("no") }
    #expect(try Ranking(skipped + wrong + records(Case.memcpy, [10], error: 0)).blocks.isEmpty)
  }

  @Test("The note about a record that names no case says which part of the name is wrong")
  func foreignNames() {
    for (name, reason) in [
      ("BM_Blur/kernel=a/isa=avx2", "threads= is missing"), ("BM_Blur/x", "'x' must be key=value with one"),
      ("BM_Blur/kernel=a/kernel=b", "the key kernel appears twice"),
    ] {
      var record = Record(name: name)
      record.realTime = 5
      let notes = Ranking.leftOut(of: [record])
      #expect(notes.count == 1 && notes[0].hasPrefix("name '\(name)': \(reason)"), "\(notes)")
    }
  }

  @Test("The text marks and groups the kernels, and warns about means")
  func text() throws {
    let all = try records("quick", [200], error: 1) + records("rough", [100], error: 9)
    let text = Ranking(all).text
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "gray8 8x8, sigma 2, clamp, 1 thread")
    #expect(lines[2] == "within 1 level" && lines[3].contains("* ") && lines[3].contains("quick"))
    #expect(lines[4] == "larger errors" && lines[5].contains("rough"))
    #expect(text.contains("A mean can hide"))
    #expect(Ranking([]).text == "nothing measured\n")
  }

  @Test("Times are relative to the fastest kernel, and each column's title says what it contains")
  func titles() throws {
    let text = try Ranking(records("a", [300], error: 0) + records("b", [600], error: 0.5)).text
    let title = try #require(text.split(separator: "\n").first { $0.contains("kernel") }, "\(text)")
    #expect(title.contains("Pareto") && title.contains("x fastest") && title.contains("PSNR, dB"))
    #expect(!text.contains("memcpy"))
    #expect(text.contains("2.00") && text.contains("0.0006 ms"), "\(text)")
  }
}
