/// The operations of a blur, counted by the kernel that would do them. ``CostConstants`` turn them into time.
public struct Cost: Hashable, Sendable {
  /// Vector instructions of the inner loops, on vectors of the instruction set.
  public var vectors = 0.0
  /// Vectors that are loaded in part, where rows are shorter than a vector.
  public var partials = 0.0
  /// Steps of plain code: a number, an address or a pixel copied.
  public var scalars = 0.0
  /// Rows that inner loops are called for.
  public var rows = 0.0
  /// How many threads can share the work.
  public var pieces = 1.0
  /// How many steps follow each other, each shared by all threads.
  public var phases = 1

  /// Makes a cost on one thread.
  public init(vectors: Double = 0, partials: Double = 0, scalars: Double = 0, rows: Double = 0) {
    (self.vectors, self.partials, self.scalars, self.rows) = (vectors, partials, scalars, rows)
  }

  /// Both, one after the other; as many threads can share them as can share either.
  public static func + (a: Cost, b: Cost) -> Cost {
    var sum = Cost(
      vectors: a.vectors + b.vectors, partials: a.partials + b.partials, scalars: a.scalars + b.scalars,
      rows: a.rows + b.rows)
    (sum.pieces, sum.phases) = (max(a.pieces, b.pieces), max(a.phases, b.phases))
    return sum
  }

  /// The work, done N times.
  public static func * (cost: Cost, times: Double) -> Cost {
    var product = Cost(
      vectors: cost.vectors * times, partials: cost.partials * times, scalars: cost.scalars * times,
      rows: cost.rows * times)
    (product.pieces, product.phases) = (cost.pieces, cost.phases)
    return product
  }

  /// That of a kernel that does not count: it is chosen where nothing else may be, or where it was measured.
  public static let unknown = Cost(scalars: .infinity)
}

extension Double {
  /// How many pieces of `size` it takes.
  func pieces(of size: Int) -> Double { (self / Double(size)).rounded(.up) }
}
