/// Some of a scene's frames, as a user names them: `5`, `10-20`, every 4th as `/4`, or `10-20/4`.
public struct FrameRange: Sendable {
  /// The frames in order.
  public let frames: [Int]

  /// Reads `text` for a scene of `count` frames; nil where it is malformed or names none of them.
  public init?(_ text: String, count: Int) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let step = parts.count > 1 ? Int(parts[1]) : 1, step > 0 else { return nil }
    if parts[0].isEmpty && parts.count > 1 {
      frames = Array(stride(from: 0, to: count, by: step))
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last,
      0 <= first, last < count
    else { return nil }
    frames = Array(stride(from: first, through: last, by: step))
  }

  /// What may be named, for messages.
  public static func allowed(count: Int) -> String {
    "frames from 0 to \(count - 1): one as 5, some as 10-20, every 4th as /4 or 10-20/4"
  }
}
