import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// Compares candidates by paired trials. The first stage measures all cases. Each further stage measures only
/// the cases that are flagged or undecided, and reverses the order of the candidates.
public final class PairedComparison {
  /// The names of one case on the two sides.
  public struct Pair: Sendable {
    /// The name of the case on the base and its name on the head.
    public var base: String, head: String

    /// Creates a pair.
    public init(base: String, head: String) {
      self.base = base
      self.head = head
    }
  }

  /// The progress of a comparison.
  public struct Progress: Sendable {
    public var stage: Int, trial: Int, trials: Int, cases: Int
    /// The number of seconds since the start, and the number of seconds after which the budget is used up.
    public var elapsed: Double, budget: Double
  }

  private let pairs: [[Pair]]
  private let paired: PairedTrials
  private let heads: [Int]
  private let control: Int
  private var count: Int { pairs.count }
  private let options: ComparisonOptions
  private let progress: (Progress) -> Void
  /// The rule that the user requested, and for each case the rule that its noise permits.
  private let requested: Rule
  private var rules: [Rule]
  /// The measured evidence, indexed by candidate and then by case.
  private var evidence: [[CaseEvidence]]
  private var ps: [[Double]]
  private let clock = ContinuousClock()
  private let start = ContinuousClock.now

  /// Prepares a comparison of the first candidate with all others. The last candidate must be the first one
  /// again and serves as the control.
  ///
  /// - Parameters:
  ///   - pairs: For each case, the names of the case on the base and on each head.
  ///   - candidates: The candidates to time.
  ///   - options: The options for the comparison.
  ///   - generator: Shuffles the cases of each trial.
  ///   - progress: A function that is called before each trial.
  ///   - tracks: Starts the processes of a trial.
  public init(
    _ pairs: [[Pair]], _ candidates: [Candidate], _ options: ComparisonOptions,
    generator: any RandomNumberGenerator = SystemRandomNumberGenerator(),
    progress: @escaping (Progress) -> Void = { _ in }, tracks: @escaping PairedTrials.Tracks
  ) {
    self.pairs = pairs
    paired = PairedTrials(
      count: pairs.count, candidates, options.sampling, generator: generator, tracks: tracks)
    heads = Array(1..<candidates.count - 1)
    control = candidates.count - 1
    self.options = options
    self.progress = progress
    var requested = Rule(threshold: options.threshold ?? ComparisonOptions.leastThreshold)
    requested.isEachAlone = options.judgesEachAlone
    self.requested = requested
    rules = Array(repeating: requested, count: pairs.count)
    evidence = candidates.map { _ in Array(repeating: CaseEvidence(), count: pairs.count) }
    ps = candidates.map { _ in Array(repeating: 1, count: pairs.count) }
  }

  /// The number of pairs of measurements that are needed so that a change in a single case can be found at
  /// all.
  public var pairsNeeded: Int { MultipleTests.pairsNeeded(cases: count * heads.count, rate: requested.rate) }

  /// The number of pairs of measurements that each stage takes of a case.
  public var trials: Int { options.pairs ?? max(ComparisonOptions.leastPairs, pairsNeeded) }

  /// Measures until every case is decided, or until all stages or the time budget are used up.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if a side cannot be started.
  public func measure() throws(MeasurementError) {
    var open = Array(0..<count)
    for stage in 0..<options.mostStages where !open.isEmpty && isInBudget {
      for trial in 0..<trials where isInBudget {
        progress(
          Progress(
            stage: stage, trial: trial, trials: trials, cases: open.count, elapsed: elapsed,
            budget: options.budget))
        try paired.trial(of: open, isReversed: stage % 2 == 1) { self.isInBudget }
      }
      judge()
      open = open.filter { isOpen($0) }
    }
  }

  private var elapsed: Double { (clock.now - start) / .seconds(1) }
  private var isInBudget: Bool { elapsed < options.budget }

  /// Returns whether a case needs more data, because it is undecided or because its base seems to differ from
  /// itself.
  private func isOpen(_ index: Int) -> Bool {
    let isUndecided = { [self] (place: Int) in
      paired.states[index].places.contains(place) && evidence[place][index].isOpen(requested)
    }
    let isSuspect = evidence[control][index].isFlagged && isUndecided(control)
    return paired.isTimed(index) && (isSuspect || heads.contains(where: isUndecided))
  }

  // MARK: Judging the evidence

