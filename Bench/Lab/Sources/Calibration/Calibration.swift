import BlurComparison
import BlurMeasurement
import BlurRecords

/// An experiment that measures how often comparisons on this machine raise false alarms, and how often they
/// find a real slowdown.
///
/// First, builds of the same sources are compared with each other many times, so every reported difference is
/// a false alarm. Then one of two builds is made slower by a known fraction, by waiting after each blur. In
/// this second part each case is judged as if it were the only one that has changed, because such a change is
/// the hardest to find.
struct Calibration: Codable, Equatable, Sendable {
  /// The results of one part of the experiment. All comparisons of a part use the same threshold and slow one
  /// build down by the same fraction. The first part has no slowdown.
  struct Part: Codable, Equatable, Sendable {
    /// The artificial slowdown as a fraction, or 0 for none.
    var planted: Double
    /// The threshold with which the comparisons were made.
    var threshold: Double
    /// The number of all comparisons (`comparisons`), the number of comparisons that reported a difference
    /// between the builds (`differing`), and the number of comparisons whose result came with a warning
    /// (`untrusted`), for example because the machine was not steady.
    var comparisons = 0, differing = 0, untrusted = 0
    /// The number of comparisons that found a fault, such as a changed output or a failed kernel (`faulty`),
    /// and the number of comparisons that ended with "cannot tell" (`undecided`).
    var faulty = 0, undecided = 0
    /// The total time of the comparisons in seconds.
    var seconds = 0.0
    /// The number of cases, added up over all comparisons. The dictionary `verdicts` contains the number of
    /// cases with each verdict.
    var cases = 0
    var verdicts: [String: Int] = [:]
    /// The numbers of cases in each comparison. If one build was slowed down artificially, only cases that
    /// were reported as slower count as different.
    var tallies: [Tally] = []
    /// The medians over all cases and comparisons of the head's time divided by the base's time, and of the
    /// smallest change, as a fraction, that a comparison would have detected with a probability of 95 %.
    var medianRatio: Double?, medianDetectable: Double?
    /// The smallest change that would have been detected in each case, as the median over the comparisons.
    var detectable: [String: Double] = [:]
    /// The false alarms of each case. Each value is a change of time, as a fraction, that a comparison
    /// reported although nothing was slowed down.
    var alarms: [String: [Double]] = [:]
    /// For each case, the number of comparisons in which its verdict was unclear although nothing was slowed
    /// down.
    var unclear: [String: Int] = [:]

    /// Returns the fraction of the compared cases that got this verdict.
    func share(_ verdict: Verdict) -> Double {
      cases == 0 ? 0 : Double(verdicts[verdict.rawValue] ?? 0) / Double(cases)
    }

    /// The fraction of the cases that were reported as different. If no build was slowed down, this is the
    /// rate of false alarms. Otherwise, it is the rate at which the slowdown was found.
    var found: Double { planted > 0 ? share(.regressed) : share(.regressed) + share(.improved) }

    /// The fraction ``found`` with its confidence bounds. The cases of one comparison do not count as
    /// independent, because the state of the machine affects all of them alike.
    var rate: BinomialRate {
      BinomialRate(groups: tallies.map { (events: $0.found, trials: $0.cases) })
    }
  }

  /// The number of cases in one comparison, and how many of them were reported as different.
  struct Tally: Codable, Equatable, Sendable {
    var cases: Int, found: Int
  }

  /// The results of each part of the experiment. The first part compares identical builds, and each further
  /// part compares builds of which one is slowed down artificially.
  var phases: [Part] = []
  /// The names of the cases that could not be measured in at least one comparison.
  var notMeasured: [String] = []

  /// The goals of the comparison method. At most 5 % of the comparisons may raise a false alarm, and at least
  /// 95 % of the slowdowns by 5 % must be found. Both must be shown with 95 % confidence.
  static let mostFalseAlarms = 0.05, leastFound = 0.95, slowdown = 0.05

  /// The fraction of the comparisons of identical builds that reported a difference, or nil if there were no
  /// such comparisons.
  var falseAlarms: BinomialRate? {
    phases.first { $0.planted == 0 && $0.comparisons > 0 }.map {
      BinomialRate($0.differing, of: $0.comparisons)
    }
  }

  /// Whether comparisons on this machine reach their goals. The value is nil if the goals were not measured,
  /// if there were too few comparisons, or if too many of them had caveats.
  var isGood: Bool? {
    guard let identical = phases.first(where: { $0.planted == 0 && $0.cases > 0 }) else { return nil }
    guard identical.untrusted * 2 < identical.comparisons, let power, let falseAlarms else { return nil }
    if falseAlarms.lower > Self.mostFalseAlarms || power.upper < Self.leastFound { return false }
    return falseAlarms.upper <= Self.mostFalseAlarms && power.lower >= Self.leastFound ? true : nil
  }

  /// The fraction of the cases with a slowdown of 5 % (``slowdown``) that were reported as slower, or nil if
  /// there were no such cases.
  var power: BinomialRate? {
    phases.first { $0.planted == Self.slowdown && $0.cases > 0 }?.rate
  }
}

extension Calibration.Part {
  mutating func add(_ comparison: Comparison) {
    comparisons += 1
    untrusted += comparison.caveats.isEmpty ? 0 : 1
    // The builds have the same sources, so their outputs and errors should agree. If they do not, the
    // comparison counts as having found a difference, even if the times agree.
    let isFaulty = comparison.cases.contains { !$0.faults.isEmpty }
    faulty += isFaulty ? 1 : 0
    undecided += comparison.outcome == .cannotTell ? 1 : 0
    let rows = comparison.cases.filter { $0.ratio != nil }
    let isDifferent = rows.contains { [.regressed, .improved].contains($0.verdict) }
    differing += isDifferent || isFaulty ? 1 : 0
    cases += rows.count
    for row in rows { verdicts[row.verdict.rawValue, default: 0] += 1 }
    let found = rows.filter { $0.verdict == .regressed || (planted == 0 && $0.verdict == .improved) }
    tallies.append(Calibration.Tally(cases: rows.count, found: found.count))
    guard planted == 0 else { return }
    for row in found { alarms[row.name, default: []].append((row.ratio?.estimate ?? 1) - 1) }
    for row in rows where row.verdict == .unclear { unclear[row.name, default: 0] += 1 }
  }

  mutating func summarise(_ rows: [CaseComparison]) {
    medianRatio = Statistics.median(rows.compactMap { $0.ratio?.estimate })
    medianDetectable = Statistics.median(rows.compactMap(\.smallestDetectable))
    detectable = Dictionary(grouping: rows, by: \.name).compactMapValues {
      Statistics.median($0.compactMap(\.smallestDetectable))
    }
  }
}
