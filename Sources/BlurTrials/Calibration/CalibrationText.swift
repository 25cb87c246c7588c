import BlurComparison
import BlurText
import Foundation

extension Calibration {
  /// The result as text.
  public var text: String {
    let head = [
      "planted", "threshold", "cases", "found", "", "same", "can't tell", "comparisons", "s each", "measured",
      "could find",
    ]
    let rows = phases.map { phase in
      let count = phase.planted > 0 ? phase.verdicts[Verdict.regressed.rawValue] ?? 0 : differing(phase)
      return [
        phase.planted > 0 ? percent(phase.planted) : "nothing", percent(phase.threshold), "\(phase.cases)",
        "\(count)",
        percent(phase.found), percent(phase.share(.same)), percent(phase.share(.unclear)),
        "\(phase.comparisons)" + (phase.untrusted > 0 ? ", \(phase.untrusted) untrusted" : ""),
        String(format: "%.0f", phase.seconds / Double(max(1, phase.comparisons))),
        phase.medianRatio.map { String(format: "%+.1f %%", ($0 - 1) * 100) } ?? "",
        phase.medianDetectable.map(percent) ?? "",
      ]
    }
    let right = TextTable.Alignment.right
    let table = TextTable.aligned(
      [head] + rows, Array(repeating: right, count: 7) + [.left, right, right, right])
    let lines = [sentence] + rateLines + ["", table, ""] + meaning + detectableLines + plantingLines
    return lines.joined(separator: "\n") + "\n"
  }

  /// The verdict in a sentence.
  public var sentence: String {
    switch isGood {
    case true?: "Good: `compare` can be trusted on this machine"
    case false?: "Not good enough: `compare` misses its goals on this machine"
    case nil: "Cannot tell: too few comparisons, or this machine is too noisy"
    }
  }

  /// The figures as one JSON object.
  public func json() throws -> String {
    try JSONDocument.text(of: self)
  }

  private var rateLines: [String] {
    guard let rate = falseAlarms else { return [] }
    return [
      "False alarms in \(rate.events) of \(rate.trials) comparisons: in at most \(percent(rate.upper)), "
        + "with 95 % confidence (goal: \(percent(Self.mostFalseAlarms)))"
    ]
  }

  private var meaning: [String] {
    [
      "found: cases said to differ; where nothing is planted these are false alarms, where 5 % is, the power (goal: at",
      "least 95 %). measured: median change. could find: the median of the smallest effect that the data of a case",
      "find 95 times in 100, if it is the only change.",
    ]
  }

  private var detectableLines: [String] {
    guard let identical = phases.first, !identical.detectable.isEmpty else { return [] }
    let lines = identical.detectable.sorted { $0.value > $1.value }.map { [percent($0.value), $0.key] }
    return ["", "Smallest effect by case"] + [TextTable.aligned(lines, [.right])]
  }

  private var plantingLines: [String] {
    notPlanted.isEmpty
      ? [] : ["", "Nothing was planted where one row costs more"] + notPlanted.map { "  \($0)" }
  }

  private func differing(_ phase: Part) -> Int {
    (phase.verdicts[Verdict.regressed.rawValue] ?? 0) + (phase.verdicts[Verdict.improved.rawValue] ?? 0)
  }

  private func percent(_ share: Double) -> String { String(format: "%.3g %%", share * 100) }
}
