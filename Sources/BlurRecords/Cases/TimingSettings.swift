/// How each case is measured.
public struct TimingSettings: Codable, Equatable, Sendable {
  /// How many samples are taken.
  public var repetitions: Int
  /// Seconds that one sample lasts at least.
  public var minTime: Double
  /// Seconds of blurring before the first sample.
  public var warmUp: Double

  /// Makes settings.
  public init(repetitions: Int, minTime: Double, warmUp: Double) {
    self.repetitions = repetitions
    self.minTime = minTime
    self.warmUp = warmUp
  }
}
