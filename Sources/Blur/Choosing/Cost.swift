/// The number of operations in a blur, counted by the kernel that would do them. ``CostConstants`` turns
/// these numbers into a time.
public struct Cost: Hashable, Sendable {
  /// The number of vector instructions in the inner loops, on vectors of the instruction set.
  public var vectors = 0.0
  /// The number of vectors that are loaded only in part, because a row is shorter than a vector.
  public var partials = 0.0
  /// The number of steps in scalar code. Copying a number, an address or a pixel is one step.
  public var scalars = 0.0
  /// The number of rows for which inner loops are called.
  public var rows = 0.0
  /// The largest number of threads that can share the work.
  public var pieces = 1.0
  /// The number of phases, one after the other, each of which is shared by all threads.
  public var phases = 1

  /// Creates a cost of work that one thread does.
  public init(vectors: Double = 0, partials: Double = 0, scalars: Double = 0, rows: Double = 0) {
    (self.vectors, self.partials, self.scalars, self.rows) = (vectors, partials, scalars, rows)
  }

  /// Returns the cost of doing `a` and then `b`. The number of threads that can share the sum is the larger
  /// one of the numbers for `a` and `b`.
  public static func + (a: Cost, b: Cost) -> Cost {
    var sum = Cost(
      vectors: a.vectors + b.vectors, partials: a.partials + b.partials, scalars: a.scalars + b.scalars,
      rows: a.rows + b.rows)
    (sum.pieces, sum.phases) = (max(a.pieces, b.pieces), max(a.phases, b.phases))
    return sum
  }

  /// Returns the cost of doing the work `times` times.
  public static func * (cost: Cost, times: Double) -> Cost {
    var product = Cost(
      vectors: cost.vectors * times, partials: cost.partials * times, scalars: cost.scalars * times,
      rows: cost.rows * times)
    (product.pieces, product.phases) = (cost.pieces, cost.phases)
    return product
  }

  /// The cost of a kernel that does not count its operations. Such a kernel is chosen only if it was
  /// measured, or if no other kernel is allowed.
  public static let unknown = Cost(scalars: .infinity)
}

extension Double {
  /// Returns the number of pieces of `size` that are needed to cover this number.
  func pieces(of size: Int) -> Double { (self / Double(size)).rounded(.up) }
}
