/// An operation that is applied to rows of a result as soon as they are written. The rows are still in the
/// cache then, so the operation does not need a separate pass over memory.
public protocol RowEpilogue: AnyObject, Sendable {
  /// Changes rows of the blurred region in place.
  ///
  /// This method is called at least once for each row, from any thread. A second call for a row means that
  /// the blur has written the row again since the first call, so the row must be changed again.
  ///
  /// - Parameters:
  ///   - rows: The rows to change, counted from the first row of the region.
  ///   - target: The whole region.
  func finish(_ rows: Range<Int>, in target: MutableImageView)
}

/// The epilogue of images whose alpha is ``ImageLayout/Alpha/opaque``: it sets the fourth channel to full
/// scale, and then applies the user's epilogue.
final class OpaqueRows: RowEpilogue {
  private let next: (any RowEpilogue)?

  init(_ next: (any RowEpilogue)?) { self.next = next }

  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    target.makeOpaque(rows)
    next?.finish(rows, in: target)
  }
}
