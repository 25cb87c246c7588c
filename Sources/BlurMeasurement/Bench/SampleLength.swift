import BlurRecords

/// How long samples are made.
public enum SampleLength {
  /// The most iterations of a sample.
  private static let most = 1e6

  /// How many iterations last that long, by the time of one: at least 1, at most a million.
  public static func iterations(lasting nanoseconds: Double, each once: Double) -> Int {
    Int(min(most, max(1, nanoseconds / once)).rounded(.up))
  }
}
