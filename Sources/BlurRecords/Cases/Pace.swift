/// When one timed blur begins after another.
public enum Pace: String, CaseIterable, Sendable {
  /// At once: the caches hold what the last blur left there.
  case warm
  /// When neither the image nor the output is in any cache any more.
  case cold
  /// When a screen's next frame is due.
  case at60Hz = "60hz"
  case at120Hz = "120hz"

  /// Frames a second; nil where blurs wait for no frame.
  public var frameRate: Double? {
    switch self {
    case .warm, .cold: nil
    case .at60Hz: 60
    case .at120Hz: 120
    }
  }
}
