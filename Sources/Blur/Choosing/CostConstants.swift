// `blurbench tune --constants` measures these anew and prints this file.

/// What the operations of ``Cost`` take with an instruction set, in nanoseconds.
public struct CostConstants: Hashable, Sendable {
  /// An operation of each kind.
  public var vector: Double, partial: Double, scalar: Double, row: Double, byte: Double
  /// A blur that does nothing.
  public var start: Double
  /// Waking the other threads.
  public static let waking = 50_000.0

  /// The constants of an instruction set.
  public static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline:
      CostConstants(vector: 0.2, partial: 1, scalar: 1, row: 10, byte: 0.02, start: 100)
    case .avx2:
      CostConstants(vector: 0.2, partial: 1, scalar: 1, row: 10, byte: 0.02, start: 100)
    case .avx512:
      CostConstants(vector: 0.3, partial: 1, scalar: 1, row: 10, byte: 0.02, start: 100)
    }
  }

  /// Nanoseconds of the work on one thread.
  func work(_ cost: Cost) -> Double {
    let loops = cost.vectors * vector + cost.partials * partial
    return loops + cost.scalars * scalar + cost.rows * row + cost.bytes * byte
  }

  /// Nanoseconds of a blur.
  public func time(_ cost: Cost, threads: Int) -> Double {
    let sharing = min(Double(threads), cost.pieces)
    return start + (sharing > 1 ? work(cost) / sharing + Self.waking : work(cost))
  }
}
