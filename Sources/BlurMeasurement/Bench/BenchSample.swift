import BlurRecords

/// A measured time, and a report of how other programs disturbed the measurement.
public struct BenchSample: Codable, Sendable {
  /// The mean wall time of an iteration in nanoseconds.
  public var nanoseconds: Double
  /// A report of how other programs disturbed the sample, or nil if nothing is known about disturbances.
  public var disturbance: Disturbance?

  /// Creates a sample.
  public init(nanoseconds: Double, disturbance: Disturbance? = nil) {
    (self.nanoseconds, self.disturbance) = (nanoseconds, disturbance)
  }
}
