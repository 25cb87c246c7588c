/// The settings for measuring a case.
public struct TimingSettings: Codable, Equatable, Sendable {
  /// The number of samples per case.
  public var repetitions: Int
  /// The minimum duration of one sample, in seconds.
  public var minTime: Double
  /// The duration of the warm-up before the first sample, in seconds.
  public var warmUp: Double

  /// Creates settings.
  public init(repetitions: Int, minTime: Double, warmUp: Double) {
    self.repetitions = repetitions
    self.minTime = minTime
    self.warmUp = warmUp
  }
}
