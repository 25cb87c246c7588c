/// The times in nanoseconds that the operations of a ``Cost`` take with one instruction set.
public struct CostConstants: Hashable, Sendable {
  /// The time of one operation of each kind, in nanoseconds.
  public var vector: Double, partial: Double, scalar: Double, row: Double
  /// The fixed part of the time of a blur, in nanoseconds: the time that a blur would take if it had no work
  /// to do.
  public var start: Double

  /// Creates constants from times in nanoseconds.
  public init(vector: Double, partial: Double, scalar: Double, row: Double, start: Double) {
    (self.vector, self.partial, self.scalar, self.row, self.start) = (vector, partial, scalar, row, start)
  }

  /// Returns the time that the work takes on one thread, in nanoseconds.
  func work(_ cost: Cost) -> Double {
    let loops = cost.vectors * vector + cost.partials * partial
    return loops + cost.scalars * scalar + cost.rows * row
  }

  /// Returns the time of a blur in nanoseconds, if `threads` threads may share it.
  public func time(_ cost: Cost, threads: Int) -> Double {
    let (work, sharing) = (work(cost), min(Double(threads), cost.pieces))
    guard sharing > 1, Self.isShared(start + work, phases: cost.phases) else { return start + work }
    return start + min(work, work / sharing + Self.handing)
  }

  /// Returns whether a blur takes so long that several threads share it. Handing work to another thread takes
  /// microseconds. In each further phase, the threads also wait for each other and read what other threads
  /// have written.
  ///
  /// - Parameter time: The time of the blur on one thread, in nanoseconds.
  static func isShared(_ time: Double, phases: Int) -> Bool {
    time >= 6_000 + 15_000 * Double(phases - 1)
  }
}

extension CostConstants {
  /// Returns the constants of an instruction set. They are means over the machines that were measured.
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

  /// How long it takes to wake the other threads, in nanoseconds.
  public static let waking = mean { $0.waking }
  /// How long it takes to hand work to threads that are awake, in nanoseconds.
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
