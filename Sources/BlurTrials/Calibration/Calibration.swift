import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// The false alarms and the power of comparisons on this machine, by experiment.
///
/// The same build is compared with itself, over and over; then with itself blurring some rows once more, so
/// that it is slower by a known share. There each case is judged as if it were the only change.
public struct Calibration: Codable, Equatable, Sendable {
  /// One part of the experiment.
  public struct Phase: Codable, Equatable, Sendable {
    /// The slowdown that was planted, as a share; 0 for none.
    public var planted: Double
    /// The threshold of the comparisons.
    public var threshold: Double
    /// The pairs that comparisons made, the seconds they took, and how many were not to be trusted.
    public var comparisons = 0, untrusted = 0
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
  public var phases: [Phase] = []
  /// Cases in which something so small could not be planted.
  public var notPlanted: [String] = []

  /// The goals: at most 1 % of cases found to differ where nothing does; 95 % of slowdowns by 5 % found.
  public static let mostFalseAlarms = 0.01, leastFound = 0.95, slowdown = 0.05

  /// Makes an empty result.
  public init() {}

  /// Whether the goals are reached; nil where that was not measured, or not to be trusted.
  public var isGood: Bool? {
    guard let identical = phases.first(where: { $0.planted == 0 && $0.cases > 0 }) else { return nil }
    let slowed = phases.filter { $0.planted == Self.slowdown && $0.cases > 0 }
    guard identical.untrusted * 2 < identical.comparisons, let slowed = slowed.first else { return nil }
    return identical.found <= Self.mostFalseAlarms && slowed.found >= Self.leastFound
  }
}

/// Makes the experiment.
public struct CalibrationRun {
  /// The cases that are compared.
  public var cases: [Case]
  /// How their processes are started.
  public var process: SideProcesses
  /// How comparisons are made.
  public var options: ComparisonOptions
  /// Case-comparisons of identical builds, and of builds that are 5 % slower, at least; half as many of
  /// smaller slowdowns, which have no goal.
  public var identical = 500, slowed = 100
  /// Slowdowns that are planted, with the thresholds they are looked for with.
  public var plantings: [(share: Double, threshold: Double)] = [
    (Calibration.slowdown, 0.05), (0.02, 0.05), (0.02, 0.02),
  ]
  /// Receives a line on what runs.
  public var say: (String) -> Void = { _ in }

  /// Prepares the experiment.
  public init(_ cases: [Case], _ process: SideProcesses, _ options: ComparisonOptions) {
    self.cases = cases
    self.process = process
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
    var phase = Calibration.Phase(planted: planted, threshold: threshold)
    var rowsFound: [CaseComparison] = []
    let wanted = planted == 0 ? identical : planted == Calibration.slowdown ? slowed : (slowed + 1) / 2
    let number = result.phases.count
    result.phases.append(phase)
    while phase.cases < wanted {
      say("\(planted > 0 ? percent(planted) + " slower" : "identical"): \(phase.cases) of \(wanted) cases")
      let start = ContinuousClock.now
      let comparison = try compare(names, planted, threshold: planted > 0 ? threshold : options.threshold)
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

  private func compare(
    _ names: [String], _ planted: Double, threshold: Double?
  ) throws(MeasurementError) -> Comparison {
    var options = options
    options.threshold = threshold
    options.judgesEachAlone = planted > 0
    let comparison = PairedComparison(
      names, base: process, head: process, options, slowedBy: planted, progress: { _ in })
    try comparison.measure()
    return comparison.result(base: "this build", head: "this build", method: .processes)
  }

  private func percent(_ share: Double) -> String { String(format: "%g %%", share * 100) }
}

extension Calibration.Phase {
  fileprivate mutating func add(_ comparison: Comparison) {
    comparisons += 1
    untrusted += comparison.caveats.isEmpty ? 0 : 1
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
