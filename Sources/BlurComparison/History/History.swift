import BlurRecords
import Foundation

/// The times of each case in record files of many dates, and where they made a step.
public struct History: Codable, Equatable, Sendable {
  /// A record file.
  public struct File: Codable, Equatable, Sendable {
    public let path: String, date: Date
  }

  /// A lasting change of a case's time.
  public struct Step: Codable, Equatable, Sendable {
    /// The first record file after the step.
    public let file: String
    /// The change of the median time, as a share: 0.12 is 12 % slower.
    public let change: Double
    /// How likely so clear a step is by chance, adjusted for the number of cases.
    public let p: Double
    /// Whether the memcpy of the same workload made a step there too: the machine itself changed.
    public internal(set) var isOfMachine = false
    /// Whether later steps undid a slower one: the last time is not above the one before it by the threshold.
    public internal(set) var isUndone = false
    /// Whether it was accepted beforehand, by its date.
    public internal(set) var isAccepted = false

    /// Whether the case is slower today than before this step, which was not accepted.
    var isStanding: Bool { change > 0 && !isUndone && !isAccepted }
  }

  /// One case over all files.
  public struct Trend: Codable, Equatable, Sendable {
    /// The case's name.
    public let name: String
    /// Median time in nanoseconds in each file; nil where the case has no time.
    public let times: [Double?]
    public internal(set) var steps: [Step] = []
    /// The date of the first file without a time of this case, where files of the same suite have none since;
    /// nil where it is still timed, and where its absence was accepted.
    public internal(set) var missingSince: Date?

    /// Time of the last file over that of the first, less 1; nil of fewer than two times.
    public var change: Double? {
      let known = times.compactMap(\.self)
      return known.count > 1 ? known[known.count - 1] / known[0] - 1 : nil
    }
  }

  /// The files by date.
  public let files: [File]
  /// The cases in the order in which they appear.
  public let trends: [Trend]
  /// The smallest step that counts, as a share: 0.3 is a time that is multiplied or divided by 1.3.
  public let threshold: Double
  /// The share of the cases with steps that may have none.
  public let rate: Double
  /// A slower step is a regression unless it was undone or accepted, but not where the machine itself
  /// changed: then, with too few files for any step, and where cases are not timed any more, nothing can be
  /// told.
  public let outcome: Comparison.Outcome

  /// Finds the steps of each case, see ``ChangePoint``; rows whose names are not cases are left out.
  ///
  /// - Parameters:
  ///   - files: in any order, all of one machine.
  ///   - threshold: the smallest step that counts; wide by default, because the files were not measured
  ///     together.
  ///   - since: the beginning of a day: steps of its files and of earlier ones are accepted, and cases that
  ///     are not timed since then; nil for none.
  ///   - rate: the share of false ones among the cases with steps, by Benjamini and Hochberg.
  /// - Throws: ``MeasurementError/failed(_:)`` for files of different machines, and for a file that several
  ///   builds measured; ``MeasurementError/usage(_:)`` for a threshold or a rate that makes no sense.
  public init(
    _ files: [DatedRecords], threshold: Double = 0.3, since: Date? = nil, rate: Double = 0.05
  ) throws(MeasurementError) {
    guard threshold >= 0, threshold.isFinite else {
      throw .usage("threshold \(threshold): must be a share of the time, 0 or more, as 0.3 for 30 %")
    }
    guard rate > 0, rate < 1 else { throw .usage("rate \(rate): must be between 0 and 1") }
    try Self.checkMachines(of: files)
    try Self.checkBuilds(of: files)
    let files = files.sorted { ($0.date, $0.path) < ($1.date, $1.path) }
    let paths = files.map(\.path)
    var trends = Self.trends(in: files)
    let steps = Self.steps(of: trends, rate: rate)
    for (index, found) in steps.enumerated() {
      trends[index].steps = found.indices.filter { abs(found[$0].shift) >= log1p(threshold) }.map {
        let place = found[$0].index
        var step = Step(file: paths[place], change: expm1(found[$0].shift), p: found[$0].p)
        // From before this step to today.
        let remaining = found[$0...].reduce(0) { $0 + $1.shift }
        step.isUndone = step.change > 0 && remaining < log1p(threshold)
        step.isAccepted = since.map { files[place].date < $0 + 86_400 } ?? false
        return step
      }
    }
    Self.markMissing(&trends, files, since: since)
    self.files = files.map { File(path: $0.path, date: $0.date) }
    self.trends = Self.markingMachineSteps(trends, paths)
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

  /// A point of a trend is one program's time.
  private static func checkBuilds(of files: [DatedRecords]) throws(MeasurementError) {
    for file in files where file.records.builds.count > 1 {
      throw .failed(
        "\(file.path) was measured by several builds, and a date has one: \(file.records.builds.listed)")
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

  /// The steps of each trend that remain significant among all trends, by the index of the file.
  private static func steps(of trends: [Trend], rate: Double) -> [[ChangePoint]] {
    let tested = trends.count { $0.isLongEnough }
    // Enough permutations for one step among all cases to be significant.
    let permutations = max(1999, Int((2 * Double(tested) / rate).rounded(.up)))
    let found = trends.map { trend in
      ChangePoint.steps(
        in: trend.times.compactMap { $0.map { log($0) } }, significance: rate, permutations: permutations)
    }
    // The surest step of a case is its first split, the one test of this case that is always made. Cases
    // without a step have p > rate, and count as 1.
    let long = trends.indices.filter { trends[$0].isLongEnough }
    let adjusted = MultipleTests.benjaminiHochberg(long.map { found[$0].map(\.p).min() ?? 1 })
    var steps = trends.map { _ in [ChangePoint]() }
    for (index, p) in zip(long, adjusted) where p <= rate {
      let places = trends[index].times.indices.filter { trends[index].times[$0] != nil }
      steps[index] = found[index].map {
        ChangePoint(index: places[$0.index], p: max($0.p, p), shift: $0.shift)
      }
    }
    return steps
  }

  /// Marks the cases without a time in the last files of their suite: in those that share a case with the
  /// last file that has one.
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

  /// Marks the steps that the memcpy beside the case made too, in the same direction, at most one file off.
  private static func markingMachineSteps(_ trends: [Trend], _ paths: [String]) -> [Trend] {
    let places = Dictionary(zip(paths, paths.indices), uniquingKeysWith: { first, _ in first })
    let steps = Dictionary(uniqueKeysWithValues: trends.map { ($0.name, $0.steps) })
    return trends.map { trend in
      guard let item = try? Case(name: trend.name) else { return trend }
      let copying = steps[Case.copying(item.workload).name] ?? []
      var trend = trend
      for index in trend.steps.indices {
        let step = trend.steps[index]
        trend.steps[index].isOfMachine = copying.contains { other in
          guard let place = places[step.file], let otherPlace = places[other.file] else { return false }
          return (other.change > 0) == (step.change > 0) && abs(otherPlace - place) <= 1
        }
      }
      return trend
    }
  }

  private static func outcome(of trends: [Trend]) -> Comparison.Outcome {
    let slower = trends.flatMap(\.steps).filter(\.isStanding)
    if slower.contains(where: { !$0.isOfMachine }) { return .regressed }
    let isKnown = trends.contains(where: \.isLongEnough) && trends.allSatisfy { $0.missingSince == nil }
    return slower.isEmpty && isKnown ? .good : .cannotTell
  }
}

extension History.Trend {
  /// Whether there are times enough for any step.
  public var isLongEnough: Bool { times.count { $0 != nil } >= ChangePoint.smallestCount }
}
