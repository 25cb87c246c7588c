import BlurRecords

/// How far a run is.
public struct RunProgress: Sendable {
  /// Which job begins, from 0, and of how many.
  public let index: Int, count: Int
  /// What it measures.
  public let title: String
  /// Seconds since the run began.
  public let elapsed: Double

  /// Describes how far a run is.
  public init(index: Int, count: Int, title: String, elapsed: Double) {
    self.index = index
    self.count = count
    self.title = title
    self.elapsed = elapsed
  }

  /// A line such as `[3/12] rgba8 640x480, sigma 5, clamp  time left 1:05`.
  public var line: String {
    let left = index == 0 ? "" : "  time left \(clock(elapsed / Double(index) * Double(count - index)))"
    return "[\(index + 1)/\(count)] \(title)\(left)"
  }

  private func clock(_ seconds: Double) -> String {
    let seconds = Int(seconds.rounded())
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension Job {
  /// A few words of text.
  var title: String { workload.fullTitle }
}
