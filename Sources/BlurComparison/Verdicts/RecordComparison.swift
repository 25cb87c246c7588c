import BlurRecords
import BlurText
import Foundation

/// Compares records of two runs. They were not measured together, so only large changes count, and none is
/// proven by repetitions of one process: where its memory happens to lie, all of them have in common.
public struct RecordComparison {
  /// Medians of identical code in two runs on a virtual machine with two cores differ by more than a fifth
  /// one time in twenty. Well above that, a change can be told.
  public static let threshold = 0.3
  /// The number of processes of each run from which on a change can be proven.
  public static let leastProcesses = 5
  /// Where at least this many cases are slower, and all are, the machine may be the reason.
  static let leastCommon = 8

  private let base: [String: [Record]], head: [String: [Record]]
  private let names: [String]
  private let options: ComparisonOptions
  private let rule: Rule
  private let shift: MachineShift

  /// Prepares a comparison of the cases that both have.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` where the records are of different machines, or those of one
  ///   side of different builds.
  public init(_ base: [Record], _ head: [Record], _ options: ComparisonOptions) throws(MeasurementError) {
    let keys = [base, head].map { Set($0.map(\.machineKey)).sorted() }
    guard Set(keys.joined()).count <= 1 else {
      throw .failed(
        "the records are of different machines (keys \(keys[0].joined(separator: ", ")) and "
          + "\(keys[1].joined(separator: ", "))): times of different machines are not compared")
    }
    for builds in [base.builds, head.builds] where builds.count > 1 {
      throw .failed(
        "one side was measured by several builds (\(builds.joined(separator: ", "))): "
          + "compare files of one build")
    }
    self.base = Dictionary(grouping: base, by: \.name)
    self.head = Dictionary(grouping: head, by: \.name)
    var seen: Set<String> = []
    names = (base + head).filter { !$0.isCopy && seen.insert($0.name).inserted }.map(\.name)
    self.options = options
    rule = Rule(threshold: options.threshold ?? Self.threshold)
    shift = MachineShift(base, head)
  }

  /// What the records say.
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

  /// The program that measured records, in words; nil where they do not say.
  private static func build(_ records: [String: [Record]]) -> String? {
    records.values.joined().first { !$0.build.isEmpty }.map { "program \($0.build)" }
  }

  /// The cases that only the base has.
  private var missing: [String] { names.filter { head[$0] == nil } }

  private func missingRow(_ name: String) -> CaseComparison {
    var row = CaseComparison(name: name, verdict: .missing)
    row.base = side(base[name] ?? [], Findings(base[name] ?? []))
    row.head.problem = "not in these records"
    if options.acceptsGone { row.faults = [Fault(.gone, "not in the head's records", isAccepted: true)] }
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

  /// A caveat where all cases are slower: what slows vector code alone, such as a clock that falls under it,
  /// shows neither in a memcpy nor in a loop of plain arithmetic.
  private static func commonChange(_ cases: [CaseComparison]) -> [String] {
    let timed = cases.filter { $0.ratio != nil }
    guard timed.count >= leastCommon, timed.allSatisfy({ $0.verdict == .regressed }) else { return [] }
    return [
      "all \(timed.count) cases are slower, as when the machine changes in a way that memcpy and the probe "
        + "do not show: measure both builds together"
    ]
  }

  private var caveats: [String] {
    let explained = shift.explained
    guard max(explained.upperBound, -explained.lowerBound) > rule.limit else { return [] }
    return ["the machine itself changed between the runs: \(shift.words ?? "")"]
  }

  private func notes(_ pairs: [RecordPair]) -> [String] {
    let new = names.filter { base[$0] == nil }
    return [
      "the two sides were not measured together: times drift between runs"
        + (options.threshold == nil ? ", so that the threshold is \(Int(rule.threshold * 100)) %" : ""),
      caveats.isEmpty ? shift.words.map { "the machine itself, from base to head: \($0)" } : nil,
      proofs(pairs),
      missing.isEmpty || options.acceptsGone
        ? nil
        : "missing in the head: was its run stopped (`run --resume` goes on), or does its suite have fewer "
          + "cases? If that is intended: `--accept-gone`",
      new.isEmpty ? nil : "only in the head: \(new.count.of("case")), such as \(new[0])",
    ].compactMap(\.self)
  }

  /// What these records cannot prove.
  private func proofs(_ pairs: [RecordPair]) -> String? {
    let timed = pairs.filter { $0.ratio != nil }
    let provable = timed.filter(\.isProvable)
    guard !timed.isEmpty else { return nil }
    guard let least = provable.map(\.processes).min() else {
      return
        "suspects only, no proofs: these records are of fewer than \(Self.leastProcesses) processes on a "
        + "side, or without a probe of the machine; record both sides with --processes \(needed(timed.count))"
    }
    let needed = needed(provable.count)
    return least < needed
      ? "one change among \(provable.count) cases needs \(needed) processes on each side to be proven, "
        + "not \(least)"
      : nil
  }

  /// How many processes of each side show one change among that many cases at all: all of one side's are
  /// slower.
  private func needed(_ cases: Int) -> Int {
    (Self.leastProcesses...).first { count in
      let n = Double(count)
      let logChoices: Double = lgamma(2 * n + 1) - 2 * lgamma(n + 1)
      return log(2) - logChoices <= log(rule.rate / Double(cases))
    } ?? Self.leastProcesses
  }
}

/// One case in both runs.
private struct RecordPair {
  let name: String
  let base: [Record], head: [Record]
  /// Processes of the side that has fewer.
  let processes: Int
  /// Whether a change can be more than suspected.
  let isProvable: Bool
  /// The probability of such times if the machine, and how far processes are apart, explained them.
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

  /// Head over base: of processes where there are enough, else of samples.
  var ratio: Ratio? {
    test.estimate.map { Ratio(logarithm: $0, test.interval(confidence: rule.confidence)) }
  }

  /// - Parameter p: adjusted for the number of cases; nil where no change can be proven.
  func verdict(p: Double?) -> Verdict {
    guard let estimate = test.estimate else { return .unclear }
    if let p, p <= rule.rate { return estimate > 0 ? .regressed : .improved }
    if let interval = test.interval(confidence: rule.confidence),
      -rule.limit < interval.lowerBound, interval.upperBound < rule.limit
    {
      return .same
    }
    // The spread of the processes is asked for of proofs: a suspect is what they may be too few to show.
    return estimate > explained.upperBound + rule.margin ? .suspect : .unclear
  }
}

extension Findings {
  /// What records say of their case.
  fileprivate init(_ records: [Record]) {
    self.init()
    let hashes = records.compactMap(\.outputHash)
    outputHash = hashes.first
    maxErrorLevels = records.compactMap(\.maxErrorLevels).max()
    if let failure = records.first(where: { $0.errorOccurred || $0.isSkipped }) {
      problem = failure.errorMessage
      isWrong = failure.errorOccurred
    } else if Set(hashes).count > 1 {
      becomeWrong("the output differs from one process to the next")
    }
  }
}