  private func judge() {
    for place in evidence.indices.dropFirst() {
      for index in 0..<count { evidence[place][index].update(paired.states[index].logRatios[place]) }
    }
    if options.threshold == nil {
      for index in 0..<count {
        rules[index].threshold = max(requested.threshold, evidence[control][index].noise(requested) ?? 0)
      }
    }
    for family in [heads, [control]] {
      let all = family.flatMap { place in zip(evidence[place], rules).map { $0.p($1) } }
      let adjusted = requested.adjusted(all)
      for (number, place) in family.enumerated() {
        ps[place] = Array(adjusted[number * count..<(number + 1) * count])
        for index in 0..<count { evidence[place][index].flag(p: ps[place][index], rules[index]) }
      }
    }
    markClear()
  }

  /// Marks the cases in which the head is slower beyond doubt, so that no further measurements are needed to
  /// confirm the slowdown.
  private func markClear() {
    let all = heads.flatMap { place in
      (0..<count).map { evidence[place][$0].pClear(beside: evidence[control][$0], rules[$0]) }
    }
    for (number, p) in requested.adjusted(all).enumerated() {
      evidence[heads[number / count]][number % count].isClear = p <= requested.clearRate
    }
  }

  // MARK: Building the result

  /// Returns the result of the comparison.
  ///
  /// - Parameters:
  ///   - base: The name of the base.
  ///   - head: The name of the head.
  ///   - method: The way in which the times were measured.
  public func result(base: String, head: String, method: Comparison.Method) -> Comparison {
    var cases: [CaseComparison] = []
    var refusals: [String] = []
    for index in 0..<count {
      for (number, place) in heads.enumerated() {
        let pair = pairs[index][number]
        // If two different kernels are compared, one of them may support fewer cases. That is not a
        // regression.
        if pair.base != pair.head, let refusal = refusal(index, place) {
          refusals.append(refusal)
        } else {
          cases.append(row(index, place, pair))
        }
      }
    }
    let noise = self.noise(of: cases.count)
    var comparison = Comparison(
      base: base, head: head, method: method, threshold: requested.threshold, noise: noise, cases: cases,
      caveats: caveats(cases), notes: Self.notes(refusals) + notes(cases, noise),
      acceptsSlower: options.acceptsSlower)
    // If the base differs from itself, the machine is not steady, and measuring more pairs would not help.
    comparison.shortage = (0..<count).contains(where: isMoved) ? nil : shortage(cases)
    return comparison
  }

  /// Returns the reason why one of two kernels does not support a case, or nil if both support it or one has
  /// failed.
  private func refusal(_ index: Int, _ place: Int) -> String? {
    [0, place].map { paired.states[index].findings[$0] }.first(where: \.isUnsupported)?.problem
  }

  /// Returns a note for each reason why cases were not compared.
  private static func notes(_ refusals: [String]) -> [String] {
    refusals.uniqued.map { reason in
      "not compared: \(refusals.count { $0 == reason }.of("case")): \(reason)"
    }
  }

  private func row(_ index: Int, _ place: Int, _ pair: Pair) -> CaseComparison {
    let (state, rule) = (paired.states[index], rule(index, place))
    let evidence = evidence[place][index]
    var row = CaseComparison(name: pair.head)
    row.base = side(state, 0)
    row.head = side(state, place)
    let isSame = pair.base == pair.head
    row.baseName = isSame ? nil : pair.base
    row.faults = FaultFinder(comparesResults: isSame, options)
      .faults(base: state.findings[0], head: state.findings[place])
    if row.head.problem == nil {
      row.faults += options.limits(pair.head).flatMap {
        $0.violations(times: state.times[place], levels: row.head.maxErrorLevels)
      }.map { Fault(.limit, $0) }
    }
    row.ratio = evidence.ratio(rule)
    row.control = self.evidence[control][index].ratio(rule)
    row.pairs = evidence.values.count
    if state.isUntimed(place) { row.verdict = .same }
    guard !evidence.values.isEmpty else { return row }
    row.p = ps[place][index]
    row.verdict = evidence.verdict(rule)
    if rule.threshold > requested.threshold { row.threshold = rule.threshold }
    if isMoved(index) {
      row.caveat = "two measurements of the base differ"
    } else if isTooNoisy(rule), [.same, .notSlower, .unclear].contains(row.verdict) {
      row.verdict = .unclear
      row.caveat = Self.tooNoisy
    }
    row.smallestDetectable = SignedRank(evidence.values).detectable(
      beyond: rule.margin, significance: rule.rate / 2 / Double(count * heads.count), power: 0.95
    ).map { exp($0) - 1 }
    return row
  }

