import BlurRecords

/// A request to prepare a case for timing.
public struct BenchRequest: Codable, Equatable, Sendable {
  /// The name of the case.
  public var name: String
  /// Whether the output of the case is compared with the exact blur.
  public var isVerified: Bool
  /// The artificial slowdown for experiments, as a fraction of the case's own time. The value 0 means no
  /// slowdown.
  public var slowdown: Double
  /// The index of the CPU on which a case with one thread runs, if the system can pin threads to CPUs. All
  /// builds or kernels that are compared with each other use the same CPU, because other programs slow
  /// different CPUs down by different amounts.
  public var cpu = 0

  /// Creates a request for the case of this name.
  public init(_ name: String, isVerified: Bool = false, slowdown: Double = 0) {
    self.name = name
    self.isVerified = isVerified
    self.slowdown = slowdown
  }
}
