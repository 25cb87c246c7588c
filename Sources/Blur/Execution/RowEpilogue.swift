/// A second step on rows of a result as soon as they are written, while they are in the cache: it costs no
/// pass over memory of its own.
public protocol RowEpilogue: AnyObject, Sendable {
  /// Changes rows of the blurred region in place.
  ///
  /// Each row comes at least once, from any thread. Where it comes again it has been written anew before.
  ///
  /// - Parameters:
  ///   - rows: rows of the region, from its first on.
  ///   - target: the whole region.
  func finish(_ rows: Range<Int>, in target: MutableImageView)
}
