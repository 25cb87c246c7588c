import Foundation

/// Where a case stands in lists: its verdict, or wrong whatever its time.
enum Standing: Int {
  case regressed, wrong, improved, unclear, same

  /// Whether the case is worth a reader's time.
  var isChange: Bool { self != .unclear && self != .same }
}

extension CaseComparison {
  var standing: Standing {
    guard faults.isEmpty else { return .wrong }
    return switch verdict {
    case .regressed: .regressed
    case .improved: .improved
    case .unclear: .unclear
    case .same: .same
    }
  }

  /// What is wrong, or why there is no verdict, for a person.
  var remarks: [String] {
    guard faults.isEmpty else { return faults.map { "\($0.kind.rawValue): \($0.reason)".plain } }
    return [("base", base.problem), ("head", head.problem)].compactMap { side, problem in
      problem.map { "\(side): \($0)".plain }
    }
  }

  /// How much time changed, either way; 0 where that is unknown.
  fileprivate var magnitude: Double {
    guard let ratio, ratio.estimate > 0 else { return 0 }
    return abs(log(ratio.estimate))
  }
}

extension Comparison {
  /// The cases in the order of ``Standing``, changes by size, the others as they came.
  var sortedCases: [CaseComparison] {
    cases.enumerated().sorted { first, second in
      let (a, b) = (first.element, second.element)
      guard a.standing == b.standing else { return a.standing.rawValue < b.standing.rawValue }
      let isBySize = a.standing.isChange && a.magnitude != b.magnitude
      return isBySize ? a.magnitude > b.magnitude : first.offset < second.offset
    }.map(\.element)
  }

  /// The cases that make the outcome ``Outcome/regressed``.
  var failures: [CaseComparison] {
    sortedCases.filter { $0.standing == .wrong || ($0.standing == .regressed && doubts.isEmpty) }
  }

  /// The verdict on a case in one or two words. Kernels are slower than each other; they do not regress.
  func word(for item: CaseComparison) -> String {
    switch item.standing {
    case .wrong: item.faults[0].kind.rawValue
    case .regressed: method == .kernels ? "slower" : "regressed"
    case .improved: method == .kernels ? "faster" : "improved"
    case .unclear: Verdict.unclear.rawValue
    case .same: "same"
    }
  }

  /// What speaks against the times, the gravest first.
  var warnings: [String] {
    let apart =
      "NOT MEASURED TOGETHER: records of different runs; the threshold is widened to "
      + Figures.share(threshold)
    return (method == .records ? [apart] : []) + doubts.map(\.plain)
  }

  /// What was compared, and how.
  var subject: String {
    let manner =
      switch method {
      case .processes: "measured in processes that take turns"
      case .kernels: "measured in one process, by turns"
      case .records: "from records"
      }
    let pairs = Set(cases.map(\.pairs)).subtracting([0])
    let count = pairs.min().map { least in
      ", \(least)" + (pairs.count > 1 ? " to \(pairs.max()!)" : "") + " pairs of medians for each case"
    }
    return "base \(base.plain), head \(head.plain): \(manner)\(count ?? "")"
  }

  /// What the verdicts mean, in lines.
  var meaning: [String] {
    let reach = noise.map { "The base differs from itself by up to \(Figures.share($0)) in 95 of 100 cases." }
    return [
      "A change is surely above \(Figures.share(threshold * Self.marginShare)), a third of the threshold; the same is surely below "
        + "\(Figures.share(threshold)), the threshold."
    ] + (reach.map { [$0] } ?? [])
  }
}

extension String {
  /// One line without control characters: names come from other people's files, and may hold commands for a
  /// terminal or turn the direction of writing.
  var plain: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.compactMap { scalar in
          if scalar.properties.isWhitespace { return " " }
          let isUnseen = [.control, .format, .unassigned].contains(scalar.properties.generalCategory)
          return isUnseen ? nil : scalar
        }))
  }

  /// The beginning of a text that is longer than so many characters.
  func cut(to count: Int) -> String {
    let beginning = prefix(count)
    return beginning.endIndex == endIndex ? self : beginning.dropLast() + "…"
  }
}
