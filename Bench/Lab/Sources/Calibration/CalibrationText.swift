import BlurComparison
import BlurText
import Foundation

extension Calibration {
  /// A report on the experiment as text, with a table of all its parts.
  var text: String {
    let table = Table<Part>([
      Column("slowdown", .right) { $0.planted > 0 ? percent($0.planted) : "none" },
      Column("threshold", .right) { percent($0.threshold) }, Column("cases", .right) { $0.cases },
      Column("found", .right) {
        $0.planted > 0 ? $0.verdicts[Verdict.regressed.rawValue] ?? 0 : differing($0)
      },
      Column("share", .right) { percent($0.found) }, Column("lower", .right) { percent($0.rate.lower) },
      Column("upper", .right) { percent($0.rate.upper) },
      Column("same", .right) { percent($0.share(.same)) },
      Column("unclear", .right) { percent($0.share(.unclear)) },
      Column("comparisons") {
        "\($0.comparisons)" + ($0.untrusted > 0 ? ", \($0.untrusted) with caveats" : "")
      },
      Column("cannot tell", .right) { $0.undecided },
      Column("s each", .right) { ($0.seconds / Double(max(1, $0.comparisons))).fixed(0) },
      Column("median change", .right) { phase in phase.medianRatio.map { change($0 - 1) } },
      Column("detectable", .right) { $0.medianDetectable.map(percent) },
    ]).text(phases)
    let lines =
      [sentence] + rateLines + ["", table, ""] + meaning + alarmLines + caveatLines + detectableLines
      + missingLines
    return lines.joined(separator: "\n") + "\n"
  }

  /// A sentence that says whether comparisons can be trusted on this machine.
  var sentence: String {
    switch isGood {
    case true?: "Good: `compare` can be trusted on this machine"
    case false?: "Not good enough: `compare` misses its goals (below) on this machine"
    case nil: "Cannot tell: too few comparisons, or this machine is too noisy"
    }
  }

  /// Returns the figures as one JSON object.
  func json() throws -> String { try JSONDocument.text(of: self) }

  private var rateLines: [String] {
    let alarms = falseAlarms.map { rate in
      "False alarms in \(rate.events) of \(rate.trials) comparisons: the true rate is at most "
        + "\(percent(rate.upper)), with 95 % confidence (goal: \(percent(Self.mostFalseAlarms)))"
    }
    let found = power.map { rate in
      "Slowdowns by \(percent(Self.slowdown)): at least \(percent(rate.lower)) of them are found, with 95 % "
        + "confidence (goal: \(percent(Self.leastFound)))"
    }
    let faulty = phases.reduce(0) { $0 + $1.faulty }
    let faults =
      "Wrong or changed results in \(faulty) of \(phases.reduce(0) { $0 + $1.comparisons }) comparisons"
    return [alarms, found, faulty > 0 ? faults : nil].compactMap(\.self)
  }

  private var meaning: [String] {
    [
      "slowdown: the artificial slowdown of one of the two builds. found: the cases that were reported as",
      "different; without a slowdown, these are false alarms. share: found cases as a share of all cases.",
      "lower, upper: bounds of the true share, each with 95 % confidence, from the differences between",
      "comparisons. cannot tell: the comparisons with exit code 4. median change: the median of all measured",
      "changes. detectable: the smallest change that the data of a case would show in 95 of 100 comparisons",
      "if it were the only change, as the median over the cases.",
    ]
  }

  /// A table of values and the names of their cases.
  private static let named = Table<(value: String, name: String)>([
    Column("", .right) { $0.value }, Column { $0.name },
  ])

  private var alarmLines: [String] {
    guard let alarms = phases.first?.alarms, !alarms.isEmpty else { return [] }
    let lines = alarms.sorted { $0.key < $1.key }.map { name, changes in
      (value: changes.map(change).joined(separator: ", "), name: name)
    }
    return ["", "False alarms: cases without a slowdown that were reported as different, and by how much"]
      + Self.named.lines(lines)
  }

  private var caveatLines: [String] {
    guard let unclear = phases.first?.unclear, !unclear.isEmpty else { return [] }
    let lines = unclear.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      (value: "\($0.value)", name: $0.key)
    }
    return ["", "Cases without a slowdown whose verdict was unclear, and in how many comparisons"]
      + Self.named.lines(lines)
  }

  private var detectableLines: [String] {
    guard let identical = phases.first, !identical.detectable.isEmpty else { return [] }
    let lines = identical.detectable.sorted { $0.value > $1.value }.map {
      (value: percent($0.value), name: $0.key)
    }
    return ["", "Smallest detectable change of each case"] + Self.named.lines(lines)
  }

  private var missingLines: [String] {
    guard !notMeasured.isEmpty else { return [] }
    return ["", "Cases that at least one comparison could not measure"] + notMeasured.map { "  \($0)" }
  }

  private func differing(_ phase: Part) -> Int {
    (phase.verdicts[Verdict.regressed.rawValue] ?? 0) + (phase.verdicts[Verdict.improved.rawValue] ?? 0)
  }

  private func change(_ share: Double) -> String { String(format: "%+.1f %%", share * 100) }

  private func percent(_ share: Double) -> String { String(format: "%.3g %%", share * 100) }
}
