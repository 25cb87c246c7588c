/// The verdict on one case.
public enum Verdict: String, Codable, CaseIterable, Sendable {
  /// Slower by more than a third of the threshold, with confidence, twice; or wrong.
  case regressed
  /// Faster by more than a third of the threshold, with confidence, twice.
  case improved
  /// Proven to differ by less than the threshold.
  case same
  /// In records alone: slower than the machine explains, but not proven.
  case suspect
  /// None of these is proven.
  case unclear = "can't tell"
}

/// A change of the results themselves, whatever the times: a regression of its own kind.
public struct Fault: Codable, Equatable, Sendable {
  /// What went wrong.
  public enum Kind: String, Codable, Sendable {
    /// The kernel breaks its promise, or its process died or hung.
    case wrong = "wrong result"
    /// The error against the truth grew.
    case error = "error grew"
    /// The output has other bits.
    case output = "output changed"
    /// The case was measured in the base and is refused in the head.
    case missing = "refused"
    /// One blur takes more instructions, by more than the gate allows.
    case instructions = "more instructions"
    /// The case takes longer, or is farther off, than its suite allows, whatever the base is like.
    case limit = "over its limit"
  }
  public var kind: Kind
  /// One line of text.
  public var reason: String

  /// Makes a fault.
  public init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
