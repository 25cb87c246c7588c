/// The verdict on one case.
public enum Verdict: String, Codable, CaseIterable, Sendable {
  /// The case is slower, and the confidence is high that it is slower by more than a third of the threshold.
  /// If the times were measured for this comparison, later measurements have also confirmed the slowdown, or
  /// it is beyond doubt. Times from records cannot be confirmed in this way.
  case regressed
  /// The case is faster, and the confidence is high that it is faster by more than a third of the threshold.
  /// If the times were measured for this comparison, later measurements have also confirmed the improvement.
  case improved
  /// The times are proven to differ by less than the threshold.
  case same
  /// The new version is proven not to be slower by the threshold or more. It may even be faster, but this has
  /// not been confirmed.
  case notSlower = "not slower"
  /// The case seems slower, and a change of the machine does not explain it, but the slowdown is not proven.
  /// This verdict occurs only in comparisons of records.
  case suspect
  /// The case is missing in the records of the head, for example because the run was stopped early. This
  /// verdict occurs only in comparisons of records.
  case missing
  /// The measurements are not sufficient for any of the other verdicts.
  case unclear = "can't tell"
}

/// A problem of the new version (head) other than a measured slowdown, such as a wrong result or a missing
/// kernel. It counts as a regression whatever the measured times are, unless the user accepts it.
public struct Fault: Codable, Equatable, Sendable {
  /// The kind of a fault.
  public enum Kind: String, Codable, Sendable {
    /// The kernel violates its promise, or its process crashed or hung.
    case wrong = "wrong result"
    /// The kernel now promises a looser error bound than before. This counts as a fault because larger errors
    /// could otherwise hide behind the looser bound.
    case promise = "promise loosened"
    /// The error against the reference has grown, but is still within the kernel's promise.
    case error = "error grew"
    /// The output has different bits.
    case output = "output changed"
    /// The kernel supports the case in the old version (base), but not in the new version (head).
    case refused
    /// The new version (head) does not contain the kernel.
    case gone
    /// A blur executes more instructions than before, and the growth exceeds the limit that the user has set.
    case instructions = "more instructions"
    /// The time or the error of the case exceeds a limit that the suite sets. This is a fault even if the
    /// base exceeds the limit too.
    case limit = "over its limit"
  }
  public var kind: Kind
  /// The reason in one line of text.
  public var reason: String
  /// Whether the fault was accepted beforehand. An accepted fault is shown, but does not count.
  public var isAccepted: Bool

  /// Creates a fault from its kind and the reason in one line of text.
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
