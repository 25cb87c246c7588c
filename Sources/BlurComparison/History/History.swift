import BlurRecords
import Foundation

/// The times of each case in record files from many dates, and the steps in these times. A step is a lasting
/// change.
public struct History: Codable, Equatable, Sendable {
  /// A record file and its date.
  public struct File: Codable, Equatable, Sendable {
    public let path: String, date: Date
  }

  /// A lasting change in a case's time.
  public struct Step: Codable, Equatable, Sendable {
    /// The path of the first record file after the step.
    public let file: String
    /// The change of the median time as a fraction: 0.12 is 12 % slower.
    public let change: Double
    /// The p-value of the step: the probability that the same times in random order would show a step at
    /// least as clear as this one. The value is corrected for the number of cases, because among many cases
    /// some show a step by chance.
    public let p: Double
    /// Whether this step comes from a change in the speed of the machine rather than in the blur. To show the
    /// speed of the machine, a plain memory copy and a fixed arithmetic loop are timed together with every
    /// blur. The value is true if three conditions hold:
    ///
    /// - The time of the copy or of the loop also has a step, in the same direction, and at most one record
    ///   file earlier or later.
    /// - The step of the case exceeds the step of the machine by at most ``History/threshold``.
    /// - The case did not stay slow after the machine became fast again.
    public internal(set) var isOfMachine = false
    /// Whether this step is a slowdown that was undone later. A slowdown counts as undone if the latest time
    /// of the case exceeds the time before the step by less than the threshold.
    public internal(set) var isUndone = false
    /// Whether the user accepted this step. Steps in files dated on or before the day given with `--since`
    /// count as accepted.
    public internal(set) var isAccepted = false

    /// Whether this step is a slowdown that still counts, because it was not undone and the user did not
    /// accept it.
    var isStanding: Bool { change > 0 && !isUndone && !isAccepted }
  }

  /// The times of one case in all files, and the steps (sudden lasting changes) in these times.
  public struct Trend: Codable, Equatable, Sendable {
    /// The name of the case.
    public let name: String
    /// The median time of the case in each file, in nanoseconds, or nil for a file without a time of this
    /// case.
    public let times: [Double?]
    public internal(set) var steps: [Step] = []
    /// The date of the first file that lacks the case. It is nil if the case is still measured, or if the
    /// user accepted that the case is missing. A file lacks the case if it has times of the same suite, but
    /// no time of the case.
    public internal(set) var missingSince: Date?

    /// The total change of the case's time, as a fraction: the last known time divided by the first known
    /// time, minus 1. It is nil if there are fewer than two times.
    public var change: Double? {
      let known = times.compactMap(\.self)
      return known.count > 1 ? known[known.count - 1] / known[0] - 1 : nil
    }

    /// Whether the trend has enough times for a step to be found.
    public var isLongEnough: Bool { times.count { $0 != nil } >= ChangePoint.smallestCount }
  }

  /// The files, sorted by date.
  public let files: [File]
  /// The times of all cases, one trend per case. The cases are in the order of their first appearance in the
  /// files.
  public let trends: [Trend]
  /// The smallest step that counts, as a fraction. With 0.3, a step counts if it multiplies or divides the
  /// time by at least 1.3.
  public let threshold: Double
  /// The allowed rate of false discoveries. Among the cases that are reported to have changed, at most this
  /// fraction is expected to be false alarms.
  public let rate: Double
  /// The outcome of the history. A slowdown is a regression unless it was undone, was accepted, or comes from
  /// a change in the machine. If there is no regression, the outcome is undecided in three situations: the
  /// machine became slower, no case has enough times to find a step, or a case is no longer timed.
  public let outcome: Comparison.Outcome

  /// Finds the steps in the times of each case with ``ChangePoint``. Records whose names are not case names
  /// are ignored.
  ///
  /// - Parameters:
  ///   - files: The record files of one machine, in any order.
  ///   - threshold: The smallest step that counts, as a fraction. The default is large because times drift
  ///     from date to date, even without a step.
  ///   - since: The beginning of a day, or nil. Steps on or before this day count as accepted. Cases that
  ///     went missing on or before this day count as accepted, too.
  ///   - rate: The allowed rate of false discoveries among the cases with steps. The method of Benjamini and
  ///     Hochberg keeps the expected rate within this limit.
  /// - Throws: ``MeasurementError/failed(_:)`` if the files are from different machines, or if a file
  ///   contains records of several builds. ``MeasurementError/usage(_:)`` if the threshold or the rate is out
  ///   of range.
  public init(
    _ files: [DatedRecords], threshold: Double = 0.3, since: Date? = nil, rate: Double = 0.05
  ) throws(MeasurementError) {
    guard threshold >= 0, threshold.isFinite else {
      throw .usage("threshold \(threshold): must be a fraction of at least 0, such as 0.3 for 30 %")
    }
    guard rate > 0, rate < 1 else { throw .usage("rate \(rate): must be between 0 and 1") }
    try Self.checkMachines(of: files)
    try Self.checkBuilds(of: files)
    let files = files.sorted { ($0.date, $0.path) < ($1.date, $1.path) }
    let paths = files.map(\.path)
    var trends = Self.trends(in: files)
    let steps = Self.steps(of: trends, rate: rate)
    let loops = Trend(name: "", times: files.map { Statistics.median($0.records.compactMap(\.probeTime)) })
    let limit = log1p(threshold)
    let machine = MachineSteps(
      trends, steps, clock: Self.steps(of: [loops], rate: rate)[0], limit: limit)
    for (index, found) in steps.enumerated() {
      let own = machine.ownShifts(of: trends[index], found)
      trends[index].steps = found.indices.filter { abs(found[$0].shift) >= limit }.map {
        let place = found[$0].files.upperBound
        var step = Step(file: paths[place], change: expm1(found[$0].shift), p: found[$0].p)
        step.isOfMachine = own[$0] == nil
        // A shift is the logarithm of the factor by which the time changes at one step. The sum of the shifts
        // from this step on is the logarithm of the total change from before this step to the latest time. If
        // the blur itself became slower at this step, later changes of the machine are not added to the sum,
        // because a machine that became faster could hide that the blur is still slow.
        let remaining = step.isOfMachine ? found[$0...].map(\.shift) : own[$0...].compactMap(\.self)
        step.isUndone = step.change > 0 && remaining.reduce(0, +) < limit
        step.isAccepted = since.map { files[place].date < $0 + 86_400 } ?? false
        return step
      }
    }
    Self.markMissing(&trends, files, since: since)
    self.files = files.map { File(path: $0.path, date: $0.date) }
    self.trends = trends
    self.threshold = threshold
    self.rate = rate
    outcome = Self.outcome(of: self.trends)
  }

