import BlurText
import Foundation

/// The place of a case in lists: the gravest of its faults and its verdict.
enum CaseStatus: Equatable {
  case faulty(Fault.Kind)
  case regressed, suspect, missing, unclear, accepted, improved, notSlower, same

  /// The gravest first.
  private static let order: [CaseStatus] = [
    .faulty(.wrong), .faulty(.promise), .faulty(.error), .faulty(.limit), .faulty(.refused), .faulty(.gone),
    .regressed, .faulty(.instructions), .faulty(.output), .suspect, .missing, .unclear, .accepted, .improved,
    .notSlower, .same,
  ]

  /// The place in that order.
  var rank: Int { Self.order.firstIndex(of: self) ?? 0 }

  /// Whether the case is worth a reader's time.
  var isChange: Bool { ![.unclear, .notSlower, .same].contains(self) }
}

extension CaseComparison {
  var status: CaseStatus {
    let ofTime: CaseStatus =
      switch verdict {
      case .regressed: .regressed
      case .suspect: .suspect
      // What was accepted has no time.
      case .missing: isMissing ? .same : .missing
      case .improved: .improved
      case .notSlower: .notSlower
      case .same: .same
      // An accepted refusal has no time.
      case .unclear: isMissing ? .same : .unclear
      }
    let all = [ofTime] + faults.map { $0.isAccepted ? .accepted : .faulty($0.kind) }
    return all.min { $0.rank < $1.rank } ?? ofTime
  }

  /// What is wrong, or why there is no verdict.
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

  /// A hint where a case is slower with no more instructions than before.
  private var layout: [String] {
    guard verdict == .regressed, let instructionRatio,
      instructionRatio <= 1 + ComparisonOptions.usualInstructionGate
    else { return [] }
    return [
      "instructions \(NumberText.change(instructionRatio)): the same work takes longer, "
        + "as when code or data lie elsewhere (COMPARING.md, Layout of code)"
    ]
  }

  /// How much time changed, either way; 0 where that is unknown. What is in doubt counts by how much slower
  /// it is.
  fileprivate var magnitude: Double {
    guard let ratio, ratio.estimate > 0 else { return 0 }
    return status == .unclear ? log(ratio.estimate) : abs(log(ratio.estimate))
  }
}

extension [CaseComparison] {
  /// The remarks on these cases in lines; what several have in common stands once.
  func remarks(_ labels: CaseLabels) -> [String] {
    let all = flatMap { item in item.remarks.map { (label: labels[item.name].cut(to: 200), remark: $0) } }
    let counts = Dictionary(grouping: all, by: \.remark).mapValues(\.count)
    var seen: Set<String> = []
    return all.filter { seen.insert($0.remark).inserted }.map { label, remark in
      let count = counts[remark] ?? 1
      return "\(count > 1 ? "\(count) cases, such as " : "")\(label): \(remark)"
    }
  }
}

extension Comparison {
  /// The cases in the order of ``CaseStatus``, and of one status by size; what is the same as it came, unless
  /// it is from records.
  var sortedCases: [CaseComparison] {
    cases.enumerated().sorted { first, second in
      let (a, b) = (first.element, second.element)
      guard a.status == b.status else { return a.status.rank < b.status.rank }
      let isBySize = (a.status != .same || method == .records) && a.magnitude != b.magnitude
      return isBySize ? a.magnitude > b.magnitude : first.offset < second.offset
    }.map(\.element)
  }

  /// The cases that make the outcome ``Outcome/regressed``.
  var failures: [CaseComparison] {
    sortedCases.filter(isFailure)
  }

  /// The verdict on a case in one or two words: kernels are slower than each other, builds regress.
  func word(for item: CaseComparison) -> String {
    switch item.status {
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

  /// The caveats about the times, the gravest first.
  var warnings: [String] {
    let apart =
      "NOT MEASURED TOGETHER: records of different runs; the threshold is "
      + NumberText.share(threshold)
    return (method == .records ? [apart] : []) + caveats.map(\.plain)
  }

  /// The sides, and how they were measured.
  var subject: String {
    let manner =
      switch method {
      case .processes: "measured in interleaved processes"
      case .kernels: "measured in one process, interleaved"
      case .records: "from records"
      }
    let pairs = Self.range(cases.map(\.pairs), of: "pair").map { "\($0) of medians for each case" }
    let count = (method == .records ? processes : pairs).map { ", \($0)" } ?? ""
    return "base \(base.plain), head \(head.plain): \(manner)\(count)"
  }

  /// How many processes measured the records; nil where that is not known.
  private var processes: String? {
    let sides = [cases.map(\.base), cases.map(\.head)].map { $0.compactMap(\.processes) }
    guard let old = Self.range(sides[0], of: "process", "processes"),
      let new = Self.range(sides[1], of: "process", "processes")
    else {
      return nil
    }
    return old == new ? "\(old) on each side" : "\(old) in the base, \(new) in the head"
  }

  /// Such as `5 to 7 pairs`; nil where all counts are 0.
  private static func range(_ counts: [Int], of noun: String, _ several: String? = nil) -> String? {
    let known = counts.filter { $0 > 0 }
    guard let least = known.min(), let most = known.max() else { return nil }
    return (least < most ? "\(least) to " : "") + most.of(noun, several)
  }

  /// The meaning of the verdicts.
  var meaning: [String] {
    let detectable = noise.map {
      "The base differs from itself by up to \(NumberText.share($0))"
        + (cases.count < Self.fewCases ? "." : " in 95 of 100 cases.")
    }
    let own = cases.compactMap(\.threshold).max().map {
      "Noisy cases have thresholds of their own, up to \(NumberText.share($0))."
    }
    let suspects =
      "A suspect is slower than a fixed loop and memcpy explain, by a third of the threshold, "
      + "but not proven to be."
    let words = method == .kernels ? "Slower or faster" : "Regressed or improved"
    let verdicts = [
      "\(words): surely by more than \(NumberText.share(threshold * Self.marginShare)), "
        + "a third of the threshold.",
      "The same: by less than \(NumberText.share(threshold)), the threshold.",
    ]
    guard cases.contains(where: { $0.ratio != nil }) else { return [] }
    return verdicts + [own, detectable].compactMap(\.self) + (method == .records ? [suspects] : [])
  }
}

extension String {
  /// The first `count` characters, with an ellipsis where the text is longer.
  func cut(to count: Int) -> String {
    let beginning = prefix(count)
    return beginning.endIndex == endIndex ? self : beginning.dropLast() + "…"
  }
}
