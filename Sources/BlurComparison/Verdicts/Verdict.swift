/// The verdict on one case.
public enum Verdict: String, Codable, CaseIterable, Sendable {
  /// Slower by more than a third of the threshold, with confidence, twice; or wrong.
  case regressed
  /// Faster by more than a third of the threshold, with confidence, twice.
  case improved
  /// Proven to differ by less than the threshold.
  case same
  /// Proven not to be slower by the threshold: it may be faster, which is not confirmed.
  case notSlower = "not slower"
  /// In records alone: slower than the machine explains, but not proven.
  case suspect
  /// In records alone: the head has no such case, as after a run that was stopped.
  case missing
  /// None of these is proven.
  case unclear = "can't tell"
}

/// A change of the results themselves, whatever the times: a regression of its own kind.
public struct Fault: Codable, Equatable, Sendable {
  /// What went wrong.
  public enum Kind: String, Codable, Sendable {
    /// The kernel breaks its promise, or its process died or hung.
    case wrong = "wrong result"
    /// The kernel promises less than it did, so that larger errors are none of its faults.
    case promise = "promise loosened"
    /// The error against the truth grew, within what the kernel promises.
    case error = "error grew"
    /// The output has other bits.
    case output = "output changed"
    /// The kernel of the head refuses the case, and that of the base does not.
    case refused
    /// The head has no such kernel.
    case gone
    /// One blur takes more instructions, by more than the gate allows.
    case instructions = "more instructions"
    /// The case takes longer, or is farther off, than its suite allows, whatever the base is like.
    case limit = "over its limit"
  }
  public var kind: Kind
  /// One line of text.
  public var reason: String
  /// Whether it was accepted beforehand: it is shown, and counts for nothing.
  public var isAccepted: Bool

  /// Makes a fault.
  public init(_ kind: Kind, _ reason: String, isAccepted: Bool = false) {
    self.kind = kind
    self.reason = reason
    self.isAccepted = isAccepted
  }

  /// Of JSON that was written before, nothing was accepted.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind), try container.decode(String.self, forKey: .reason),
      isAccepted: try container.decodeIfPresent(Bool.self, forKey: .isAccepted) ?? false)
  }
}
