import Foundation

/// The place of a case in lists: its verdict, or wrong whatever its time.
enum CaseStatus: Int {
  case regressed, wrong, suspect, improved, unclear, same

  /// Whether the case is worth a reader's time.
  var isChange: Bool { self != .unclear && self != .same }
}

extension CaseComparison {
  var status: CaseStatus {
    guard faults.isEmpty else { return .wrong }
    return switch verdict {
    case .regressed: .regressed
    case .suspect: .suspect
    case .improved: .improved
    case .unclear: .unclear
    case .same: .same
    }
  }

  /// What is wrong, or why there is no verdict.
  var remarks: [String] {
    guard faults.isEmpty else { return faults.map { "\($0.kind.rawValue): \($0.reason)".plain } }
    if let reason = head.problem, isUntimed, base.problem == reason { return [reason.plain] }
    let problems = [("base", base.problem), ("head", head.problem)].compactMap { side, problem in
      problem.map { "\(side): \($0)".plain }
    }
    return problems + (caveat.map { [$0.plain] } ?? [])
  }

  /// How much time changed, either way; 0 where that is unknown.
  fileprivate var magnitude: Double {
    guard let ratio, ratio.estimate > 0 else { return 0 }
    return abs(log(ratio.estimate))
  }
}

extension Comparison {
  /// The cases in the order of ``CaseStatus``, changes by size, the others as they came; of records, all by
  /// size.
  var sortedCases: [CaseComparison] {
    cases.enumerated().sorted { first, second in
      let (a, b) = (first.element, second.element)
      guard a.status == b.status else { return a.status.rawValue < b.status.rawValue }
      let isBySize = (a.status.isChange || method == .records) && a.magnitude != b.magnitude
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
    case .wrong: item.faults[0].kind.rawValue
    case .regressed: method == .kernels ? "slower" : "regressed"
    case .suspect: Verdict.suspect.rawValue
    case .improved: method == .kernels ? "faster" : "improved"
    case .unclear: Verdict.unclear.rawValue
    case .same: item.isUntimed ? "same: no time" : "same"
    }
  }

  /// The caveats about the times, the gravest first.
  var warnings: [String] {
    let apart =
      "NOT MEASURED TOGETHER: records of different runs; the threshold is widened to "
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
    let pairs = Set(cases.map(\.pairs)).subtracting([0])
    var count = ""
    if let least = pairs.min(), let most = pairs.max() {
      count = ", \(least)" + (most > least ? " to \(most)" : "")
      let processes = most == 1 ? " process on each side" : " processes on each side"
      count += method == .records ? processes : " pairs of medians for each case"
    }
    return "base \(base.plain), head \(head.plain): \(manner)\(count)"
  }

  /// The meaning of the verdicts.
  var meaning: [String] {
    let detectable = noise.map {
      "The base differs from itself by up to \(NumberText.share($0)) in 95 of 100 cases."
    }
    let own = cases.compactMap(\.threshold).max().map {
      "Noisy cases have thresholds of their own, up to \(NumberText.share($0))."
    }
    let suspects =
      "A suspect is slower than a fixed loop and memcpy explain, by a third of the threshold, "
      + "but not proven to be."
    return [
      "A change is surely above \(NumberText.share(threshold * Self.marginShare)), a third of the threshold; "
        + "the same is surely below \(NumberText.share(threshold)), the threshold."
    ] + [own, detectable].compactMap(\.self) + (method == .records ? [suspects] : [])
  }
}

extension String {
  /// The first `count` characters, with an ellipsis where the text is longer.
  func cut(to count: Int) -> String {
    let beginning = prefix(count)
    return beginning.endIndex == endIndex ? self : beginning.dropLast() + "…"
  }
}
