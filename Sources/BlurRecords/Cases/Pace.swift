/// The rule that determines when each timed blur starts, such as right after the previous blur or once per
/// frame of a screen.
public enum Pace: String, CaseIterable, Sendable {
  /// Each blur starts immediately after the previous one, so the caches hold what that blur left in them.
  case warm
  /// Each blur starts after the caches have been emptied, so they hold neither the image nor the output.
  case cold
  /// Each blur starts when the next frame of a screen is due.
  case at60Hz = "60hz"
  case at120Hz = "120hz"

  /// The frames per second, or nil if the blurs do not wait for frames.
  public var frameRate: Double? {
    switch self {
    case .warm, .cold: nil
    case .at60Hz: 60
    case .at120Hz: 120
    }
  }
}
