/// A selection of a scene's frames, in the notation that users type: `5` for one frame, `10-20` for a range,
/// `/4` for every fourth frame, or `10-20/4` for every fourth frame of a range.
public struct FrameRange: Sendable {
  /// The numbers of the selected frames, in ascending order.
  public let frames: [Int]

  /// Parses a selection of frames, such as `10-20`, for a scene with `count` frames. The result is nil if the
  /// text is malformed or selects a frame that the scene does not have.
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

  /// Returns a text for error messages that explains how users can select frames.
  public static func allowed(count: Int) -> String {
    "frames from 0 to \(count - 1), such as 5 (one frame), 10-20 (a range), /4 (every 4th frame) or 10-20/4"
  }
}
