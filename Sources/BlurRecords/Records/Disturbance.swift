/// Everything outside this process that may have disturbed a sample, such as other programs or heat. A
/// property is nil if the system does not report it.
public struct Disturbance: Codable, Hashable, Sendable {
  /// Whether the sample was undisturbed: the core was not slow, no other programs or virtual machines were
  /// busy, and no CPU was throttled.
  public var isQuiet: Bool?
  /// The slowdown of the core during the sample. A short fixed loop runs before and after the sample, and its
  /// time is divided by the shortest time that this loop has taken so far. The value is the larger of the two
  /// ratios. If it is well above 1, another program slowed the core down.
  public var coreSlowdown: Double?
  /// The average number of CPUs that were busy with other work during the sample. `stolenCPUs` counts the
  /// work of other virtual machines. `othersCPUs` counts the work of other programs, and is a lower bound.
  public var stolenCPUs: Double?, othersCPUs: Double?
  /// The number of times that a CPU was slowed down during the sample because of heat.
  public var throttles: Int?
  /// The CPU's clock rate after the sample, in MHz.
  public var megahertz: Double?

  /// Creates a description of disturbances in which all values are unknown.
  public init() {}
}

extension [Record] {
  /// The number of samples that were disturbed (`count`), and the number of samples for which it is known
  /// whether they were disturbed (`known`).
  private var disturbed: (count: Int, known: Int) {
    let known = compactMap(\.disturbance.isQuiet)
    return (known.count { !$0 }, known.count)
  }

  /// The fraction of samples that were disturbed. Samples for which it is unknown whether they were disturbed
  /// are not counted. If no other samples remain, the fraction is 0.
  package var disturbedShare: Double { Double(disturbed.count) / Double(Swift.max(1, disturbed.known)) }

  /// A sentence about the disturbed samples, or nil if there are none.
  public var disturbanceNote: String? {
    let (noisy, known) = disturbed
    guard noisy > 0 else { return nil }
    return "\(noisy) of \(known) samples were disturbed by other programs or virtual machines (column quiet)"
  }
}
