extension Comparison {
  /// One sentence: the verdict.
  public var sentence: String {
    let total = "of \(cases.count) \(cases.count == 1 ? "case" : "cases")"
    switch outcome {
    case .good where cases.contains { $0.verdict == .regressed || !$0.faults.isEmpty }:
      return "Accepted: \(parts) \(total)"
    case .good: return "\(method == .kernels ? "Not slower" : "No regression"): \(parts) \(total)"
    case .regressed:
      let isSlowerKernel = method == .kernels && cases.allSatisfy(\.openFaults.isEmpty)
      return "\(isSlowerKernel ? "Slower" : "Regression"): \(parts) \(total)"
    case .cannotTell where cases.isEmpty: return "Cannot tell: no case could be compared"
    case .cannotTell where cases.allSatisfy(\.isUntimed):
      return "Cannot tell: nothing was measured, for no case has a time on either side"
    case .cannotTell where !caveats.isEmpty: return "Cannot tell: the times are not to be trusted"
    case .cannotTell: return "Cannot tell: \(parts) \(total)"
    }
  }

  /// How many cases there are of each kind. Where times are doubtful, only what counts in spite of that is
  /// named.
  private var parts: String {
    let failures = cases.filter(isFailure)
    let trusted = caveats.isEmpty ? cases : failures
    let untimed = cases.count { $0.faults.isEmpty && $0.isUntimed }
    let accepted = trusted.count { $0.status == .accepted }
    let count = { (verdict: Verdict) in
      trusted.count { $0.verdict == verdict && $0.openFaults.isEmpty && $0.status != .accepted }
    }
    let faulty = failures.filter { !$0.openFaults.isEmpty }
    let only = { (kind: Fault.Kind) in faulty.count { $0.openFaults.allSatisfy { $0.kind == kind } } }
    let (missing, costlier, over) = (only(.missing), only(.instructions), only(.limit))
    let counts = [
      (faulty.count - missing - costlier - over, "wrong or changed"), (missing, "refused by the head"),
      (costlier, "with more instructions"),
      (over, "over \(over == 1 ? "its limit" : "their limits")"),
      (count(.regressed), "slower"),
      (accepted, "with accepted changes"),
      (count(.suspect), count(.suspect) == 1 ? "suspect" : "suspects"), (count(.improved), "faster"),
      (count(.same), "the same" + (untimed > 0 ? " (\(untimed) without a time)" : "")),
      (count(.notSlower), "not slower"), (count(.unclear), "can't tell"),
      (cases.count - trusted.count, "not to be trusted"),
    ]
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
