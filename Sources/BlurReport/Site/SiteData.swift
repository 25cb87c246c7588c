import Blur
import BlurRecords
import Foundation

/// All data that the overview page of the site shows. The data is embedded in the HTML page as JSON, and a
/// script draws it.
struct SiteData: Encodable {
  let machines: [MachineResults]
  /// The kernels that were ranked in at least one run. The kernels of this package come first.
  let kernels: [KernelScores]
  /// A link to the web page on which visitors can try the kernels in their browser, or nil if the site does
  /// not contain this page.
  let web: String?

  /// The results of one kernel. `scores` has an element for each run of each machine. The element is nil if
  /// the kernel was not measured in that run.
  struct KernelScores: Encodable {
    let name: String
    let isOwn: Bool
    let scores: [Score?]
  }

  /// A kernel's results in one run, summarised for the overview.
  ///
  /// `slowdown` is the geometric mean of the kernel's slowdowns over the workloads, with an interval from
  /// `low` to `high`. The kernel has a result on `count` of the run's `all` workloads, and is fastest or tied
  /// on `wins` of them. `bound` is the accuracy group of its least accurate result, such as "within 1 level".
  struct Score: Encodable {
    let slowdown: Double, low: Double, high: Double
    let count: Int, all: Int, bound: String, wins: Int
    /// The CSS class that gives the kernel its colour: `own` or `peer`.
    let family: String
  }

  /// The results of one machine, which are stored in one folder.
  struct MachineResults: Encodable {
    let name: String, about: [String]
    /// A sentence about the kernel that is fastest on the most workloads. The sentence describes the
    /// machine's run with the most workloads.
    let verdict: String?
    /// The latest run of each suite.
    let runs: [Run]
    /// A table of the fastest kernels in the machine's run with the most workloads.
    let matrix: Matrix?
    let days: [Day]
    /// A link to the page that shows how the machine's times changed over several days, with a sentence about
    /// the changes. It is nil if no case was timed on several days.
    let history: HistoryLink?
  }

  /// A run, with the name of its file without the extension, and the path of the page that shows the run.
  struct Run: Encodable {
    let name: String, page: String
    fileprivate let scores: [String: Score]

    enum CodingKeys: CodingKey { case name, page }
  }

  /// A table of the fastest kernels in one run. `name` is the name of the run's file, and `page` is the page
  /// to which the cells of the table link.
  struct Matrix: Encodable {
    let name: String, page: String
    let sigmas: [Double], rows: [FastestTable.Row]
  }

  /// The results of one date: the page that shows them, the sentences at the top of this page, and the files
  /// with the results.
  struct Day: Encodable {
    let day: String, page: String
    let sentences: [String]
    let files: [FileLink]
  }

  /// A file with results, a link to the file, and the command that made the file.
  struct FileLink: Encodable {
    let name: String, link: String?, command: String?
  }

  /// A link to the page that shows how the times of a machine changed over several days, and a sentence that
  /// summarises the changes.
  struct HistoryLink: Encodable {
    let page: String, sentence: String
  }

  init(_ machines: [MachineResults], web: String?) {
    (self.machines, self.web) = (machines, web)
    let runs = machines.flatMap(\.runs)
    let own = Registry.all.map(\.name)
    let names = Set(runs.flatMap(\.scores.keys))
    let order = own.filter(names.contains) + names.subtracting(own).sorted()
    kernels = order.map { name in
      KernelScores(name: name, isOwn: own.contains(name), scores: runs.map { $0.scores[name] })
    }
  }
}

extension SiteData.MachineResults {
  init(_ name: String, _ files: [ReportFile], _ days: [SiteData.Day], _ history: SiteData.HistoryLink?) {
    (self.name, self.days, self.history) = (name, days, history)
    about = ["cpu", "cores", "system", "compiler"].compactMap { key in
      files.lazy.compactMap { $0.provenance[key] }.first.map { key == "cores" ? "\($0) cores" : $0 }
    }
    let pageOf = { (file: ReportFile) in "\(name)/\(file.day).html" }
    // The page has a separate column for each suite, which shows the latest file of this suite. Several files
    // are never combined in one column, because times of different runs must not be compared with each other.
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
      // If a kernel was measured with several instruction sets, only the fastest result counts.
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

extension ReportFile {
  /// The records of ordinary blurs. Records of scenes (sequences of frames) and of single blurs that start
  /// once per frame of a screen are left out. The array is empty if the file does not hold records.
  fileprivate var blurs: [Record] {
    guard case .records(let records, _) = content else { return [] }
    return records.filter { $0.item.map { !$0.workload.isOfFrames } ?? false }
  }

  /// The part of the file's name after the date, such as `peers`. Runs of one suite on several dates have the
  /// same part.
  fileprivate var suite: String {
    let stem = String(name.prefix { $0 != "." })
    return stem.hasPrefix(day + "-") ? String(stem.dropFirst(day.count + 1)) : stem
  }
}
