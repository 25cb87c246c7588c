import BlurMeasurement
import BlurRecords
import Foundation

/// Compares the times of a base, such as an old build, with the times of one or more heads, such as a new
/// build. The measurements are repeated in several trials. In each trial, base and head are timed alternately
/// in new processes.
///
/// A comparison is made in stages. The first stage measures all cases. Each further stage measures again only
/// the cases that seem to have changed or whose result is still unclear. The order of base and head is
/// reversed from stage to stage.
public final class PairedComparison {
  /// The state of a running comparison, for a progress display.
  public struct Progress: Sendable {
    public var stage: Int, trial: Int, trials: Int, cases: Int
    /// The number of seconds since the start of the comparison, and the time budget in seconds. No trial
    /// begins after the budget is used up.
    public var elapsed: Double, budget: Double
  }

  private let names: [[String]]
  private let paired: PairedTrials
  private let heads: [Int]
  private let control: Int
  private var count: Int { names.count }
  private let options: ComparisonOptions
  private let progress: (Progress) -> Void
  /// The rules that decide which changes count. `requested` has the threshold that the user requested.
  /// `rules` has one rule for each case, with a higher threshold if the times of the case are noisy.
  private let requested: Rule
  private var rules: [Rule]
  /// The evidence on whether the heads differ from the base. The array begins with all cases of the first
  /// head, followed by all cases of the second head, and so on.
  private var changes: [CaseEvidence]
  /// The evidence on whether two measurements of the base differ, for each case.
  private var controls: [CaseEvidence]
  private let clock = ContinuousClock()
  private let beginning = ContinuousClock.now

  /// Prepares a comparison of the base, which is the first candidate, with all other candidates. The last
  /// candidate must be a second copy of the base, which is called the control. The difference between the
  /// base and the control shows how noisy the machine is.
  ///
  /// - Parameters:
  ///   - names: The names of each case, one for each candidate except the control. The first name is the
  ///     base's. The names of a case differ if the candidates are different kernels. The control needs no
  ///     name, because it uses the base's name.
  ///   - candidates: The candidates to time, such as two builds and the control.
  ///   - options: The options for the comparison.
  ///   - generator: Shuffles the cases of each trial.
  ///   - progress: A function that is called before each trial.
  ///   - start: Starts the processes of a trial.
  init(
    _ names: [[String]], _ candidates: [Candidate], _ options: ComparisonOptions,
    generator: any RandomNumberGenerator = SystemRandomNumberGenerator(),
    progress: @escaping (Progress) -> Void = { _ in }, start: @escaping PairedTrials.Start
  ) {
    self.names = names
    paired = PairedTrials(
      count: names.count, candidates, options, generator: generator, start: start)
    heads = Array(1..<candidates.count - 1)
    control = candidates.count - 1
    self.options = options
    self.progress = progress
    var requested = Rule(threshold: options.threshold ?? ComparisonOptions.leastThreshold)
    requested.isEachAlone = options.judgesEachAlone
    self.requested = requested
    rules = Array(repeating: requested, count: names.count)
    changes = Array(repeating: CaseEvidence(), count: names.count * heads.count)
    controls = Array(repeating: CaseEvidence(), count: names.count)
  }

  /// The smallest number of pairs per case that can prove a change in a single case. A pair is one
  /// measurement of the base and one of the head. The more cases are compared, the more pairs are needed (see
  /// ``MultipleTests``).
  public var pairsNeeded: Int { MultipleTests.pairsNeeded(cases: count * heads.count, rate: requested.rate) }

  /// The number of pairs of base and head times that are measured per case before the cases are judged.
  /// Undecided cases are then measured again with the same number of pairs.
  public var trials: Int {
    options.isSameBuild ? 1 : options.pairs ?? max(ComparisonOptions.leastPairs, pairsNeeded)
  }

