/// The verdict on one case.
public enum Verdict: String, Codable, CaseIterable, Sendable {
  /// Slower by more than a third of the threshold, with confidence. If the times were measured for the
  /// comparison, later measurements have confirmed the slowdown, or the slowdown is beyond doubt.
  case regressed
  /// Faster by more than a third of the threshold, with confidence. If the times were measured for the
  /// comparison, later measurements have confirmed the improvement.
  case improved
  /// Proven to differ by less than the threshold.
  case same
  /// Proven not to be slower by the threshold. The case may be faster, but this is not confirmed.
  case notSlower = "not slower"
  /// Slower than the machine explains, but not proven to be slower. This verdict occurs only in comparisons
  /// of records.
  case suspect
  /// Missing in the head, for example because its run was stopped. This verdict occurs only in comparisons of
  /// records.
  case missing
  /// None of the other verdicts is proven.
  case unclear = "can't tell"
}

/// A change of the results themselves, which counts as a regression whatever the times are.
public struct Fault: Codable, Equatable, Sendable {
  /// The kind of a fault.
  public enum Kind: String, Codable, Sendable {
    /// The kernel violates its promise, or its process crashed or hung.
    case wrong = "wrong result"
    /// The kernel promises less than before. Larger errors would otherwise be hidden by the looser promise.
    case promise = "promise loosened"
    /// The error against the reference has grown, but is still within the kernel's promise.
    case error = "error grew"
    /// The output has different bits.
    case output = "output changed"
    /// The kernel refuses the case in the head but not in the base.
    case refused
    /// The head does not have the kernel.
    case gone
    /// One blur takes more instructions than the gate allows.
    case instructions = "more instructions"
    /// The case takes longer, or has a larger error, than its suite allows, whatever the results of the base
    /// are.
    case limit = "over its limit"
  }
  public var kind: Kind
  /// The reason in one line of text.
  public var reason: String
  /// Whether the fault was accepted beforehand. An accepted fault is shown, but does not count.
  public var isAccepted: Bool

  /// Creates a fault.
  public init(_ kind: Kind, _ reason: String, isAccepted: Bool = false) {
    self.kind = kind
    self.reason = reason
    self.isAccepted = isAccepted
  }

  /// Decodes a fault. JSON of earlier versions does not contain `isAccepted`, so the faults in such JSON
  /// count as not accepted.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind), try container.decode(String.self, forKey: .reason),
      isAccepted: try container.decodeIfPresent(Bool.self, forKey: .isAccepted) ?? false)
  }
}
