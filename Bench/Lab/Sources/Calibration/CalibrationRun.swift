import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// The experiment that measures how reliable comparisons are on this machine. Its result is a
/// ``Calibration``.
struct CalibrationRun {
  /// The cases to compare.
  let cases: [Case]
  /// The builds to compare with each other, all made from the same sources. A single build is compared with
  /// itself.
  let builds: [SideProcesses]
  /// The options for the comparisons.
  let options: ComparisonOptions
  /// How many comparisons are made. `identical` is the number of comparisons of identical builds, and
  /// `slowed` is the number of comparisons in which one build is slowed down by 5 %. Each smaller slowdown is
  /// tried a quarter as often as `slowed`.
  let identical: Int, slowed: Int
  /// Receives a line of text that says which comparison is running.
  let say: (String) -> Void

  /// The artificial slowdowns that are tried, as fractions, each with the threshold that its comparisons use.
  private static let plantings: [(share: Double, threshold: Double)] = [
    (Calibration.slowdown, 0.05), (0.02, 0.05), (0.02, 0.02),
  ]

  /// Makes all comparisons. The closure `done` receives the result after each comparison, so that nothing is
  /// lost if the experiment is stopped.
  func run(
    done: (Calibration) throws(MeasurementError) -> Void
  ) throws(MeasurementError) -> Calibration {
    var result = Calibration()
    let names = cases.map(\.name)
    try phase(&result, 0, options.threshold ?? ComparisonOptions.leastThreshold, names, done)
    guard slowed > 0 else { return result }
    for planting in Self.plantings { try phase(&result, planting.share, planting.threshold, names, done) }
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
