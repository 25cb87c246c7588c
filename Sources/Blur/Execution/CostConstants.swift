/// The times in nanoseconds that the operations of a ``Cost`` take with one instruction set.
package struct CostConstants: Hashable, Sendable {
  /// The time of one operation of each kind, in nanoseconds.
  package var vector: Double, partial: Double, scalar: Double, row: Double
  /// The fixed time in nanoseconds that every blur takes, no matter how small the image is.
  package var start: Double

  /// Creates the constants of one instruction set. All times are in nanoseconds.
  package init(vector: Double, partial: Double, scalar: Double, row: Double, start: Double) {
    (self.vector, self.partial, self.scalar, self.row, self.start) = (vector, partial, scalar, row, start)
  }

  /// Returns the time in nanoseconds that all operations in `cost` take on one thread.
  func work(_ cost: Cost) -> Double {
    let loops = cost.vectors * vector + cost.partials * partial
    return loops + cost.scalars * scalar + cost.rows * row
  }

  /// Returns the estimated time of a blur in nanoseconds. If the blur is long enough to be shared, up to
  /// `threads` threads share the work.
  package func time(_ cost: Cost, threads: Int) -> Double {
    let (work, sharing) = (work(cost), min(Double(threads), cost.pieces))
    guard sharing > 1, Self.isShared(start + work, phases: cost.phases) else { return start + work }
    return start + min(work, work / sharing + Self.handing)
  }

  /// Returns whether a blur takes so long that sharing it among several threads makes it faster. Sharing
  /// costs microseconds, because the work must be handed to other threads. Each further phase costs more
  /// time, because all threads wait for each other before it, and then read data that other threads have
  /// written.
  ///
  /// - Parameter time: The time of the blur on one thread, in nanoseconds.
  static func isShared(_ time: Double, phases: Int) -> Bool {
    time >= 6_000 + 15_000 * Double(phases - 1)
  }

  /// Returns the constants of an instruction set, averaged over the machines that were measured.
  package static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline: baseline
    case .avx2: avx2
    case .avx512: avx512
    }
  }

  private static let baseline = means { $0.baseline }
  private static let avx2 = means { $0.avx2 }
  private static let avx512 = means { $0.avx512 }

  /// The time that it takes to wake the other threads, in nanoseconds, averaged over the machines that were
  /// measured.
  package static let waking = mean { $0.waking }
  /// The time that it takes to hand work to threads that are already awake, in nanoseconds, averaged over the
  /// machines that were measured.
  package static let handing = mean { $0.handing }

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
