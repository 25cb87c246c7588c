import BlurRecords
import BlurText
import Foundation

/// The status of a case in a comparison. Lists of cases are sorted by status. The status comes from the
/// verdict on the time or from a fault such as a wrong result, whichever is most serious.
enum CaseStatus: Equatable {
  case faulty(Fault.Kind)
  case regressed, suspect, missing, unclear, accepted, improved, notSlower, same

  /// All statuses in order, beginning with the most serious one.
  private static let order: [CaseStatus] = [
    .faulty(.wrong), .faulty(.promise), .faulty(.error), .faulty(.limit), .faulty(.refused), .faulty(.gone),
    .regressed, .faulty(.instructions), .faulty(.output), .suspect, .missing, .unclear, .accepted, .improved,
    .notSlower, .same,
  ]

  /// The position of the status in the order of seriousness, where 0 is the most serious.
  var rank: Int { Self.order.firstIndex(of: self) ?? 0 }

  /// Whether a reader should look at the case, because it has changed or may have changed.
  var isChange: Bool { ![.unclear, .notSlower, .same].contains(self) }
}

extension CaseComparison {
  var status: CaseStatus {
    let all = [statusOfTime] + faults.map { $0.isAccepted ? .accepted : .faulty($0.kind) }
    return all.min { $0.rank < $1.rank } ?? statusOfTime
  }

  /// The status that the case has if its faults are ignored.
  fileprivate var statusOfTime: CaseStatus {
    switch verdict {
    case .regressed: .regressed
    case .suspect: .suspect
    // If the new version (head) lacks the kernel or no longer supports the case, this is a fault, and the
    // fault determines the status. The time therefore counts as unchanged here, which is the least serious
    // status.
    case .missing: isMissing ? .same : .missing
    case .improved: .improved
    case .notSlower: .notSlower
    case .same: .same
    case .unclear: isMissing ? .same : .unclear
    }
  }

  /// Remarks on the case for reports. They describe the faults of the case. For a case without faults, they
  /// say why it could not be timed, or why its times are doubtful.
  var remarks: [String] {
    guard faults.isEmpty else {
      return faults.sorted { CaseStatus.faulty($0.kind).rank < CaseStatus.faulty($1.kind).rank }.map {
        ($0.isAccepted ? "accepted: " : "") + "\($0.kind.rawValue): \($0.reason)".plain
      } + layout
    }
    if let reason = head.problem, isUntimed, base.problem == reason { return [reason.plain] }
    let problems = [("base", base.problem), ("head", head.problem)].compactMap { side, problem in
      problem.map { "\(side): \($0)".plain }
    }
    return problems + (caveat.map { [$0.plain] } ?? []) + layout
  }

  /// A remark on a case that is slower although it executes no more instructions than before.
  private var layout: [String] {
    guard verdict == .regressed, let instructionRatio,
      instructionRatio <= 1 + ComparisonOptions.usualInstructionGate
    else { return [] }
    return [
      "instructions \(NumberText.change(instructionRatio)): the same work takes longer "
        + "(see \"Layout of code\" in COMPARING.md)"
    ]
  }

  /// The sort key of cases with the same status. The case with the largest key comes first. The key is the
  /// absolute value of the logarithm of the time ratio, or 0 if the ratio is unknown. For undecided cases,
  /// the logarithm keeps its sign, so that slower cases come before faster ones.
  fileprivate var magnitude: Double {
    guard let ratio, ratio.estimate > 0 else { return 0 }
    return status == .unclear ? log(ratio.estimate) : abs(log(ratio.estimate))
  }
}

extension [CaseComparison] {
  /// Returns the remarks on all cases as lines of text. A remark that applies to several cases is listed
  /// once, with the number of these cases and one of their labels.
  func remarks(_ labels: CaseLabels) -> [String] {
    let all = flatMap { item in item.remarks.map { (label: labels[item.name].cut(to: 200), remark: $0) } }
    return all.inGroups(by: \.remark).map { remark, items in
      "\(items.count > 1 ? "\(items.count) cases, such as " : "")\(items[0].label): \(remark)"
    }
  }
}

extension Comparison {
  /// The cases, sorted by the seriousness of their ``CaseStatus``, and within one status by the size of the
  /// change, largest first. Unchanged cases stay in their original order, unless records of two runs are
  /// compared.
  var sortedCases: [CaseComparison] {
    cases.enumerated().sorted { first, second in
      let (a, b) = (first.element, second.element)
      guard a.status == b.status else { return a.status.rank < b.status.rank }
      let isBySize = (a.status != .same || method == .records) && a.magnitude != b.magnitude
      return isBySize ? a.magnitude > b.magnitude : first.offset < second.offset
    }.map(\.element)
  }

