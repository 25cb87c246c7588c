import BlurRecords
import BlurText
import Foundation

/// Compares the records of two runs. The runs were not measured together, so only large changes count.
/// Repetitions within one process prove nothing, because they all share the same memory layout.
public struct RecordComparison {
  /// The default for the smallest change that matters. On a virtual machine with two cores, the medians of
  /// identical code in two runs differ by more than a fifth in one of twenty cases. Only a change well above
  /// that can be distinguished from noise.
  public static let threshold = 0.3
  /// The smallest number of processes in each run with which a change can be proven.
  public static let leastProcesses = 5
  /// The smallest number of timed cases for a warning. If all cases became slower, and there are at least
  /// this many, the user is warned that the machine itself may have become slower.
  static let leastCommon = 8

  private let base: [String: [Record]], head: [String: [Record]]
  private let names: [String]
  private let options: ComparisonOptions
  private let rule: Rule
  private let shift: MachineShift

  /// Prepares a comparison of two runs.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if the records are from different machines, or if the records
  ///   of one side are from different builds.
  public init(_ base: [Record], _ head: [Record], _ options: ComparisonOptions) throws(MeasurementError) {
    let keys = [base, head].map { Set($0.map(\.machineKey)).sorted() }
    guard Set(keys.joined()).count <= 1 else {
      throw .failed(
        "base and head were measured on different machines (machine keys \(keys[0].joined(separator: ", ")) "
          + "and \(keys[1].joined(separator: ", "))), whose times cannot be compared")
    }
    for builds in [base.builds, head.builds] where builds.count > 1 {
      throw .failed(
        "a file contains records of several builds (\(builds.joined(separator: ", "))); "
          + "compare files that each contain records of a single build")
    }
    self.base = Dictionary(grouping: base, by: \.name)
    self.head = Dictionary(grouping: head, by: \.name)
    var seen: Set<String> = []
    names = (base + head).filter { !$0.isCopy && seen.insert($0.name).inserted }.map(\.name)
    self.options = options
    rule = Rule(threshold: options.threshold ?? Self.threshold)
    shift = MachineShift(base, head)
  }

  /// Returns the comparison of the records of the two runs.
  public func result(base baseTitle: String, head headTitle: String) -> Comparison {
    let pairs = names.compactMap { name in
      base[name].flatMap { base in head[name].map { RecordPair(name, base, $0, rule, shift) } }
    }
    let provable = pairs.indices.filter { pairs[$0].isProvable }
    let adjusted = MultipleTests.benjaminiHochberg(provable.map { pairs[$0].p })
    let ps = Dictionary(uniqueKeysWithValues: zip(provable, adjusted))
    let cases = pairs.indices.map { row(pairs[$0], p: ps[$0]) } + missing.map(missingRow)
    var comparison = Comparison(
      base: baseTitle, head: headTitle, method: .records, threshold: rule.threshold, cases: cases,
      caveats: caveats + Self.commonChange(cases), notes: notes(pairs), acceptsSlower: options.acceptsSlower)
    (comparison.baseBuild, comparison.headBuild) = (Self.build(base), Self.build(head))
    return comparison
  }

  /// Returns a description of the program that measured the records, or nil if the records do not contain it.
  private static func build(_ records: [String: [Record]]) -> String? {
    records.values.joined().first { !$0.build.isEmpty }.map { "program \($0.build)" }
  }

  /// The names of the cases that only the base has.
  private var missing: [String] { names.filter { head[$0] == nil } }

  private func missingRow(_ name: String) -> CaseComparison {
    var row = CaseComparison(name: name, verdict: .missing)
    row.base = side(base[name] ?? [], Findings(base[name] ?? []))
    let reason = "not in the records of the new version (head)"
    row.head.problem = reason
    if options.acceptsGone { row.faults = [Fault(.gone, reason, isAccepted: true)] }
    return row
  }

  private func row(_ pair: RecordPair, p: Double?) -> CaseComparison {
    var row = CaseComparison(name: pair.name)
    let (old, new) = (Findings(pair.base), Findings(pair.head))
    row.base = side(pair.base, old)
    row.head = side(pair.head, new)
    row.faults = FaultFinder(comparesResults: true, options).faults(base: old, head: new)
    if new.isUntimed(like: old) { row.verdict = .same }
    row.pairs = pair.processes
    row.ratio = pair.ratio
    row.p = p
    if row.ratio != nil { row.verdict = pair.verdict(p: p) }
    return row
  }

  private func side(_ records: [Record], _ findings: Findings) -> CaseComparison.Side {
    var side = CaseComparison.Side()
    side.time = Statistics.median(records.compactMap(\.realTime))
    side.processes = RunTimes(records).processes.count
    side.maxErrorLevels = findings.maxErrorLevels
    side.outputHash = findings.outputHash
    side.problem = findings.problem
    return side
  }

  /// Returns a caveat if all cases are slower, because the machine itself may have become slower for vector
  /// code. For example, its clock rate during vector instructions may be lower. The measured times of memory
  /// copies and of a loop of scalar arithmetic do not show such a change.
  private static func commonChange(_ cases: [CaseComparison]) -> [String] {
    let timed = cases.filter { $0.ratio != nil }
    guard timed.count >= leastCommon, timed.allSatisfy({ $0.verdict == .regressed }) else { return [] }
    return [
      "all \(timed.count) cases are slower, so the machine may have changed in a way that memcpy and a fixed "
        + "loop of arithmetic do not show; measure both builds together with `blurbench compare OLD NEW`"
    ]
  }

