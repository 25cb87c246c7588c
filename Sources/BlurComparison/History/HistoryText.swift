import BlurRecords
import BlurText
import Foundation

extension History {
  /// The history as text: a sentence that states the outcome, followed by a table for each workload. A table
  /// contains only the cases that were timed in at least two files.
  public var text: String {
    let rows = trends.filter { $0.change != nil }.compactMap { trend in
      (try? Case(name: trend.name)).map { (trend: trend, item: $0) }
    }
    let groups = rows.inGroups { "\($0.item.workload.title), \($0.item.workload.threads.of("thread"))" }
    let tables = groups.map { title, rows in title + "\n" + table.text(rows, indent: 2) }
    let alone = blurs.count { $0.change == nil }
    let rest =
      alone > 0 && !tables.isEmpty ? ["(not shown: \(alone.of("case")) with a time in only one file)"] : []
    let foot = (tables.isEmpty ? [] : [Self.legend]) + (advice.map { [$0] } ?? [])
    let feet = foot.isEmpty ? [] : [foot.joined(separator: "\n")]
    return ([sentence] + tables + rest + feet).joined(separator: "\n\n") + "\n"
  }

  /// The meaning of the columns whose titles do not explain themselves.
  private static let legend =
    "values: the number of files with a time of the case. trend: the last 40 times, with · for a missing "
    + "time. change: the last time compared with the first."

  /// A line that says how to accept all slowdowns and missing cases at once, or nil if there is nothing to
  /// accept. The user accepts them with the option `--since` and the date of the most recent slowdown or
  /// missing case.
  private var advice: String? {
    let standing = Set(trends.flatMap(\.steps).filter { $0.isStanding && !$0.isOfMachine }.map(\.file))
    let steps = files.filter { standing.contains($0.path) }.map(\.date)
    return (steps + trends.compactMap(\.missingSince)).max().map {
      "If this is intended, accept it with --since \($0.day)"
    }
  }

  /// The trends of blurs, without the trends of memory copies. Memory copies get no verdict, because their
  /// times only show whether the machine itself changed.
  private var blurs: [Trend] {
    trends.filter { (try? Case(name: $0.name))?.kernel != Case.memcpy }
  }

  /// The outcome in one sentence.
  public var sentence: String {
    let trends = blurs
    let cases = "\(trends.count.of("case")) in \(files.count.of("file"))"
    let slower = trends.count { $0.steps.contains { $0.isStanding && !$0.isOfMachine } }
    let settled = trends.count { $0.steps.contains { $0.change > 0 && !$0.isStanding } }
    let missing = trends.count { $0.missingSince != nil }
    let short = trends.count { !$0.isLongEnough }
    let tooShort = "fewer than \(ChangePoint.smallestCount) times, which are too few to find a lasting change"
    switch outcome {
    case .regressed: return "Regression: \(slower) of \(cases) became slower"
    case .cannotTell where missing > 0:
      return
        "Cannot tell: \(missing) of \(cases) \(missing == 1 ? "has" : "have") no time in the last file"
    case .cannotTell where short == trends.count: return "Cannot tell: each of \(cases) has \(tooShort)"
    case .cannotTell: return "Cannot tell: the machine itself became slower, and so did some of \(cases)"
    case .good:
      let least = String(format: "%.0f", threshold * 100)
      return "No lasting slowdown of \(least) % or more is proven among \(cases)"
        + (settled > 0 ? "; \(settled.of("case")) had a slowdown that was later undone or accepted" : "")
        + (short > 0 ? "; \(short.of("case")) \(short == 1 ? "has" : "have") \(tooShort)" : "")
    }
  }

  /// The history as CSV. Each line contains the time of one case in one file. A step appears in the line of
  /// the first file after it.
  public var csv: String {
    typealias Row = (trend: Trend, path: String, date: Date, time: Double, step: Step?)
    let rows = trends.flatMap { trend in
      zip(files, trend.times).compactMap { file, time -> Row? in
        time.map { (trend, file.path, file.date, $0, trend.steps.first { $0.file == file.path }) }
      }
    }
    return Table<Row>([
      Column("name") { $0.trend.name }, Column("file") { $0.path },
      Column("date") { $0.date.ISO8601Format() }, Column("median_ns") { $0.time },
      Column("step") { $0.step?.change }, Column("p") { $0.step?.p },
      Column("is_of_machine") { $0.step?.isOfMachine == true ? true : nil },
      Column("is_undone") { $0.step?.isUndone == true ? true : nil },
      Column("is_accepted") { $0.step?.isAccepted == true ? true : nil },
    ]).csv(rows)
  }

  /// Returns the history as one JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }

  private var table: Table<(trend: Trend, item: Case)> {
    Table([
      Column("kernel") { $0.item.kernel }, Column("isa") { $0.item.isa.name },
      Column("values", .right) { row in row.trend.times.count { $0 != nil } },
      Column("trend") { sparkline($0.trend.times) }, Column("change") { $0.trend.change?.signedPercent },
      Column("steps") { Self.steps(of: $0.trend, $0.item) },
    ])
  }

  private static func steps(of trend: Trend, _ item: Case) -> String {
    let steps = trend.steps.map { step in
      "\(step.change.signedPercent) from \(URL(filePath: step.file).lastPathComponent) on"
        + (step.isOfMachine && item.kernel != Case.memcpy ? ": the machine itself changed" : "")
        + (step.isUndone ? ", undone" : step.change > 0 && step.isAccepted ? ", accepted" : "")
    }
    let missing = trend.missingSince.map { ["no time since \($0.day)"] } ?? []
    return (steps + missing).joined(separator: "; ")
  }

  /// Returns the last 40 times as bars, with a dot for each missing time. The scale spans at least the
  /// smallest change that counts, so that noise looks flat.
  private func sparkline(_ times: [Double?]) -> String {
    let logarithms = times.suffix(40).map { $0.map { log($0) } }
    let known = logarithms.compactMap(\.self)
    guard let low = known.min(), let high = known.max() else { return "" }
    let range = max(high - low, log1p(threshold), .leastNormalMagnitude)
    let bars = Array("▁▂▃▄▅▆▇█")
    return String(
      logarithms.map { value in
        value.map { bars[Int((($0 - low) / range * 7).rounded())] } ?? "·"
      })
  }
}

extension Date {
  /// The day in UTC, such as `2026-11-21`.
  fileprivate var day: String { ISO8601Format(.iso8601.year().month().day()) }
}

extension Double {
  /// The fraction as a percentage with its sign.
  fileprivate var signedPercent: String { String(format: "%+.0f %%", self * 100) }
}
