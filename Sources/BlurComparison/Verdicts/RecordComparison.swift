import BlurRecords
import BlurText
import Foundation

/// Compares the records of two runs. The runs were not measured together, so only large changes count.
/// Repetitions within one process are not independent evidence, because they all have the same memory layout.
public struct RecordComparison {
  /// The default for the smallest change that matters, as a fraction. On a virtual machine with two cores,
  /// one in twenty cases has medians that differ by more than 20 % between two runs of identical code. The
  /// threshold must be well above this noise.
  public static let threshold = 0.3
  /// The smallest number of processes per run that can prove a change.
  public static let leastProcesses = 5
  /// If all timed cases became slower, the user is warned that the machine may have become slower. The
  /// warning is given only if there are at least this many timed cases.
  static let leastCommon = 8

  private let base: [String: RecordedCase], head: [String: RecordedCase]
  private let names: [String]
  private let options: ComparisonOptions
  private let rule: Rule
  private let shift: MachineShift

  /// Prepares a comparison of two runs.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if the records are from different machines, or if the records
  ///   of one run are from different builds.
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
    self.base = Dictionary(grouping: base, by: \.name).mapValues { RecordedCase($0) }
    self.head = Dictionary(grouping: head, by: \.name).mapValues { RecordedCase($0) }
    names = (base + head).filter { !$0.isCopy }.inGroups(by: \.name).map(\.key)
    self.options = options
    rule = Rule(threshold: options.threshold ?? Self.threshold)
    shift = MachineShift(self.base, self.head)
  }

  /// Returns the comparison of the records of the two runs.
  public func result(base baseTitle: String, head headTitle: String) -> Comparison {
    let common = names.filter { base[$0] != nil && head[$0] != nil }
    var judged = common.map(evidence)
    CaseEvidence.judge(&judged, common.map { _ in rule })
    let cases = zip(common, judged).map { row($0, $1) } + missing.map(missingRow)
    var comparison = Comparison(
      base: baseTitle, head: headTitle, method: .records, threshold: rule.threshold, cases: cases,
      caveats: caveats + Self.commonChange(cases), notes: notes(cases),
      acceptsSlower: options.acceptsSlower ? true : nil)
    let builds = [base, head].map { cases in
      cases.values.lazy.flatMap(\.records).first { !$0.build.isEmpty }.map { "program \($0.build)" }
    }
    (comparison.baseBuild, comparison.headBuild) = (builds[0], builds[1])
    return comparison
  }

  /// Returns the evidence on one case. If enough processes measured the case to prove a change, the evidence
  /// consists of the median time of each process. Otherwise, it consists of all times.
  private func evidence(_ name: String) -> CaseEvidence {
    let (old, new) = (base[name] ?? RecordedCase(), head[name] ?? RecordedCase())
    guard min(old.ofProcesses.count, new.ofProcesses.count) >= Self.leastProcesses, shift.isKnown else {
      return CaseEvidence(
        .separate(base: old.logTimes, head: new.logTimes), drift: shift.explained, isProvable: false)
    }
    let spreads = [old.ofProcesses, new.ofProcesses].compactMap(Statistics.interquartileRange)
    return CaseEvidence(
      .separate(base: old.ofProcesses, head: new.ofProcesses), drift: shift.explained,
      spread: spreads.max() ?? 0)
  }

  /// The names of the cases that only the base has.
  private var missing: [String] { names.filter { head[$0] == nil } }

  private func missingRow(_ name: String) -> CaseComparison {
    var row = CaseComparison(name: name, verdict: .missing)
    let old = base[name] ?? RecordedCase()
    row.base = CaseComparison.Side(Findings(old.records), times: old.times)
    row.base.processes = old.ofProcesses.count
    let reason = "not in the records of the new version (head)"
    row.head.problem = reason
    if options.acceptsGone { row.faults = [Fault(.gone, reason, isAccepted: true)] }
    return row
  }

  private func row(_ name: String, _ evidence: CaseEvidence) -> CaseComparison {
    let (old, new) = (base[name] ?? RecordedCase(), head[name] ?? RecordedCase())
    var row = CaseComparison(
      name, base: (Findings(old.records), old.times), head: (Findings(new.records), new.times), evidence,
      rule, options)
    (row.base.processes, row.head.processes) = (old.ofProcesses.count, new.ofProcesses.count)
    row.pairs = min(old.ofProcesses.count, new.ofProcesses.count)
    return row
  }

  /// Returns a caveat if all cases are slower. The machine may then have become slower for vector code alone,
  /// for example because of a lower clock rate during vector instructions. The times of memory copies and of
  /// a loop of scalar arithmetic do not show such a change.
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

  private func notes(_ cases: [CaseComparison]) -> [String] {
    let new = names.filter { base[$0] == nil }
    return [
      "base and head were not measured together, and times drift between runs"
        + (options.threshold == nil ? ", so only changes above \(Int(rule.threshold * 100)) % count" : ""),
      caveats.isEmpty ? shift.words.map { "change of the machine itself from base to head: \($0)" } : nil,
      proofs(cases),
      missing.isEmpty || options.acceptsGone
        ? nil
        : "some cases are missing in the new version (head). If its run was stopped, continue that run with "
          + "`run --resume`. If its suite has fewer cases on purpose, use `--accept-gone`",
      new.isEmpty ? nil : "cases that only the new version (head) has: \(new.count), such as \(new[0])",
    ].compactMap(\.self)
  }

  /// Returns a note if too few processes were measured to prove a change, or nil if enough were measured.
  private func proofs(_ cases: [CaseComparison]) -> String? {
    let timed = cases.filter { $0.ratio != nil }
    let provable = timed.filter { $0.p != nil }
    guard !timed.isEmpty else { return nil }
    guard let least = provable.map(\.pairs).min() else {
      return
        "changes can be suspected but not proven, because the base or the head was measured in fewer than "
        + "\(Self.leastProcesses) processes, or the speed of the machine itself was not measured; record "
        + "both with --processes \(needed(timed.count))"
    }
    let needed = needed(provable.count)
    return least < needed
      ? "to prove one change among \(provable.count) cases, base and head each need \(needed) processes, "
        + "but only \(least) were measured"
      : nil
  }

  /// Returns how many processes must measure each side, the base and the head, to prove that one of `cases`
  /// cases has changed.
  private func needed(_ cases: Int) -> Int {
    max(Self.leastProcesses, MultipleTests.processesNeeded(cases: cases, rate: rule.rate))
  }
}

