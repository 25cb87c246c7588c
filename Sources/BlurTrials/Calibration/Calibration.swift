import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// The false alarms and the power of comparisons on this machine, by experiment.
///
/// Builds of the same sources are compared, over and over; then with the head blurring some rows once more,
/// so that it is slower by a known share. There each case is judged as if it were the only change.
public struct Calibration: Codable, Equatable, Sendable {
  /// One part of the experiment.
  public struct Part: Codable, Equatable, Sendable {
    /// The slowdown that was planted, as a share; 0 for none.
    public var planted: Double
    /// The threshold of the comparisons.
    public var threshold: Double
    /// How many comparisons were made, how many of them said of a case that it differs, and how many were not
    /// to be trusted.
    public var comparisons = 0, differing = 0, untrusted = 0
    /// The seconds they took.
    public var seconds = 0.0
    /// How many cases were compared, and what came of them.
    public var cases = 0
    public var verdicts: [String: Int] = [:]
    /// The median of all estimated ratios, and of the smallest effect that the data could find.
    public var medianRatio: Double?, medianDetectable: Double?
    /// The smallest effect by case, its median over the comparisons.
    public var detectable: [String: Double] = [:]

    /// The share of cases with this verdict.
    public func share(_ verdict: Verdict) -> Double {
      cases == 0 ? 0 : Double(verdicts[verdict.rawValue] ?? 0) / Double(cases)
    }

    /// The share of cases judged to differ: false alarms where nothing is planted, the power otherwise.
    public var found: Double { planted > 0 ? share(.regressed) : share(.regressed) + share(.improved) }
  }

  /// The parts in the order in which they were made.
  public var phases: [Part] = []
  /// Cases in which something so small could not be planted.
  public var notPlanted: [String] = []

  /// The goals: a false alarm in at most 5 % of comparisons, with 95 % confidence; 95 % of slowdowns by 5 %
  /// found.
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
    let slowed = phases.filter { $0.planted == Self.slowdown && $0.cases > 0 }
    guard identical.untrusted * 2 < identical.comparisons, let slowed = slowed.first, let falseAlarms
    else { return nil }
    if falseAlarms.lower > Self.mostFalseAlarms || slowed.found < Self.leastFound { return false }
    return falseAlarms.upper <= Self.mostFalseAlarms ? true : nil
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
  /// Comparisons with nothing planted, and with a slowdown by 5 %; half as many of smaller slowdowns, which
  /// have no goal.
  public var identical = 60, slowed = 12
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
    let wanted = planted == 0 ? identical : planted == Calibration.slowdown ? slowed : (slowed + 1) / 2
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
      let refused = comparison.cases.filter { $0.ratio == nil && planted > 0 }.map(\.name)
      result.notPlanted = Array(Set(result.notPlanted + refused)).sorted()
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
  fileprivate mutating func add(_ comparison: Comparison) {
    comparisons += 1
    untrusted += comparison.caveats.isEmpty ? 0 : 1
    differing += comparison.cases.contains { [.regressed, .improved].contains($0.verdict) } ? 1 : 0
    for row in comparison.cases where row.ratio != nil {
      cases += 1
      verdicts[row.verdict.rawValue, default: 0] += 1
    }
  }

  fileprivate mutating func summarise(_ rows: [CaseComparison]) {
    medianRatio = Statistics.median(rows.compactMap { $0.ratio?.estimate })
    medianDetectable = Statistics.median(rows.compactMap(\.smallestDetectable))
    detectable = Dictionary(grouping: rows, by: \.name).compactMapValues {
      Statistics.median($0.compactMap(\.smallestDetectable))
    }
  }
}
