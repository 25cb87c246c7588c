import BlurText

/// A kind of change that a user can accept. The command `compare` has an option for each kind.
enum Acceptance: String, CaseIterable {
  /// Slower cases, changed results, and missing cases (see ``ComparisonOptions/acceptsSlower``,
  /// ``ComparisonOptions/acceptsOutputs`` and ``ComparisonOptions/acceptsGone``).
  case slower, outputs, gone
  /// A blur that executes more instructions than before.
  case instructions

  /// The command-line option that accepts this kind of change. In CI, a line `blurbench: accept-…` in the
  /// text of the pull request has the same effect.
  var option: String { self == .instructions ? "--no-gate-instructions" : "--accept-\(rawValue)" }

  /// The words between "If" and "intended" in a sentence such as "If the slowdown is intended, use
  /// `--accept-slower`."
  fileprivate var subject: String {
    switch self {
    case .slower: "the slowdown is"
    case .outputs: "the changed results are"
    case .gone: "the missing cases are"
    case .instructions: "more instructions are"
    }
  }
}

extension Fault.Kind {
  /// The kind of change to which the fault belongs, or nil if the user cannot accept the fault.
  var acceptance: Acceptance? {
    switch self {
    case .wrong, .limit: nil
    case .promise, .error, .output: .outputs
    case .refused, .gone: .gone
    case .instructions: .instructions
    }
  }

  /// A sentence that says why this kind of fault cannot be accepted, or nil if it can be accepted.
  fileprivate var remedy: String? {
    switch self {
    case .wrong: "A wrong result, a crash or a hang cannot be accepted; fix the kernel."
    case .limit: "A case over its limit cannot be accepted; the limit is set in the suite."
    default: nil
    }
  }
}

extension Comparison {
  /// Sentences that say how the user can accept the regressions, and which regressions cannot be accepted.
  /// The array is empty if there are no regressions.
  var acceptances: [String] {
    let faults = failures.flatMap { $0.faults.filter { !$0.isAccepted } }
    var helping = Set(faults.compactMap(\.kind.acceptance))
    if failures.contains(where: isSlower) { helping.insert(.slower) }
    // The advice for pull requests is given only if two builds were compared, because CI checks a pull
    // request by comparing two builds, not kernels or records.
    let hasRequest = method == .processes
    let ways = Acceptance.allCases.filter(helping.contains).map {
      let line = " (in CI: `blurbench: accept-\($0.rawValue)`)"
      return "If \($0.subject) intended, use `\($0.option)`\(hasRequest ? line : "")."
    }
    let place =
      ways.isEmpty || !hasRequest
      ? [] : ["In CI, write this text on a line of its own into the description of the pull request."]
    return ways + place + faults.compactMap(\.kind.remedy).uniqued
  }
}
