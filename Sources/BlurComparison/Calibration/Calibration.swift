import BlurMeasurement
import BlurRecords
import Foundation

/// An experiment that measures how often comparisons on this machine raise false alarms, and how often they
/// find a real slowdown.
///
/// First, builds of the same sources are compared with each other many times, so every reported difference is
/// a false alarm. Then one of two builds is made slower by a known fraction, by waiting after each blur. In
/// this second part each case is judged as if it were the only one that has changed, because such a change is
/// the hardest to find.
public struct Calibration: Codable, Equatable, Sendable {
  /// The results of one part of the experiment. All comparisons of a part use the same threshold and slow one
  /// build down by the same fraction. The first part has no slowdown.
  public struct Part: Codable, Equatable, Sendable {
    /// The artificial slowdown as a fraction, or 0 for none.
    public var planted: Double
    /// The threshold with which the comparisons were made.
    public var threshold: Double
    /// The number of all comparisons (`comparisons`), the number of comparisons that reported a difference
    /// between the builds (`differing`), and the number of comparisons whose result came with a warning
    /// (`untrusted`), for example because the machine was not steady.
    public var comparisons = 0, differing = 0, untrusted = 0
    /// The number of comparisons that found a fault, such as a changed output or a failed kernel (`faulty`),
    /// and the number of comparisons that ended with "cannot tell" (`undecided`).
    public var faulty = 0, undecided = 0
    /// The total time of the comparisons in seconds.
    public var seconds = 0.0
    /// The number of cases, added up over all comparisons. The dictionary `verdicts` contains the number of
    /// cases with each verdict.
    public var cases = 0
    public var verdicts: [String: Int] = [:]
    /// For each comparison, the number of cases that were compared and the number of cases that were reported
    /// as different. If one build was slowed down artificially, only cases that were reported as slower count
    /// as different.
    public var tallies: [Tally] = []
    /// Two medians over all cases and comparisons. `medianRatio` is the median of the head's time divided by
    /// the base's time. `medianDetectable` is the median of the smallest change, as a fraction, that a
    /// comparison would have detected with a probability of 95 %.
    public var medianRatio: Double?, medianDetectable: Double?
    /// For each case, the smallest change that a comparison would have detected with a probability of 95 %,
    /// as a fraction. Each value is the median over the comparisons.
    public var detectable: [String: Double] = [:]
    /// The false alarms of each case. Each value is a change of time, as a fraction, that a comparison
    /// reported although nothing was slowed down.
    public var alarms: [String: [Double]] = [:]
    /// For each case, the number of comparisons in which its verdict was unclear although nothing was slowed
    /// down.
    public var unclear: [String: Int] = [:]

    /// Returns the fraction of the compared cases that got this verdict.
    public func share(_ verdict: Verdict) -> Double {
      cases == 0 ? 0 : Double(verdicts[verdict.rawValue] ?? 0) / Double(cases)
    }

    /// The fraction of the cases that were reported as different. If no build was slowed down, this is the
    /// rate of false alarms. Otherwise, it is the rate at which the slowdown was found.
    public var found: Double { planted > 0 ? share(.regressed) : share(.regressed) + share(.improved) }

    /// The fraction ``found`` with its confidence bounds. The cases of one comparison do not count as
    /// independent, because the state of the machine affects all of them alike.
    public var rate: BinomialRate {
      BinomialRate(groups: tallies.map { (events: $0.found, trials: $0.cases) })
    }
  }

  /// The number of cases in one comparison, and how many of them were reported as different.
  public struct Tally: Codable, Equatable, Sendable {
    /// The number of cases that were compared, and the number of cases that were reported as different.
    public var cases: Int, found: Int
  }

  /// The results of each part of the experiment. The first part compares identical builds, and each further
  /// part compares builds of which one is slowed down artificially.
  public var phases: [Part] = []
  /// The names of the cases that could not be measured in at least one comparison.
  public var notMeasured: [String] = []

  /// The goals of the comparison method. At most 5 % of the comparisons may raise a false alarm, and at least
  /// 95 % of the slowdowns by 5 % must be found. Both must be shown with 95 % confidence.
  public static let mostFalseAlarms = 0.05, leastFound = 0.95, slowdown = 0.05

  /// Creates the result of an experiment in which no comparison has been made yet.
  public init() {}

  /// The rate at which comparisons of identical builds report a difference, or nil if there were no such
  /// comparisons.
  ///
  /// The rate counts comparisons and not cases, because the state of the machine affects all cases of one
  /// comparison alike.
  public var falseAlarms: BinomialRate? {
    phases.first { $0.planted == 0 && $0.comparisons > 0 }.map {
      BinomialRate($0.differing, of: $0.comparisons)
    }
  }

  /// A Boolean value that indicates whether comparisons on this machine reach their goals: few false alarms,
  /// and most slowdowns found. The value is nil if the goals were not measured, if there were too few
  /// comparisons, or if too many of them had caveats.
  public var isGood: Bool? {
    guard let identical = phases.first(where: { $0.planted == 0 && $0.cases > 0 }) else { return nil }
    guard identical.untrusted * 2 < identical.comparisons, let power, let falseAlarms else { return nil }
    if falseAlarms.lower > Self.mostFalseAlarms || power.upper < Self.leastFound { return false }
    return falseAlarms.upper <= Self.mostFalseAlarms && power.lower >= Self.leastFound ? true : nil
  }