  private static func checkMachines(of files: [DatedRecords]) throws(MeasurementError) {
    var first: [String: String] = [:]
    for file in files {
      for record in file.records where first[record.machineKey] == nil {
        first[record.machineKey] = file.path
      }
    }
    guard first.count > 1 else { return }
    let machines = first.sorted { $0.value < $1.value }.map { key, path in
      "\(path) (key \(key.isEmpty ? "unknown" : key))"
    }
    throw .failed(
      "records measured on different machines are not compared: \(machines.joined(separator: ", "))")
  }

  /// Throws an error if a file contains records of several builds, because a history has only one time per
  /// case and file.
  private static func checkBuilds(of files: [DatedRecords]) throws(MeasurementError) {
    for file in files where file.records.builds.count > 1 {
      throw .failed(
        "\(file.path) was measured by several builds (\(file.records.builds.listed)), but each file must be "
          + "measured by a single build")
    }
  }

  private static func trends(in files: [DatedRecords]) -> [Trend] {
    var order: [String] = []
    var times: [String: [Double?]] = [:]
    for (index, file) in files.enumerated() {
      for (name, rows) in Dictionary(grouping: file.records.filter(\.isMeasured), by: \.name) {
        let logarithms = rows.compactMap(\.realTime).filter { $0 > 0 }.map { log($0) }
        times[name, default: Array(repeating: nil, count: files.count)][index] =
          Statistics.median(logarithms).map { exp($0) }
      }
      var seen = Set(order)
      order += file.records.filter { $0.item != nil && seen.insert($0.name).inserted }.map(\.name)
    }
    return order.compactMap { name in times[name].map { Trend(name: name, times: $0) } }
  }

  /// Returns the significant steps in the times of each case. The p-values are corrected for the number of
  /// cases, because among many cases, some show a step by chance.
  private static func steps(of trends: [Trend], rate: Double) -> [[DatedStep]] {
    let tested = trends.count { $0.isLongEnough }
    // Each step is compared with the steps in this many random orders (permutations) of the case's times. The
    // smallest possible p-value is about 1 divided by this number. The number must be so large that a step
    // remains significant after the correction for many cases, even if only one case has a step.
    let permutations = max(1999, Int((2 * Double(tested) / rate).rounded(.up)))
    let found = trends.map { trend in
      ChangePoint.steps(
        in: trend.times.compactMap { $0.map { log($0) } }, significance: rate, permutations: permutations)
    }
    // The correction needs one p-value per case. This is the smallest p-value of the case's steps, or 1 if
    // the case has no step.
    let long = trends.indices.filter { trends[$0].isLongEnough }
    let adjusted = MultipleTests.benjaminiHochberg(long.map { found[$0].map(\.p).min() ?? 1 })
    var steps = trends.map { _ in [DatedStep]() }
    for (index, p) in zip(long, adjusted) where p <= rate {
      let places = trends[index].times.indices.filter { trends[index].times[$0] != nil }
      steps[index] = found[index].map {
        DatedStep(
          files: places[$0.index - 1] + 1...places[$0.index], p: max($0.p, p), shift: $0.shift)
      }
    }
    return steps
  }

  /// Marks the cases that are no longer measured, although a later file contains times of the same suite.
  ///
  /// Records do not name their suite. A later file therefore counts as a file of the same suite if it has at
  /// least one case in common with the last file that contains a time of the missing case.
  private static func markMissing(_ trends: inout [Trend], _ files: [DatedRecords], since: Date?) {
    let timed = files.map { Set($0.records.filter { $0.isMeasured && !$0.isCopy }.map(\.name)) }
    for index in trends.indices {
      guard let last = timed.lastIndex(where: { $0.contains(trends[index].name) }),
        let next = timed.indices[(last + 1)...].first(where: { !timed[$0].isDisjoint(with: timed[last]) })
      else { continue }
      let date = files[next].date
      if since.map({ date >= $0 + 86_400 }) ?? true { trends[index].missingSince = date }
    }
  }

  private static func outcome(of trends: [Trend]) -> Comparison.Outcome {
    let slower = trends.flatMap(\.steps).filter(\.isStanding)
    if slower.contains(where: { !$0.isOfMachine }) { return .regressed }
    let isKnown = trends.contains(where: \.isLongEnough) && trends.allSatisfy { $0.missingSince == nil }
    return slower.isEmpty && isKnown ? .good : .cannotTell
  }
}
