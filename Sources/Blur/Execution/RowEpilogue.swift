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
  ///   - target: A view of the whole blurred region.
  func finish(_ rows: Range<Int>, in target: MutableImageView)
}

/// The epilogue of a blur together with the step that sets the fourth channel to full scale if alpha is
/// ``ImageLayout/Alpha/opaque``. This step comes before the user's epilogue.
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
