/// What disturbed a sample from outside this process, as far as the system tells: nil where it does not.
public struct Disturbance: Codable, Hashable, Sendable {
  /// Whether nothing did that is known: no slow core, no other programs, no other virtual machines.
  public var isQuiet: Bool?
  /// How many times as long as at best a loop of fixed work took, the slower of before and after the sample.
  public var coreSlowdown: Double?
  /// CPU seconds that other virtual machines took, and at least how many other programs took, per second.
  public var stolenCPUs: Double?, othersCPUs: Double?
  /// How often a CPU was slowed down for its heat.
  public var throttles: Int?
  /// The clock of the CPU after the sample, in MHz.
  public var megahertz: Double?

  /// Nothing is known.
  public init() {}
}

extension [Record] {
  /// A sentence about the samples that were disturbed, if any.
  public var disturbanceNote: String? {
    let known = compactMap(\.disturbance.isQuiet)
    let noisy = known.count { !$0 }
    guard noisy > 0 else { return nil }
    return "\(noisy) of \(known.count) samples were disturbed by other programs or machines (column quiet)"
  }
}
