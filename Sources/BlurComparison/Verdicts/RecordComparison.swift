import BlurRecords
import Foundation

/// Compares records of two runs: not measured together, so that only large changes count.
public struct RecordComparison {
  /// Medians of identical code in two runs on a virtual machine with two cores differ by more than a fifth one time in
  /// twenty. Well above that, a change can be told.
  public static let threshold = 0.3

  private let base: [String: [Record]], head: [String: [Record]]
  private let names: [String]
  private let options: ComparisonOptions
  private var rule: Rule

  /// Prepares a comparison of the cases that both have.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` where the records are of different machines.
  public init(_ base: [Record], _ head: [Record], _ options: ComparisonOptions) throws(MeasurementError) {
    let keys = [base, head].map { Set($0.map(\.machineKey)).sorted() }
    guard Set(keys.joined()).count <= 1 else {
      throw .failed(
        "the records are of different machines (keys \(keys[0].joined(separator: ", ")) and "
          + "\(keys[1].joined(separator: ", "))): times of different machines are not compared")
    }
    self.base = Dictionary(grouping: base, by: \.name)
    self.head = Dictionary(grouping: head, by: \.name)
    var seen: Set<String> = []
    names = (base + head).filter { !$0.isCopy && seen.insert($0.name).inserted }.map(\.name)
    self.options = options
    rule = Rule(threshold: options.threshold ?? Self.threshold)
  }

  /// What the records say.
  public func result(base baseTitle: String, head headTitle: String) -> Comparison {
    let both = names.compactMap { name in
      base[name].flatMap { base in head[name].map { head in (name: name, base: base, head: head) } }
    }
    let tests = both.map { RankSum(Self.times($0.base), Self.times($0.head)) }
    let ps = MultipleTests.benjaminiHochberg(
      tests.map { min(1, 2 * min($0.p(above: rule.margin), $0.p(below: -rule.margin))) })
    let cases = both.indices.map { index in
      row(both[index].name, both[index].base, both[index].head, tests[index], p: ps[index])
    }
    return Comparison(
      base: baseTitle, head: headTitle, method: .records, threshold: rule.threshold, cases: cases,
      caveats: caveats(cases), notes: notes)
  }

  private static func times(_ records: [Record]) -> [Double] {
    records.compactMap(\.realTime).map { log($0) }
  }

  private func row(
    _ name: String, _ base: [Record], _ head: [Record], _ test: RankSum, p: Double
  ) -> CaseComparison {
    var row = CaseComparison(name: name)
    let (old, new) = (Findings(base), Findings(head))
    row.base = side(base, old)
    row.head = side(head, new)
    row.faults = FaultFinder(comparesErrors: true, comparesOutputs: !options.acceptsOutputs)
      .faults(base: old, head: new)
    row.pairs = min(Self.times(base).count, Self.times(head).count)
    guard let estimate = test.estimate, row.pairs > 0 else { return row }
    guard let interval = test.interval(confidence: rule.confidence) else {
      row.ratio = Ratio(estimate: exp(estimate), low: 0, high: .greatestFiniteMagnitude)
      return row
    }
    row.ratio = Ratio(logarithm: estimate, interval)
    row.p = p
    if p <= rule.rate {
      row.verdict = estimate > 0 ? .regressed : .improved
    } else if -rule.limit < interval.lowerBound && interval.upperBound < rule.limit {
      row.verdict = .same
    }
    return row
  }

  private func side(_ records: [Record], _ findings: Findings) -> CaseComparison.Side {
    var side = CaseComparison.Side()
    side.time = Statistics.median(records.compactMap(\.realTime))
    side.maxErrorLevels = findings.maxErrorLevels
    side.outputHash = findings.outputHash
    side.problem = findings.problem
    return side
  }

  private func caveats(_ cases: [CaseComparison]) -> [String] {
    let timed = cases.filter { $0.ratio != nil }
    guard let samples = timed.map(\.pairs).min() else { return [] }
    let least = 2 * exp(2 * lgamma(Double(samples) + 1) - lgamma(Double(2 * samples) + 1))
    guard least > rule.rate / Double(timed.count) else { return [] }
    return [
      "cannot detect: \(samples) samples of each case are too few for one change among \(timed.count) cases; "
        + "measure with more --repetitions"
    ]
  }

  private var notes: [String] {
    let isWidened = options.threshold == nil
    let gone = names.filter { head[$0] == nil }
    let new = names.filter { base[$0] == nil }
    return [
      "the two sides were not measured together: times drift between runs"
        + (isWidened ? ", so that the threshold is \(Int(rule.threshold * 100)) %" : ""),
      gone.isEmpty ? nil : "only in the base: \(gone.count) cases, such as \(gone[0])",
      new.isEmpty ? nil : "only in the head: \(new.count) cases, such as \(new[0])",
    ].compactMap(\.self)
  }
}

extension Findings {
  /// What records say of their case.
  fileprivate init(_ records: [Record]) {
    self.init()
    outputHash = records.compactMap(\.outputHash).first
    maxErrorLevels = records.compactMap(\.maxErrorLevels).max()
    if let failure = records.first(where: { $0.errorOccurred || $0.isSkipped }) {
      problem = failure.errorMessage
      isWrong = failure.errorOccurred
    }
  }
}
