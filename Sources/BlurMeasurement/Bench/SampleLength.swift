import BlurRecords

/// Decides how many iterations a sample has.
public enum SampleLength {
  /// The largest number of iterations in a sample.
  private static let most = 1e6

  /// Returns the number of iterations that take about `nanoseconds` in total if one iteration takes `once`
  /// nanoseconds. The result is from 1 to 1,000,000.
  public static func iterations(lasting nanoseconds: Double, each once: Double) -> Int {
    Int(min(most, max(1, nanoseconds / once)).rounded(.up))
  }
}
