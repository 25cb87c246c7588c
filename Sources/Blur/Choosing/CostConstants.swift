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
    let (work, sharing) = (work(cost), min(Double(threads), cost.pieces))
    guard sharing > 1, Self.isShared(start + work, phases: cost.phases) else { return start + work }
    return start + min(work, work / sharing + Self.handing)
  }

  /// Whether several threads share a blur. Handing work to another thread takes microseconds, and in each
  /// further phase threads wait for each other, and read what others have written.
  ///
  /// - Parameter time: nanoseconds of the blur on one thread.
  static func isShared(_ time: Double, phases: Int) -> Bool {
    time >= 6_000 + 15_000 * Double(phases - 1)
  }
}

extension CostConstants {
  /// Those of an instruction set: the means of the machines that were measured.
  public static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline: baseline
    case .avx2: avx2
    case .avx512: avx512
    }
  }

  private static let baseline = means { $0.baseline }
  private static let avx2 = means { $0.avx2 }
  private static let avx512 = means { $0.avx512 }

  /// Waking the other threads, in nanoseconds.
  public static let waking = mean { $0.waking }
  /// Handing work to threads that are awake.
  public static let handing = mean { $0.handing }

  private static func means(_ constants: (MachineConstants) -> CostConstants?) -> CostConstants {
    CostConstants(
      vector: mean { constants($0)?.vector }, partial: mean { constants($0)?.partial },
      scalar: mean { constants($0)?.scalar }, row: mean { constants($0)?.row },
      start: mean { constants($0)?.start })
  }

  private static func mean(_ constant: (MachineConstants) -> Double?) -> Double {
    let all = MachineConstants.measured.compactMap(constant)
    return all.reduce(0, +) / Double(all.count)
  }
}
