/// The disturbances of a sample from outside this process. A property is nil if the system does not report
/// it.
public struct Disturbance: Codable, Hashable, Sendable {
  /// Whether no disturbance was found: no slow core, no other busy programs or virtual machines, and no
  /// throttling.
  public var isQuiet: Bool?
  /// The time of a short fixed loop, divided by the shortest time of the loop so far. The loop runs before
  /// and after the sample, and this is the larger of the two ratios. A large ratio means that another program
  /// slowed the core down.
  public var coreSlowdown: Double?
  /// The average number of CPUs that other virtual machines kept busy during the sample, and a lower bound on
  /// the number of CPUs that other programs kept busy.
  public var stolenCPUs: Double?, othersCPUs: Double?
  /// The number of times that a CPU was slowed down because of heat.
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

  /// The fraction of disturbed samples among the samples for which it is known whether they were disturbed,
  /// or 0 if there are no such samples.
  package var disturbedShare: Double { Double(disturbed.count) / Double(Swift.max(1, disturbed.known)) }

  /// A sentence about the disturbed samples, or nil if there are none.
  public var disturbanceNote: String? {
    let (noisy, known) = disturbed
    guard noisy > 0 else { return nil }
    return "\(noisy) of \(known) samples were disturbed by other programs or virtual machines (column quiet)"
  }
}
