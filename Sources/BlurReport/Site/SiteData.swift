import Blur
import BlurRecords

/// All that the overview shows, as it stands in it.
struct SiteData: Encodable {
  let machines: [Machine]
  /// The kernels that any machine has a figure for; this package's first.
  let kernels: [Kernel]
  /// A link to the page that blurs in the browser.
  let web: String?

  /// A kernel, and its figure for each machine; nil where it was not measured.
  struct Kernel: Encodable {
    let name: String
    let isOwn: Bool
    let scores: [Score?]
  }

  /// A kernel's figure on one machine: the geometric mean of its slowdowns, on how many workloads of how many,
  /// the loosest bound it keeps there, and on how many workloads it is fastest or tied.
  struct Score: Encodable {
    let slowdown: Double, count: Int, all: Int, bound: String, wins: Int
  }

  /// A folder of results.
  struct Machine: Encodable {
    let name: String, about: [String]
    let days: [Day]
    /// The page of all dates.
    let all: String?
    fileprivate let scores: [String: Score]

    enum CodingKeys: CodingKey { case name, about, days, all }
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

  init(_ machines: [Machine], web: String?) {
    (self.machines, self.web) = (machines, web)
    let own = Registry.all.map(\.name)
    let names = Set(machines.flatMap(\.scores.keys))
    let order = own.filter(names.contains) + names.subtracting(own).sorted()
    kernels = order.map { name in
      Kernel(name: name, isOwn: own.contains(name), scores: machines.map { $0.scores[name] })
    }
  }
}

extension SiteData.Machine {
  init(_ name: String, _ files: [ReportFile], _ days: [SiteData.Day], all: String?) {
    (self.name, self.days, self.all) = (name, days, all)
    about = ["cpu", "cores", "system", "compiler"].compactMap { key in
      files.lazy.compactMap { $0.origin(key) }.first.map { key == "cores" ? "\($0) cores" : $0 }
    }
    let blurs = files.flatMap(\.blurs)
    let wins = Winners(blurs).wins
    scores = Ranking(blurs).scores.reduce(into: [:]) { scores, score in
      // Of several instruction sets the quickest counts.
      if let known = scores[score.kernel], known.slowdown <= score.slowdown.median { return }
      scores[score.kernel] = SiteData.Score(
        slowdown: score.slowdown.median.inFiveDigits, count: score.count, all: score.all,
        bound: score.bound.rawValue, wins: wins[score.kernel] ?? 0)
    }
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
}
