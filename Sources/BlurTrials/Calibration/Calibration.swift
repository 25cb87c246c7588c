import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// The false alarms and the power of comparisons on this machine, by experiment.
///
/// Builds of the same sources are compared, over and over; then with the head waiting after each blur, so
/// that it is slower by a known share. There each case is judged as if it were the only change.
public struct Calibration: Codable, Equatable, Sendable {
  /// One part of the experiment.
  public struct Part: Codable, Equatable, Sendable {
    /// The slowdown that was planted, as a share; 0 for none.
    public var planted: Double
    /// The threshold of the comparisons.
    public var threshold: Double
    /// How many comparisons were made, how many of them said of a case that it differs, in its time or by a
    /// fault, and how many were not to be trusted.
    public var comparisons = 0, differing = 0, untrusted = 0
    /// In how many comparisons a result was wrong or changed, and how many ended with "cannot tell".
    public var faulty = 0, undecided = 0
    /// The seconds they took.
    public var seconds = 0.0
    /// How many cases were compared, and what came of them.
    public var cases = 0
    public var verdicts: [String: Int] = [:]
    /// By comparison: how many cases were compared, and how many were judged to differ as was planted.
    public var tallies: [Tally] = []
    /// The median of all estimated ratios, and of the smallest effect that the data could find.
    public var medianRatio: Double?, medianDetectable: Double?
    /// The smallest effect by case, its median over the comparisons.
    public var detectable: [String: Double] = [:]
    /// Where nothing is planted: the changes of the cases that were said to differ, as shares.
    public var alarms: [String: [Double]] = [:]
    /// Where nothing is planted: in how many comparisons a case could not be told.
    public var unclear: [String: Int] = [:]

    /// The share of cases with this verdict.
    public func share(_ verdict: Verdict) -> Double {
      cases == 0 ? 0 : Double(verdicts[verdict.rawValue] ?? 0) / Double(cases)
    }

    /// The share of cases judged to differ: false alarms where nothing is planted, the power otherwise.
    public var found: Double { planted > 0 ? share(.regressed) : share(.regressed) + share(.improved) }

    /// What that share says of all cases like these. The cases of one comparison share a machine's moods.
    public var rate: BinomialRate {
      BinomialRate(groups: tallies.map { (events: $0.found, trials: $0.cases) })
    }
  }

  /// What one comparison found.
  public struct Tally: Codable, Equatable, Sendable {
    /// How many cases were compared, and how many were judged to differ.
    public var cases: Int, found: Int
  }

  /// The parts in the order in which they were made.
  public var phases: [Part] = []
  /// Cases that were not measured in some comparison.
  public var notMeasured: [String] = []

  /// The goals, each with 95 % confidence: a false alarm in at most 5 % of comparisons; 95 % of slowdowns by
  /// 5 % found.
  public static let mostFalseAlarms = 0.05, leastFound = 0.95, slowdown = 0.05

  /// Makes an empty result.
  public init() {}

  /// How often a comparison of identical builds says that a case differs; nil where none was made.
  ///
  /// The cases of one comparison share a machine's moods, so that comparisons are counted, not cases.
  public var falseAlarms: BinomialRate? {
    phases.first { $0.planted == 0 && $0.comparisons > 0 }.map {
      BinomialRate($0.differing, of: $0.comparisons)
    }
  }

  /// Whether the goals are reached; nil where that was not measured, not often enough, or is not to be
  /// trusted.
  public var isGood: Bool? {
    guard let identical = phases.first(where: { $0.planted == 0 && $0.cases > 0 }) else { return nil }
    guard identical.untrusted * 2 < identical.comparisons, let power, let falseAlarms else { return nil }
    if falseAlarms.lower > Self.mostFalseAlarms || power.upper < Self.leastFound { return false }
    return falseAlarms.upper <= Self.mostFalseAlarms && power.lower >= Self.leastFound ? true : nil
  }

  /// How many of the slowdowns that have a goal are found; nil where none was planted.
  public var power: BinomialRate? {
    phases.first { $0.planted == Self.slowdown && $0.cases > 0 }?.rate
  }
}

/// Makes the experiment.
public struct CalibrationRun {
  /// The cases that are compared.
  public var cases: [Case]
  /// Builds of the same sources, each compared with each other one, or with itself where it is the only one.
  public var builds: [SideProcesses]
  /// How comparisons are made.
  public var options: ComparisonOptions
  /// Comparisons with nothing planted, and with a slowdown by 5 %; a quarter as many of smaller slowdowns,
  /// which have no goal.
  public var identical = 60, slowed = 8
  /// Slowdowns that are planted, with the thresholds they are looked for with.
  public var plantings: [(share: Double, threshold: Double)] = [
    (Calibration.slowdown, 0.05), (0.02, 0.05), (0.02, 0.02),
  ]
  /// Receives a line on what runs.
  public var say: (String) -> Void = { _ in }

  /// Prepares the experiment.
  public init(_ cases: [Case], _ builds: [SideProcesses], _ options: ComparisonOptions) {
    self.cases = cases
    self.builds = builds
    self.options = options
  }

  /// Runs all phases; `done` receives the result after each comparison, so that none is lost.
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

  /// The builds of comparison number `index`: all ordered pairs in turn.
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
    // A fault counts whatever the time: builds of the same sources have none.
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
