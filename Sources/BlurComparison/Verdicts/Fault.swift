import BlurRecords

/// A problem of the new version (head) other than a measured slowdown, such as a wrong result or a missing
/// kernel. A fault counts as a regression regardless of the measured times, unless the user accepts it.
public struct Fault: Codable, Equatable, Sendable {
  /// The kind of a fault.
  public enum Kind: String, Codable, Sendable {
    /// The result is wrong, for example because its error exceeds the bound that the kernel promises, or the
    /// process crashed or hung.
    case wrong = "wrong result"
    /// The kernel now promises a looser error bound than before. This counts as a fault because larger errors
    /// could otherwise hide behind the looser bound.
    case promise = "promise loosened"
    /// The kernel's error has grown, but does not exceed the bound that the kernel promises.
    case error = "error grew"
    /// The output is not bit-identical to the output of the base.
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
  /// Whether the user accepted the fault before the comparison. An accepted fault is shown, but is not a
  /// regression.
  public var isAccepted: Bool

  /// Creates a fault of the given kind. `reason` is one line of text.
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

extension Findings {
  /// The factor by which an error may grow without counting as a fault. Errors change slightly if a kernel
  /// adds floating-point numbers in a different order than before.
  private static let slack = 1.01
  /// The error, in 8-bit levels, below which all errors count as equal. Such small errors come from
  /// floating-point rounding.
  private static let leastLevels = 1e-4

  /// Returns the ways in which these results (of the head) are worse than the results of the base. Times are
  /// not compared. Faults that the options accept are included and marked as accepted.
  ///
  /// - Parameters:
  ///   - base: The results of the base.
  ///   - isSameKernel: Whether promises, errors and outputs must stay as they are, because both sides are
  ///     builds of one kernel.
  ///   - options: The options that say which faults are accepted.
  func faults(since base: Findings, isSameKernel: Bool, _ options: ComparisonOptions) -> [Fault] {
    changes(since: base, isSameKernel: isSameKernel).map { kind, reason in
      let isAccepted =
        switch kind.acceptance {
        case .outputs: options.acceptsOutputs
        case .gone: options.acceptsGone
        default: false
        }
      return Fault(kind, reason, isAccepted: isAccepted)
    }
  }

  private func changes(since base: Findings, isSameKernel: Bool) -> [(Fault.Kind, String)] {
    if let problem, !isWrong {
      return base.problem == nil ? [(isGone == true ? .gone : .refused, problem)] : []
    }
    // A looser promise counts as a fault even if the result of the base was wrong. Loosening the promise
    // would make the wrong result acceptable without correcting the kernel.
    let promise = isSameKernel ? loosenedPromise(since: base).map { [(Fault.Kind.promise, $0)] } ?? [] : []
    if let problem { return (base.isWrong ? [] : [(.wrong, problem)]) + promise }
    guard base.problem == nil, isSameKernel else { return promise }
    var faults = promise
    if let old = base.maxErrorLevels, let new = maxErrorLevels,
      new > max(old * Self.slack, Self.leastLevels)
    {
      faults.append((.error, "\(NumberText.levels(new)), up from \(NumberText.levels(old))"))
    }
    if let old = base.outputHash, let new = outputHash, old != new {
      let error = faults.isEmpty ? "; the largest error did not grow" : ""
      faults.append((.output, "some bits differ\(largestDifference(from: base))\(error)"))
    }
    return faults
  }

  /// Returns a phrase that states the largest possible difference between the outputs of the base and the
  /// head, which is the sum of their errors. The phrase is empty if one of the errors was not measured.
  private func largestDifference(from base: Findings) -> String {
    guard let old = base.maxErrorLevels, let new = maxErrorLevels else { return "" }
    return "; the two outputs differ by at most \(NumberText.levels(old + new)), the sum of their errors"
  }

  /// Returns a phrase that says by how much the head's promised error bound is looser than the base's.
  /// Returns nil if it is not looser, or if one of the promises is unknown.
  private func loosenedPromise(since base: Findings) -> String? {
    guard base.promise != nil, let promise, let old = base.promisedLevels else { return nil }
    guard let new = promisedLevels else { return "\(NumberText.levels(old)) → \(promise)" }
    return new > old ? "\(NumberText.levels(old)) → \(NumberText.levels(new))" : nil
  }
}
