/// What the operations of ``Cost`` take with an instruction set, in nanoseconds.
public struct CostConstants: Hashable, Sendable {
  /// An operation of each kind.
  public var vector: Double, partial: Double, scalar: Double, row: Double
  /// A blur that does nothing.
  public var start: Double

  /// Makes constants.
  public init(vector: Double, partial: Double, scalar: Double, row: Double, start: Double) {
    (self.vector, self.partial, self.scalar, self.row, self.start) = (vector, partial, scalar, row, start)
  }

  /// Nanoseconds of the work on one thread.
  func work(_ cost: Cost) -> Double {
    let loops = cost.vectors * vector + cost.partials * partial
    return loops + cost.scalars * scalar + cost.rows * row
  }

  /// Nanoseconds of a blur.
  public func time(_ cost: Cost, threads: Int) -> Double {
    let sharing = min(Double(threads), cost.pieces)
    return start + (sharing > 1 ? min(work(cost), work(cost) / sharing + Self.handing) : work(cost))
  }
}