/// The records of one case in one run.
private struct RecordedCase {
  let records: [Record]
  /// The logarithm of the median time of each process that measured the case. Two runs should be compared by
  /// these medians, because the individual times of one process are not independent.
  let ofProcesses: [Double]

  init(_ records: [Record] = []) {
    self.records = records
    let byProcess = Dictionary(grouping: records.filter(\.isMeasured), by: \.process)
    ofProcesses = byProcess.values.compactMap { rows in
      Statistics.median(rows.compactMap(\.realTime)).map { log($0) }
    }.sorted()
  }

  var times: [Double] { records.compactMap(\.realTime) }

  /// The logarithms of all times. Times of one process are not independent, because they share memory pages
  /// and the load on the machine.
  var logTimes: [Double] { records.filter(\.isMeasured).compactMap(\.realTime).map { log($0) } }
}

/// The change of the machine's own speed between two runs, as logarithms of time ratios. The change is
/// measured with code that is identical in both builds, so it is not caused by a difference between the
/// builds.
private struct MachineShift {
  /// The slowdown of an arithmetic loop from the first run to the second, or nil if one of the runs did not
  /// time this loop. A run times the loop together with each workload.
  let arithmetic: Double?
  /// The median slowdown, over all workloads, of the memcpy that is timed together with each workload's
  /// blurs. It is nil if the two runs have no workload in common.
  let copying: Double?

  init(_ base: [String: RecordedCase], _ head: [String: RecordedCase]) {
    let probes = [base, head].map { cases in
      Statistics.median(cases.values.flatMap { $0.records.compactMap(\.probeTime) })
    }
    arithmetic = probes[0].flatMap { old in probes[1].map { log($0 / old) } }
    let copies = [base, head].map { cases in
      cases.filter { $0.value.records.contains(where: \.isCopy) }
        .compactMapValues { Statistics.median($0.ofProcesses) }
    }
    copying = Statistics.median(
      copies[0].compactMap { name, old in copies[1][name].map { $0 - old } })
  }

  /// The range of slowdowns of a blur that can be explained by a slower machine alone, as logarithms of time
  /// ratios. It is the smallest range that contains 0, the slowdown of the arithmetic loop and the slowdown
  /// of memcpy. The speed of a blur can depend on arithmetic, on the memory, or on both.
  var explained: ClosedRange<Double> {
    let shifts = [0] + [arithmetic, copying].compactMap(\.self)
    return (shifts.min() ?? 0)...(shifts.max() ?? 0)
  }

  /// Whether the slowdown of the machine was measured, both with arithmetic and with memory copies.
  var isKnown: Bool { arithmetic != nil && copying != nil }

  /// A phrase that says how much slower the machine became for arithmetic and for memory copies, or nil if
  /// neither slowdown was measured.
  var words: String? {
    let parts = [("a fixed loop of arithmetic", arithmetic), ("memcpy", copying)].compactMap { name, shift in
      shift.map { "\(name) \(NumberText.change(exp($0)))" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
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
