import Blur
import BlurRecords
import Foundation

/// All that the overview shows, as it stands in it.
struct SiteData: Encodable {
  let machines: [Machine]
  /// The kernels that any run has a figure for; this package's first.
  let kernels: [Kernel]
  /// A link to the page that blurs in the browser.
  let web: String?

  /// A kernel, and its figure for each run of each machine; nil where it was not measured.
  struct Kernel: Encodable {
    let name: String
    let isOwn: Bool
    let scores: [Score?]
  }

  /// A kernel's figure in one run: the geometric mean of its slowdowns with its interval, on how many
  /// workloads of how many, the loosest bound it keeps there, and on how many it is fastest or tied.
  struct Score: Encodable {
    let slowdown: Double, low: Double, high: Double
    let count: Int, all: Int, bound: String, wins: Int
    /// The class of its colour: `own` or `peer`.
    let family: String
  }

  /// A folder of results.
  struct Machine: Encodable {
    let name: String, about: [String]
    /// Who is fastest in the run with the most workloads, in a sentence.
    let verdict: String?
    /// The latest run of each suite.
    let runs: [Run]
    /// Who is fastest where in the run with the most workloads.
    let matrix: Matrix?
    let days: [Day]
    /// Nil where no case was timed on several days.
    let history: History?
  }

  /// A run: the name of its file without the ending, and its page.
  struct Run: Encodable {
    let name: String, page: String
    fileprivate let scores: [String: Score]

    enum CodingKeys: CodingKey { case name, page }
  }

  /// The fastest kernels of a run: its file's name, and the page that its cells lead to.
  struct Matrix: Encodable {
    let name: String, page: String
    let sigmas: [Double], rows: [FastestTable.Row]
  }

  /// A date: its page, what that says, and what it is made of.
  struct Day: Encodable {
    let day: String, page: String
    let sentences: [String]
    let files: [File]
  }

  /// A file, a link to it, and the command that made it.
  struct File: Encodable {
    let name: String, link: String?, command: String?
  }

  /// The page of the cases that were timed on several days, and what it says.
  struct History: Encodable {
    let page: String, sentence: String
  }

  init(_ machines: [Machine], web: String?) {
    (self.machines, self.web) = (machines, web)
    let runs = machines.flatMap(\.runs)
    let own = Registry.all.map(\.name)
    let names = Set(runs.flatMap(\.scores.keys))
    let order = own.filter(names.contains) + names.subtracting(own).sorted()
    kernels = order.map { name in
      Kernel(name: name, isOwn: own.contains(name), scores: runs.map { $0.scores[name] })
    }
  }
}

extension SiteData.Machine {
  init(_ name: String, _ files: [ReportFile], _ days: [SiteData.Day], _ history: SiteData.History?) {
    (self.name, self.days, self.history) = (name, days, history)
    about = ["cpu", "cores", "system", "compiler"].compactMap { key in
      files.lazy.compactMap { $0.origin(key) }.first.map { key == "cores" ? "\($0) cores" : $0 }
    }
    let pageOf = { (file: ReportFile) in "\(name)/\(file.day).html" }
    // Times of two runs are not compared: each has its own column.
    let bySuite = files.filter { !$0.blurs.isEmpty }.inGroups(by: \.suite)
    let latest = bySuite.compactMap { $0.elements.max { $0.name < $1.name } }
    runs = latest.sorted { ($1.blurs.count, $0.name) < ($0.blurs.count, $1.name) }
      .map { SiteData.Run($0, page: pageOf($0)) }
    let first = files.enumerated().compactMap { place, file in
      ReportRun(file, place: place).map { (run: $0, file: file) }
    }.min { $0.run.isAhead(of: $1.run) }
    let told = first.flatMap { $0.run.winners.workloads.isEmpty ? nil : $0 }
    verdict = told?.run.winners.verdict.first
    matrix = told.flatMap { SiteData.Matrix($0.run, $0.file, page: pageOf($0.file)) }
  }
}

extension SiteData.Run {
  fileprivate init(_ file: ReportFile, page: String) {
    let blurs = file.blurs
    let wins = Winners(blurs).wins
    name = String(file.name.prefix { $0 != "." })
    self.page = page
    scores = Ranking(blurs).scores.reduce(into: [:]) { scores, score in
      // Of several instruction sets the fastest counts.
      if let known = scores[score.kernel], known.slowdown <= score.slowdown.median { return }
      scores[score.kernel] = SiteData.Score(score, wins: wins[score.kernel] ?? 0)
    }
  }
}

extension SiteData.Score {
  fileprivate init(_ score: Ranking.Score, wins: Int) {
    slowdown = score.slowdown.median.inFiveDigits
    (low, high) = (score.slowdown.low.inFiveDigits, score.slowdown.high.inFiveDigits)
    (count, all, bound) = (score.count, score.all, score.bound.rawValue)
    self.wins = wins
    family = Registry.all.contains { $0.name == score.kernel } ? "own" : "peer"
  }
}

extension SiteData.Matrix {
  fileprivate init?(_ run: ReportRun, _ file: ReportFile, page: String) {
    guard case .records(let records, _) = file.content else { return nil }
    let cases = ReportCase.cases(records, [], file: run.place, words: "")
    guard let table = FastestTable(run.winners, cases, file: run.place) else { return nil }
    (name, self.page) = (file.name, page)
    (sigmas, rows) = (table.sigmas, table.rows)
  }
}

extension SiteData.File {
  init(_ file: ReportFile, _ path: String, _ source: String?) {
    name = file.name
    link = source.map { "\($0)/\(path)" }
    command = file.origin("command")
  }
}

extension ReportFile {
  /// The records of blurs; none for scenes and for other kinds of files.
  fileprivate var blurs: [Record] {
    guard case .records(let records, _) = content else { return [] }
    return records.filter { $0.item.map { !$0.workload.isOfFrames } ?? false }
  }

  /// What the name says after the date, such as `peers`: what runs of several dates have in common.
  fileprivate var suite: String {
    let stem = String(name.prefix { $0 != "." })
    return stem.hasPrefix(day + "-") ? String(stem.dropFirst(day.count + 1)) : stem
  }
}