  /// Returns the relative noise: how far the confidence intervals of the control extend from a ratio of 1.
  /// The value covers 95 of 100 cases, or all cases if there are only a few.
  private func noise(of cases: Int) -> Double? {
    Statistics.quantile(
      cases < Comparison.fewCases ? 1 : 0.95,
      of: evidence[control].compactMap { $0.noise(requested) })
  }

  private func side(_ state: PairedTrials.CaseState, _ place: Int) -> CaseComparison.Side {
    var side = CaseComparison.Side()
    side.time = Statistics.median(state.times[place])
    side.maxErrorLevels = state.findings[place].maxErrorLevels
    side.outputHash = state.findings[place].outputHash
    side.problem = state.findings[place].problem
    return side
  }

  /// Returns whether the base is proven to differ from itself.
  private func isMoved(_ index: Int) -> Bool {
    [.regressed, .improved].contains(evidence[control][index].verdict(rules[index]))
  }

  /// Returns the rule for judging a head in one case. The requested rule applies if the data prove with it
  /// that the head is not slower, however noisy the base is. Otherwise the rule for the case's noise applies.
  private func rule(_ index: Int, _ place: Int) -> Rule {
    let verdict = evidence[place][index].verdict(requested)
    return verdict == .same || verdict == .notSlower ? requested : rules[index]
  }

  /// Returns whether the base differs from itself by so much that no case can be proven to be the same. If
  /// the user named a threshold, the answer is always false.
  private func isTooNoisy(_ rule: Rule) -> Bool {
    options.threshold == nil && rule.threshold > ComparisonOptions.mostNoise
  }

  /// The message does not name the threshold of the case, because the table already shows it. All such cases
  /// have the same message, so the notes can count them.
  private static let tooNoisy =
    "too noisy: two measurements of the base differ by more than \(Int(ComparisonOptions.mostNoise * 100)) %"

  private func caveats(_ cases: [CaseComparison]) -> [String] {
    var caveats: [String] = []
    let moved = (0..<count).filter(isMoved)
    if let first = moved.first {
      caveats.append(
        "two measurements of the base differ in \(moved.count) of \(count) cases, such as "
          + "\(pairs[first][0].base), so the machine is not steady; close other programs, and compare again")
    }
    if let least = leastPairs(cases), least < pairsNeeded {
      caveats.append(
        "too few pairs of measurements: \(least) \(least == 1 ? "was" : "were") made, but \(pairsNeeded) are "
          + "needed to find one change among \((count * heads.count).of("case"))")
    }
    return caveats
  }

  /// Returns the smallest number of pairs of measurements of any case, or nil if no case was timed.
  private func leastPairs(_ cases: [CaseComparison]) -> Int? {
    cases.filter { $0.ratio != nil }.map(\.pairs).min()
  }

  /// Returns the reason why too little was measured and the option to raise, or nil if enough was measured.
  private func shortage(_ cases: [CaseComparison]) -> String? {
    if !isInBudget, undecided(cases) > 0 {
      return "the budget of \(options.budget.formatted()) s is spent; raise --budget, or compare fewer cases"
    }
    guard let least = leastPairs(cases), least < pairsNeeded else { return nil }
    let subject = least == 1 ? "pair of measurements is" : "pairs of measurements are"
    return "\(least) \(subject) too few to find a change of a single case "
      + "(\(pairsNeeded) are needed); raise --pairs, or compare fewer cases"
  }

  /// Returns the number of cases that could be decided with more pairs of measurements.
  private func undecided(_ cases: [CaseComparison]) -> Int {
    cases.count {
      $0.verdict == .unclear && $0.caveat == nil && $0.base.problem == nil && $0.head.problem == nil
    }
  }

  private func notes(_ cases: [CaseComparison], _ noise: Double?) -> [String] {
    var notes: [String] = []
    let open = undecided(cases)
    if let shortage = shortage(cases) {
      notes.append(shortage)
    } else if open > 0 {
      notes.append(
        "\(open) of \(cases.count) cases are still undecided after \(options.mostStages) times \(trials) "
          + "pairs, which is the maximum; raise --pairs")
    }
    if paired.disturbed > 0 {
      notes.append(
        "\(paired.disturbed) of \(paired.known) samples were disturbed by other programs or virtual machines")
    }
    let noisy = cases.count { $0.caveat == Self.tooNoisy }
    if noisy > 0 {
      notes.append(
        "\(noisy) of \(cases.count) cases are too noisy; close other programs, or set the smallest change "
          + "that matters with --threshold")
    }
    if let noise, options.threshold != nil, noise > requested.threshold {
      notes.append(
        "the noise of this machine is larger than the requested threshold; raise --threshold")
    }
    return notes
  }
}
