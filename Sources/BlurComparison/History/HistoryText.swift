import BlurRecords
import BlurText
import Foundation

extension History {
  /// The history as text: one sentence, then a table for each workload of the cases that have a trend.
  public var text: String {
    var order: [String] = []
    var lines: [String: [[String]]] = [:]
    for trend in trends where trend.change != nil {
      guard let item = try? Case(name: trend.name) else { continue }
      let threads = item.workload.threads.of("thread")
      let title = "\(item.workload.title), \(threads)"
      if lines[title] == nil { order.append(title) }
      lines[title, default: []].append(line(trend, item))
    }
    let head = ["  kernel", "isa", "values", "trend", "change", "steps"]
    let tables = order.map {
      $0 + "\n" + TextTable.aligned([head] + lines[$0, default: []], [.left, .left, .right])
    }
    let alone = blurs.count { $0.change == nil }
    let rest =
      alone > 0 && !tables.isEmpty ? ["(not shown: \(alone.of("case")) with a time in one file alone)"] : []
    let foot = (tables.isEmpty ? [] : [Self.legend]) + (advice.map { [$0] } ?? [])
    let feet = foot.isEmpty ? [] : [foot.joined(separator: "\n")]
    return ([sentence] + tables + rest + feet).joined(separator: "\n\n") + "\n"
  }

  /// What those columns mean whose titles do not say it.
  private static let legend =
    "values: how many files have a time of the case. trend: its last 40 times, · where there is none. "
    + "change: the last time against the first."

  /// How what keeps the history from being green is accepted: by the day of the last of it.
  private var advice: String? {
    let standing = Set(trends.flatMap(\.steps).filter { $0.isStanding && !$0.isOfMachine }.map(\.file))
    let steps = files.filter { standing.contains($0.path) }.map(\.date)
    return (steps + trends.compactMap(\.missingSince)).max().map { "If intended: --since \($0.day)" }
  }

  /// The trends of blurs: a memcpy tells of the machine, and is no case to be judged.
  private var blurs: [Trend] {
    trends.filter { (try? Case(name: $0.name))?.kernel != Case.memcpy }
  }

  /// One sentence: what the history says.
  public var sentence: String {
    let trends = blurs
    let cases =
      "\(trends.count.of("case")) in \(files.count.of("file"))"
    let slower = trends.count { $0.steps.contains { $0.isStanding && !$0.isOfMachine } }
    let settled = trends.count { $0.steps.contains { $0.change > 0 && !$0.isStanding } }
    let missing = trends.count { $0.missingSince != nil }
    let short = trends.count { !$0.isLongEnough }
    let tooShort = "fewer than \(ChangePoint.smallestCount) times, which show no step"
    switch outcome {
    case .regressed: return "Regression: \(slower) of \(cases) became slower"
    case .cannotTell where missing > 0:
      return
        "Cannot tell: \(missing) of \(cases) \(missing == 1 ? "has" : "have") no time in the last of them"
    case .cannotTell where short == trends.count: return "Cannot tell: each of \(cases) has \(tooShort)"
    case .cannotTell: return "Cannot tell: the machine itself became slower, and with it some of \(cases)"
    case .good:
      let least = String(format: "%.0f", threshold * 100)
      return "No lasting slowdown by \(least) % or more is proven: \(cases)"
        + (settled > 0 ? "; \(settled) had one, which was undone or accepted" : "")
        + (short > 0 ? "; \(short) of them \(short == 1 ? "has" : "have") \(tooShort)" : "")
    }
  }

  /// One line for each case and file where it has a time; a step stands in the line of the first file after
  /// it.
  public var csv: String {
    let lines = trends.flatMap { trend in
      zip(files, trend.times).compactMap { file, time in
        time.map { time in
          let step = trend.steps.first { $0.file == file.path }
          return [
            trend.name, file.path, file.date.ISO8601Format(), "\(time)", step.map { "\($0.change)" } ?? "",
            step.map { "\($0.p)" } ?? "", step?.isOfMachine == true ? "true" : "",
            step?.isUndone == true ? "true" : "", step?.isAccepted == true ? "true" : "",
          ]
        }
      }
    }
    let header = "name,file,date,median_ns,step,p,is_of_machine,is_undone,is_accepted"
    return header + "\n" + CSVField.lines(lines)
  }

  /// The history as one JSON object.
  public func json() throws -> String {
    try JSONDocument.text(of: self)
  }

  private func line(_ trend: Trend, _ item: Case) -> [String] {
    let steps = trend.steps.map { step in
      "\(step.change.signedPercent) from \(URL(filePath: step.file).lastPathComponent) on"
        + (step.isOfMachine && item.kernel != Case.memcpy ? ": the machine itself changed" : "")
        + (step.isUndone ? ", undone" : step.change > 0 && step.isAccepted ? ", accepted" : "")
    }
    let missing = trend.missingSince.map { ["no time since \($0.day)"] } ?? []
    return [
      "  " + item.kernel, item.isa.name, "\(trend.times.count { $0 != nil })", sparkline(trend.times),
      trend.change?.signedPercent ?? "", (steps + missing).joined(separator: "; "),
    ]
  }

  /// The last 40 times as bars, with a point where there is none. The highest bar is at least the threshold
  /// above the lowest, so that noise looks flat.
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
  /// The day, in UTC.
  fileprivate var day: String { ISO8601Format(.iso8601.year().month().day()) }
}

extension Double {
  /// A share as percent, with its sign.
  fileprivate var signedPercent: String { String(format: "%+.0f %%", self * 100) }
}