  /// Measures all cases, judges them, and measures the undecided cases again. The measurement stops when
  /// every case is decided, when the time budget is used up, or after the maximum number of stages.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if the process of a build cannot be started.
  public func measure() throws(MeasurementError) {
    var open = Array(0..<count)
    for stage in 0..<(options.isSameBuild ? 1 : options.mostStages) where !open.isEmpty && isInBudget {
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

  private var elapsed: Double { (clock.now - beginning) / .seconds(1) }
  private var isInBudget: Bool { elapsed < options.budget }

  /// Returns whether a case must be measured further. There are two possible reasons. Either it is still
  /// unclear whether the base and the head take the same time, or two measurements of the base seem to
  /// differ, which means that the machine may be unsteady.
  private func isOpen(_ index: Int) -> Bool {
    let isUndecided = { [self] (place: Int) in
      paired.states[index].places.contains(place) && evidence(index, place).isOpen(requested)
    }
    let isSuspect = controls[index].isFlagged && isUndecided(control)
    return paired.isTimed(index) && (isSuspect || heads.contains(where: isUndecided))
  }

  /// Returns the evidence on whether a candidate differs from the base in one case.
  private func evidence(_ index: Int, _ place: Int) -> CaseEvidence {
    place == control ? controls[index] : changes[(place - 1) * count + index]
  }

  // MARK: Judging the evidence

  private func judge() {
    for index in 0..<count {
      let ratios = paired.states[index].logRatios
      for place in heads { changes[(place - 1) * count + index].update(.paired(ratios[place])) }
      controls[index].update(.paired(ratios[control]))
      if options.threshold == nil {
        rules[index].threshold = max(requested.threshold, controls[index].noise(requested) ?? 0)
      }
    }
    CaseEvidence.judge(&changes, beside: heads.flatMap { _ in controls }, heads.flatMap { _ in rules })
    CaseEvidence.judge(&controls, rules)
  }

  // MARK: Building the result

  /// Returns the result of the comparison. The arguments are the names of the base and the head, and the
  /// method by which the times were measured.
  public func result(base: String, head: String, method: Comparison.Method) -> Comparison {
    var cases: [CaseComparison] = []
    var reasons: [String] = []
    for index in 0..<count {
      for place in heads {
        // If two different kernels are compared, one of them may support fewer cases. That is not a
        // regression.
        if names[index][place] != names[index][0], let reason = unsupported(index, place) {
          reasons.append(reason)
        } else {
          cases.append(row(index, place))
        }
      }
    }
    let noise = self.noise(of: cases.count)
    var comparison = Comparison(
      base: base, head: head, method: method, threshold: requested.threshold, noise: noise, cases: cases,
      caveats: caveats(cases), notes: Self.notes(reasons) + notes(cases, noise),
      acceptsSlower: options.acceptsSlower ? true : nil)
    // If two measurements of the same base differ, the user is not advised to measure longer, because the
    // machine is unsteady and longer measurements would not help.
    comparison.shortage = (0..<count).contains(where: isMoved) ? nil : shortage(cases)
    return comparison
  }

  /// Returns the reason why one of the two kernels does not support a case. The result is nil if both kernels
  /// support the case, or if one of them has failed.
  private func unsupported(_ index: Int, _ place: Int) -> String? {
    [0, place].map { paired.states[index].findings[$0] }.first(where: \.isUnsupported)?.problem
  }

  /// Returns notes for the user on the cases that were not compared, with one note per reason.
  private static func notes(_ reasons: [String]) -> [String] {
    reasons.uniqued.map { reason in
      "not compared: \(reasons.count { $0 == reason }.of("case")): \(reason)"
    }
  }

  private func row(_ index: Int, _ place: Int) -> CaseComparison {
    let (state, evidence, rule) = (paired.states[index], evidence(index, place), rule(index, place))
    let (base, head) = (names[index][0], names[index][place])
    var row = CaseComparison(
      head, baseName: head == base ? nil : base, base: (state.findings[0], state.times[0]),
      head: (state.findings[place], state.times[place]), evidence, rule, options)
    if options.isSameBuild {
      (row.ratio, row.p) = (nil, nil)
      if row.base.problem == row.head.problem { row.verdict = .same }
      return row
    }
    row.control = controls[index].ratio(rule)
    guard row.ratio != nil else { return row }
    if rule.threshold > requested.threshold { row.threshold = rule.threshold }
    if isMoved(index) {
      row.caveat = "two measurements of the base differ"
    } else if isTooNoisy(rule), [.same, .notSlower, .unclear].contains(row.verdict) {
      row.verdict = .unclear
      row.caveat = Self.tooNoisy
    }
    row.smallestDetectable = evidence.smallestDetectable(among: count * heads.count, rule)
    return row
  }

  /// Returns the noise of the comparison (see ``Comparison/noise``).
  private func noise(of cases: Int) -> Double? {
    options.isSameBuild
      ? nil
      : Statistics.quantile(
        cases < Comparison.fewCases ? 1 : 0.95,
        of: controls.compactMap { $0.noise(requested) })
  }

  /// Returns whether two measurements of the same base differ significantly in this case. Such a difference
  /// means that the machine was not steady.
  private func isMoved(_ index: Int) -> Bool {
    [.regressed, .improved].contains(controls[index].verdict(rules[index]))
  }

  /// Returns the rule for judging the times of one case. If the times are noisy, the threshold of the rule is
  /// higher than requested, because small changes do not stand out from noise. The requested threshold is
  /// kept if it suffices to prove that the new version (head) is not slower.
  private func rule(_ index: Int, _ place: Int) -> Rule {
    let verdict = evidence(index, place).verdict(requested)
    return verdict == .same || verdict == .notSlower ? requested : rules[index]
  }

  /// Returns whether the times of a case are too noisy to call the case unchanged. Noise normally raises the
  /// threshold above which a case counts as changed. If the user has chosen the threshold, noise does not
  /// raise it, and the result is false.
  private func isTooNoisy(_ rule: Rule) -> Bool {
    options.threshold == nil && rule.threshold > ComparisonOptions.mostNoise
  }

  /// The caveat for a case that is too noisy. All such cases have exactly this caveat, so that they can be
  /// counted.
  private static let tooNoisy =
    "too noisy: two measurements of the base differ by more than \(Int(ComparisonOptions.mostNoise * 100)) %"

  private func caveats(_ cases: [CaseComparison]) -> [String] {
    var caveats: [String] = []
    let moved = (0..<count).filter(isMoved)
    if let first = moved.first {
      caveats.append(
        "two measurements of the base differ in \(moved.count) of \(count) cases, such as "
          + "\(names[first][0]), so the machine is not steady; close other programs, and compare again")
    }
    if let least = leastPairs(cases), least < pairsNeeded {
      caveats.append(
        "too few pairs of measurements: \(least) \(least == 1 ? "was" : "were") made, but \(pairsNeeded) are "
          + "needed to find one change among \((count * heads.count).of("case"))")
    }
    return caveats
  }

  /// Returns the number of measured pairs of the case with the fewest pairs, or nil if no case was timed.
  private func leastPairs(_ cases: [CaseComparison]) -> Int? {
    cases.filter { $0.ratio != nil }.map(\.pairs).min()
  }

  /// Returns a sentence that says why too few pairs were measured, and which command-line option allows more
  /// pairs. Returns nil if enough pairs were measured.
  private func shortage(_ cases: [CaseComparison]) -> String? {
    if !isInBudget, undecided(cases) > 0 {
      return "the budget of \(options.budget.formatted()) s is spent; raise --budget, or compare fewer cases"
    }
    guard let least = leastPairs(cases), least < pairsNeeded else { return nil }
    let subject = least == 1 ? "pair of measurements is" : "pairs of measurements are"
    return "\(least) \(subject) too few to find a change of a single case "
      + "(\(pairsNeeded) are needed); raise --pairs, or compare fewer cases"
  }

  /// Returns how many cases are undecided, because it is still unclear whether the times of base and head
  /// differ. More pairs of measurements could decide these cases.
  private func undecided(_ cases: [CaseComparison]) -> Int {
    cases.count {
      $0.verdict == .unclear && $0.caveat == nil && $0.base.problem == nil && $0.head.problem == nil
    }
  }

  private func notes(_ cases: [CaseComparison], _ noise: Double?) -> [String] {
    if options.isSameBuild {
      return [
        "base and head are the same build, so only results and limits were checked; to time both, use --pairs"
      ]
    }
    var notes: [String] = []
    let open = undecided(cases)
    if let shortage = shortage(cases) {
      notes.append(shortage)
    } else if open > 0 {
      notes.append(
        "\(open) of \(cases.count) cases are still undecided after the maximum of "
          + "\(options.mostStages) stages with \(trials) pairs each; raise --pairs")
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