  private var caveats: [String] {
    let explained = shift.explained
    guard max(explained.upperBound, -explained.lowerBound) > rule.limit else { return [] }
    return ["the machine itself became slower or faster between the runs: \(shift.words ?? "")"]
  }

  private func notes(_ pairs: [RecordPair]) -> [String] {
    let new = names.filter { base[$0] == nil }
    return [
      "base and head were not measured together, and times drift between runs"
        + (options.threshold == nil ? ", so only changes above \(Int(rule.threshold * 100)) % count" : ""),
      caveats.isEmpty ? shift.words.map { "change of the machine itself from base to head: \($0)" } : nil,
      proofs(pairs),
      missing.isEmpty || options.acceptsGone
        ? nil
        : "some cases are missing in the new version (head). If its run was stopped, continue that run with "
          + "`run --resume`. If its suite has fewer cases on purpose, use `--accept-gone`",
      new.isEmpty ? nil : "cases that only the new version (head) has: \(new.count), such as \(new[0])",
    ].compactMap(\.self)
  }

  /// Returns a note if the records come from too few processes to prove a change, or nil if there are enough.
  private func proofs(_ pairs: [RecordPair]) -> String? {
    let timed = pairs.filter { $0.ratio != nil }
    let provable = timed.filter(\.isProvable)
    guard !timed.isEmpty else { return nil }
    guard let least = provable.map(\.processes).min() else {
      return
        "changes can be suspected but not proven, because the base or the head was measured in fewer than "
        + "\(Self.leastProcesses) processes, or the speed of the machine itself was not measured; record "
        + "both with --processes \(needed(timed.count))"
    }
    let needed = needed(provable.count)
    return least < needed
      ? "proving one change among \(provable.count) cases takes \(needed) processes for base and head each, "
        + "but there are only \(least)"
      : nil
  }

  /// Returns how many processes are needed to prove that one of `cases` cases has changed. The old version
  /// (base) and the new version (head) must each be measured in this number of processes. The number is the
  /// smallest one that gives a proof if every process of one version is slower than every process of the
  /// other.
  private func needed(_ cases: Int) -> Int {
    (Self.leastProcesses...).first { count in
      let n = Double(count)
      let logChoices: Double = lgamma(2 * n + 1) - 2 * lgamma(n + 1)
      return log(2) - logChoices <= log(rule.rate / Double(cases))
    } ?? Self.leastProcesses
  }
}

/// The records of one case in both runs.
private struct RecordPair {
  let name: String
  let base: [Record], head: [Record]
  /// The number of processes that measured the case in the base or in the head, whichever is smaller.
  let processes: Int
  /// Whether there are enough measurements to prove a change of this case. Otherwise, a change can only be
  /// suspected.
  let isProvable: Bool
  /// The p-value of a statistical test for whether the code itself became faster or slower between the two
  /// runs. A small value means that the difference in time is too large to be explained by a change in the
  /// machine's speed or by the variation between processes.
  let p: Double
  private let test: RankSum
  private let rule: Rule
  private let explained: ClosedRange<Double>
  private let margin: Double

  init(_ name: String, _ base: [Record], _ head: [Record], _ rule: Rule, _ shift: MachineShift) {
    (self.name, self.base, self.head, self.rule) = (name, base, head, rule)
    let (old, new) = (RunTimes(base), RunTimes(head))
    processes = min(old.processes.count, new.processes.count)
    isProvable = processes >= RecordComparison.leastProcesses && shift.isKnown
    test = isProvable ? RankSum(old.processes, new.processes) : RankSum(old.samples, new.samples)
    explained = shift.explained
    margin = max(rule.margin, isProvable ? max(old.spread, new.spread) : 0)
    let tails = [test.p(above: explained.upperBound + margin), test.p(below: explained.lowerBound - margin)]
    p = min(1, 2 * (tails.min() ?? 1))
  }

  /// The time of the head (the new version) divided by the time of the base (the old version), as an estimate
  /// with its confidence interval. The ratio is nil if a version has no times. If enough processes were
  /// measured to prove a change, the estimate uses one value per process: its median time. Otherwise, it uses
  /// every measured time.
  var ratio: Ratio? {
    test.estimate.map { Ratio(logarithm: $0, test.interval(confidence: rule.confidence)) }
  }

  /// Returns the verdict on the case.
  ///
  /// - Parameter p: The p-value, adjusted for the number of cases, or nil if no change can be proven.
  func verdict(p: Double?) -> Verdict {
    guard let estimate = test.estimate else { return .unclear }
    if let p, p <= rule.rate { return estimate > 0 ? .regressed : .improved }
    if let interval = test.interval(confidence: rule.confidence),
      -rule.limit < interval.lowerBound, interval.upperBound < rule.limit
    {
      return .same
    }
    // A slowdown is suspected if it exceeds the tolerance and the part that a change of the machine explains.
    // To be proven, it must also exceed the spread between processes, which is known only if there are
    // records of several processes.
    return estimate > explained.upperBound + rule.margin ? .suspect : .unclear
  }
}

extension Findings {
  /// Collects the facts about one case, such as its error and the hash of its output, from its records.
  fileprivate init(_ records: [Record]) {
    self.init()
    let hashes = records.compactMap(\.outputHash)
    outputHash = hashes.first
    maxErrorLevels = records.compactMap(\.maxErrorLevels).max()
    if let failure = records.first(where: { $0.errorOccurred || $0.isSkipped }) {
      problem = failure.errorMessage
      isWrong = failure.errorOccurred
    } else if Set(hashes).count > 1 {
      becomeWrong("the output differs from process to process")
    }
  }
}
