import BlurText

/// What can be accepted of a change, each by an option of `compare`.
enum Acceptance: String, CaseIterable {
  /// Slower cases, as long as they keep to their limits.
  case slower
  /// Other results within what the kernel promises: other bits, larger errors, and a looser promise.
  case outputs
  /// Cases that the head refuses, and kernels that are gone.
  case gone
  /// More instructions.
  case instructions

  /// The option that accepts it. In CI, a line `blurbench: accept-…` stands for it.
  var option: String { self == .instructions ? "--no-gate-instructions" : "--accept-\(rawValue)" }

  /// What is accepted, and its verb.
  fileprivate var subject: String {
    switch self {
    case .slower: "the slowdown is"
    case .outputs: "the other results are"
    case .gone: "the missing cases are"
    case .instructions: "more instructions are"
    }
  }
}

extension Fault.Kind {
  /// What accepts it; nil where nothing does.
  var acceptance: Acceptance? {
    switch self {
    case .wrong, .limit: nil
    case .promise, .error, .output: .outputs
    case .refused, .gone: .gone
    case .instructions: .instructions
    }
  }

  /// What to do about a fault that nothing accepts; nil for others.
  fileprivate var remedy: String? {
    switch self {
    case .wrong: "A wrong result, a crash or a hang cannot be accepted: mend the kernel."
    case .limit: "A case over its limit cannot be accepted: the suite sets the limit."
    default: nil
    }
  }
}

extension Comparison {
  /// How the regressions could be accepted, and which could not, in sentences; none where there are none.
  var acceptances: [String] {
    let faults = failures.flatMap { $0.faults.filter { !$0.isAccepted } }
    var helping = Set(faults.compactMap(\.kind.acceptance))
    if failures.contains(where: isSlower) { helping.insert(.slower) }
    // Records and kernels have no pull request.
    let hasRequest = method == .processes
    let ways = Acceptance.allCases.filter(helping.contains).map {
      let line = " (in CI a line `blurbench: accept-\($0.rawValue)`)"
      return "If \($0.subject) intended: `\($0.option)`\(hasRequest ? line : "")."
    }
    let place =
      ways.isEmpty || !hasRequest ? [] : ["The line for CI stands alone in the pull request's text."]
    return ways + place + faults.compactMap(\.kind.remedy).uniqued
  }
}