  /// The fraction of the cases that were reported as slower in the part of the experiment with a slowdown of
  /// 5 % (``slowdown``). It is nil if there is no such part.
  public var power: BinomialRate? {
    phases.first { $0.planted == Self.slowdown && $0.cases > 0 }?.rate
  }
}

/// The experiment that measures how reliable comparisons are on this machine. Its result is a
/// ``Calibration``.
public struct CalibrationRun {
  /// The cases to compare.
  public var cases: [Case]
  /// The builds to compare with each other, all made from the same sources. A single build is compared with
  /// itself.
  public var builds: [SideProcesses]
  /// The options for the comparisons.
  public var options: ComparisonOptions
  /// How many comparisons are made. `identical` is the number of comparisons of identical builds, and
  /// `slowed` is the number of comparisons in which one build is slowed down by 5 %. Each smaller slowdown is
  /// tried a quarter as often as `slowed`.
  public var identical = 60, slowed = 8
  /// The artificial slowdowns that are tried, as fractions, each with the threshold that its comparisons use.
  public var plantings: [(share: Double, threshold: Double)] = [
    (Calibration.slowdown, 0.05), (0.02, 0.05), (0.02, 0.02),
  ]
  /// Receives a line of text that says which comparison is running.
  public var say: (String) -> Void = { _ in }

  /// Prepares an experiment that compares builds of the same sources, in order to find out how reliable
  /// comparisons are.
  public init(_ cases: [Case], _ builds: [SideProcesses], _ options: ComparisonOptions) {
    self.cases = cases
    self.builds = builds
    self.options = options
  }

  /// Makes all comparisons. The closure `done` receives the result after each comparison, so that nothing is
  /// lost if the experiment is stopped.
  public func run(done: (Calibration) throws(MeasurementError) -> Void) throws(MeasurementError)
    -> Calibration
  {
    var result = Calibration()
    let names = cases.map(\.name)
    try phase(&result, 0, options.threshold ?? ComparisonOptions.leastThreshold, names, done)
    guard slowed > 0 else { return result }
    for planting in plantings { try phase(&result, planting.share, planting.threshold, names, done) }
    return result
  }

  private func phase(
    _ result: inout Calibration, _ planted: Double, _ threshold: Double, _ names: [String],
    _ done: (Calibration) throws(MeasurementError) -> Void
  ) throws(MeasurementError) {
    var phase = Calibration.Part(planted: planted, threshold: threshold)
    var rowsFound: [CaseComparison] = []
    let wanted = planted == 0 ? identical : planted == Calibration.slowdown ? slowed : (slowed + 3) / 4
    let number = result.phases.count
    result.phases.append(phase)
    while phase.comparisons < wanted {
      say("\(planted > 0 ? percent(planted) + " slower" : "identical"): \(phase.comparisons) of \(wanted)")
      let start = ContinuousClock.now
      let pair = Self.pair(phase.comparisons, of: builds.count)
      let comparison = try compare(
        names, builds[pair.base], builds[pair.head], planted,
        threshold: planted > 0 ? threshold : options.threshold)
      phase.seconds += (ContinuousClock.now - start) / .seconds(1)
      phase.add(comparison)
      rowsFound += comparison.cases
      let refused = comparison.cases.filter { $0.ratio == nil }.map(\.name)
      result.notMeasured = Array(Set(result.notMeasured + refused)).sorted()
      phase.summarise(rowsFound)
      result.phases[number] = phase
      try done(result)
      if comparison.cases.allSatisfy({ $0.ratio == nil }) { throw .failed("no case could be measured") }
    }
  }

  /// Returns which two builds are compared in comparison number `index`. Successive comparisons go through
  /// all ordered pairs of builds.
  static func pair(_ index: Int, of count: Int) -> (base: Int, head: Int) {
    let base = index % count
    let distance = count == 1 ? 0 : 1 + index / count % (count - 1)
    return (base, (base + distance) % count)
  }

  private func compare(
    _ names: [String], _ base: SideProcesses, _ head: SideProcesses, _ planted: Double, threshold: Double?
  ) throws(MeasurementError) -> Comparison {
    var options = options
    options.threshold = threshold
    options.judgesEachAlone = planted > 0
    let comparison = PairedComparison(
      names, base: base, head: head, options, slowedBy: planted, progress: { _ in })
    try comparison.measure()
    return comparison.result(base: "a build", head: "another build", method: .processes)
  }

  private func percent(_ share: Double) -> String { String(format: "%g %%", share * 100) }
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

  fileprivate mutating func summarise(_ rows: [CaseComparison]) {
    medianRatio = Statistics.median(rows.compactMap { $0.ratio?.estimate })
    medianDetectable = Statistics.median(rows.compactMap(\.smallestDetectable))
    detectable = Dictionary(grouping: rows, by: \.name).compactMapValues {
      Statistics.median($0.compactMap(\.smallestDetectable))
    }
  }
}
