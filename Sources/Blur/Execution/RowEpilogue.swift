/// An operation that is applied to rows of a result as soon as they are written. At that moment, the rows are
/// still in the cache, so the operation does not need a separate pass over memory.
public protocol RowEpilogue: AnyObject, Sendable {
  /// Changes rows of the blurred region in place.
  ///
  /// This method is called at least once for each row, from any thread. If the blur writes a row again, the
  /// method is called again for this row, and must change the row again.
  ///
  /// - Parameters:
  ///   - rows: The rows to change, counted from the first row of the region.
  ///   - target: A view of the whole blurred region.
  func finish(_ rows: Range<Int>, in target: MutableImageView)
}

/// Everything that is done to finished rows of a blur. If alpha is ``ImageLayout/Alpha/opaque``, the fourth
/// channel is set to full scale. After that, the user's epilogue is called, if there is one.
struct CompleteEpilogue: Sendable {
  private let isOpaque: Bool
  private let epilogue: (any RowEpilogue)?

  /// Creates the complete epilogue for results with the given layout, or returns nil if it would do nothing.
  init?(_ layout: ImageLayout, _ epilogue: (any RowEpilogue)?) {
    (isOpaque, self.epilogue) = (layout.alpha == .opaque, epilogue)
    guard isOpaque || epilogue != nil else { return nil }
  }

  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    if isOpaque { target.makeOpaque(rows) }
    epilogue?.finish(rows, in: target)
  }
}
