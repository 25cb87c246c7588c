/// What is done to rows of a result as soon as they are written, while they are in the cache: a second step that
/// costs no pass over memory of its own.
///
/// A small structure, so that handing it to a blur allocates nothing.
public protocol RowFinish: Sendable {
  /// Changes rows of the blurred region in place.
  ///
  /// Each row comes at least once, from any thread. Where it comes again it has been written anew before.
  ///
  /// - Parameters:
  ///   - rows: rows of the region, from its first on.
  ///   - target: the whole region.
  func finish(_ rows: Range<Int>, in target: MutableImageView)
}
