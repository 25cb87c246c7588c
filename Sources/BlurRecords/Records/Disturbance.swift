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
  /// How many samples were disturbed, of how many of which that is known.
  private var disturbed: (count: Int, known: Int) {
    let known = compactMap(\.disturbance.isQuiet)
    return (known.count { !$0 }, known.count)
  }

  /// The share of samples that were disturbed, of those of which that is known; 0 where there are none.
  package var disturbedShare: Double { Double(disturbed.count) / Double(Swift.max(1, disturbed.known)) }

  /// A sentence about the samples that were disturbed, if any.
  public var disturbanceNote: String? {
    let (noisy, known) = disturbed
    guard noisy > 0 else { return nil }
    return "\(noisy) of \(known) samples were disturbed by other programs or machines (column quiet)"
  }
}
