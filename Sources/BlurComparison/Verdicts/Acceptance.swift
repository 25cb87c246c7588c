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
}

extension Comparison {
  /// How the regressions could be accepted, in sentences; none where there are none.
  var acceptances: [String] {
    let faults = failures.flatMap { $0.faults.filter { !$0.isAccepted } }
    var helping = Set(faults.compactMap(\.kind.acceptance))
    if failures.contains(where: isSlower) { helping.insert(.slower) }
    let ways = Acceptance.allCases.filter(helping.contains).map {
      let line = "; in CI, a line `blurbench: accept-\($0.rawValue)` in the request's text"
      // Records of two nights have no request.
      return "If intended: `\($0.option)`\(method == .records ? "" : line)."
    }
    return ways
      + (faults.contains { $0.kind.acceptance == nil }
        ? ["Nothing accepts a wrong result, nor a case over its limit."] : [])
  }
}