  /// The cases that make the outcome ``Outcome/regressed``.
  var failures: [CaseComparison] { sortedCases.filter(isFailure) }

  /// Returns a short text for the verdict on a case. The text depends on what is compared. For example, if a
  /// case became slower, it is "slower" for two kernels and "regressed" for two builds.
  func word(for item: CaseComparison) -> String {
    // An accepted change of the result says nothing about the time, so the verdict on the time is shown, too.
    let isTimed = item.status == .accepted && !item.isMissing && !item.isUntimed
    return isTimed ? word(for: item.statusOfTime, of: item) + " (accepted)" : word(for: item.status, of: item)
  }

  private func word(for status: CaseStatus, of item: CaseComparison) -> String {
    switch status {
    case .faulty(let kind): kind.rawValue
    case .accepted: "accepted"
    case .regressed where acceptsSlower == true: "slower (accepted)"
    case .regressed where !isSlower(item): "slower (not trusted)"
    case .regressed: method == .kernels ? "slower" : "regressed"
    case .suspect: Verdict.suspect.rawValue
    case .missing: Verdict.missing.rawValue
    case .improved: method == .kernels ? "faster" : "improved"
    case .unclear: Verdict.unclear.rawValue
    case .notSlower: Verdict.notSlower.rawValue
    case .same: item.isUntimed ? "same: no time" : "same"
    }
  }

  /// The caveats about the times, beginning with the most serious one.
  var warnings: [String] {
    let apart =
      "NOT MEASURED TOGETHER: the records come from different runs, and the threshold is "
      + NumberText.share(threshold)
    return (method == .records ? [apart] : []) + caveats.map(\.plain)
  }

  /// A line that names the two versions that are compared (base and head) and says how their times were
  /// measured.
  var subject: String {
    let manner =
      switch method {
      case .processes: "measured in interleaved processes"
      case .kernels: "measured alternately in one process"
      case .records: "from records"
      }
    let pairs = Self.range(cases.map(\.pairs), of: "pair").map { "\($0) of medians for each case" }
    let count = (method == .records ? processes : pairs).map { ", \($0)" } ?? ""
    return "base \(base.plain), head \(head.plain): \(manner)\(count)"
  }

  /// A phrase that says how many processes measured each case for the base and for the head, or nil if the
  /// numbers are unknown.
  private var processes: String? {
    let sides = [cases.map(\.base), cases.map(\.head)].map { $0.compactMap(\.processes) }
    guard let old = Self.range(sides[0], of: "process", "processes"),
      let new = Self.range(sides[1], of: "process", "processes")
    else { return nil }
    return old == new ? "\(old) each" : "\(old) for the base, \(new) for the head"
  }

  /// Returns a phrase such as `5 to 7 pairs`, or nil if all counts are 0.
  private static func range(_ counts: [Int], of noun: String, _ several: String? = nil) -> String? {
    let known = counts.filter { $0 > 0 }
    guard let least = known.min(), let most = known.max() else { return nil }
    return (least < most ? "\(least) to " : "") + most.of(noun, several)
  }

  /// Sentences that explain the verdicts.
  var meaning: [String] {
    let detectable = noise.map {
      "Noise: two measurements of the base differ by up to \(NumberText.share($0))"
        + (cases.count < Self.fewCases ? "." : " in 95 of 100 cases.")
    }
    let own = cases.compactMap(\.threshold).max().map {
      "Noisy cases have larger thresholds of their own, up to \(NumberText.share($0))."
    }
    let suspects =
      "Suspect: even after allowing for the change of the machine itself, the case seems slower by more than "
      + "a third of the threshold, but this is not proven."
    let words = method == .kernels ? "Slower or faster" : "Regressed or improved"
    let verdicts = [
      "\(words): the change is certainly larger than \(NumberText.share(threshold * Self.marginShare)) "
        + "(a third of the threshold).",
      "Same: the change is certainly smaller than \(NumberText.share(threshold)) (the threshold).",
    ]
    guard cases.contains(where: { $0.ratio != nil }) else { return [] }
    return verdicts + [own, detectable].compactMap(\.self) + (method == .records ? [suspects] : [])
  }
}

extension String {
  /// Returns the string, cut to `count` characters if it is longer. The last character of a cut string is an
  /// ellipsis.
  func cut(to count: Int) -> String {
    let beginning = prefix(count)
    return beginning.endIndex == endIndex ? self : beginning.dropLast() + "…"
  }
}
