import BlurText

extension Comparison {
  /// The verdict in one sentence.
  public var sentence: String {
    let total = "of \(cases.count.of("case"))"
    switch outcome {
    case .good where cases.contains { $0.verdict == .regressed || !$0.faults.isEmpty }:
      return "Accepted: \(parts) \(total)"
    case .good: return "\(method == .kernels ? "Not slower" : "No regression"): \(parts) \(total)"
    case .regressed:
      let isSlowerKernel = method == .kernels && cases.allSatisfy(\.openFaults.isEmpty)
      return "\(isSlowerKernel ? "Slower" : "Regression"): \(parts) \(total)"
    case .cannotTell:
      let title = isStrict == true ? "Not decided, which --strict treats as a failure" : "Cannot tell"
      return "\(title): \(caveat ?? "\(parts) \(total)")"
    }
  }

  /// The notes that are not already part of ``sentence``.
  var furtherNotes: [String] { notes.filter { !sentence.contains($0) } }

  /// The reason why the comparison as a whole is undecided, or nil if there is no reason other than undecided
  /// cases.
  private var caveat: String? {
    if cases.isEmpty { return "no case could be compared" }
    if cases.allSatisfy(\.isUntimed) {
      return "nothing was measured: no case has a time in either version"
    }
    if let shortage {
      let timed = cases.filter { !$0.isUntimed }
      let decided = timed.count(where: isDecided)
      return (decided < timed.count ? "\(decided) of \(timed.count.of("case")) decided; " : "") + shortage
    }
    let missing = cases.count { $0.status == .missing }
    if missing > 0 {
      let others = missing < cases.count ? "; \(parts)" : ""
      let are = missing == 1 ? "is" : "are"
      return "\(missing) of \(cases.count.of("case")) \(are) missing in the new version (head)\(others)"
    }
    return caveats.isEmpty ? nil : "the times cannot be trusted"
  }

  /// The number of cases with each verdict, in words, such as "2 slower, 5 the same". If the times are not
  /// trusted, the text lists only the cases that count as failures, and then the number of all other cases.
  private var parts: String {
    let failures = cases.filter(isFailure)
    let trusted = caveats.isEmpty ? cases : failures
    let isTimeless = { (item: CaseComparison) in item.faults.isEmpty && item.isUntimed }
    let untimed = cases.count(where: isTimeless)
    let untrusted = caveats.isEmpty ? 0 : cases.count { !isFailure($0) && !isTimeless($0) }
    let accepted = trusted.count { $0.status == .accepted }
    let faster = trusted.count { $0.status == .accepted && $0.verdict == .improved }
    // Missing cases are added to this list only if there is a regression. Without a regression, the sentence
    // already begins with their number.
    let missing = outcome == .regressed ? trusted.count { $0.status == .missing } : 0
    let count = { (verdict: Verdict) in
      trusted.count { $0.verdict == verdict && $0.openFaults.isEmpty && $0.status != .accepted }
    }
    // A case can have several faults, but is counted only once. The sentence uses the first word in the list
    // ``words`` that stands for one of the faults of the case.
    let words = failures.compactMap { item in
      Self.words.first { !$0.kinds.isDisjoint(with: item.openFaults.map(\.kind)) }?.word
    }
    let counts =
      Self.words.map { word, _ in (words.count { $0 == word }, word) } + [
        (count(.regressed), acceptsSlower == true && outcome == .regressed ? "slower, accepted" : "slower"),
        (accepted, (outcome == .good ? "changed" : "accepted") + (faster > 0 ? " (\(faster) faster)" : "")),
        (missing, "missing"),
        (count(.suspect), "possibly slower"), (count(.improved), "faster"),
        (count(.same), "the same" + (untimed > 0 ? " (\(untimed) not timed)" : "")),
        (count(.notSlower), "not slower"), (count(.unclear), "undecided"),
        (untrusted, shortage == nil ? "with untrusted times" : "undecided"),
        (caveats.isEmpty ? 0 : untimed, "not timed"),
      ]
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// The words for faults in the summary sentence, such as "wrong" in "2 wrong, 1 refused". Each word stands
  /// for one or more kinds of faults.
  private static let words: [(word: String, kinds: Set<Fault.Kind>)] = [
    ("wrong", [.wrong]), ("changed", [.promise, .error, .output]), ("refused", [.refused]),
    ("gone", [.gone]), ("over the limit", [.limit]), ("with more instructions", [.instructions]),
  ]

  /// A one-line summary of a comparison of records. For wrong results, slower cases and faster cases, the
  /// line gives the number of cases and one example. It ends with the number of cases without a clear change.
  public var line: String {
    let changed = cases.filter { $0.status.isChange && $0.openFaults.isEmpty && $0.status != .accepted }
    let labels = CaseLabels(cases.map(\.name))
    let slower = changed.filter { $0.ratio.map { $0.estimate > 1 } ?? false }
    let faster = changed.filter { $0.ratio.map { $0.estimate < 1 } ?? false }
    let wrong = cases.filter { !$0.openFaults.isEmpty }
    let parts = [
      wrong.isEmpty
        ? nil
        : "\(wrong.count.of("case")) with wrong or changed results "
          + "(\(labels[wrong[0].name]): \(wrong[0].remarks.first ?? ""))",
      Self.part(slower, "slower", labels, by: >), Self.part(faster, "faster", labels, by: <),
    ].compactMap(\.self)
    guard !parts.isEmpty else { return "no clear change in \(cases.count.of("case"))" }
    let alike = cases.count - slower.count - faster.count - wrong.count
    return parts.joined(separator: "; ") + "; no clear change in the other \(alike)"
  }

  private static func part(
    _ cases: [CaseComparison], _ word: String, _ labels: CaseLabels, by order: (Double, Double) -> Bool
  ) -> String? {
    let worst = cases.min { order($0.ratio?.estimate ?? 1, $1.ratio?.estimate ?? 1) }
    return worst.map {
      "\(cases.count.of("case")) may be \(word) "
        + "(\(labels[$0.name]) takes \(($0.ratio?.estimate ?? 1).fixed(2))x as long)"
    }
  }
}
