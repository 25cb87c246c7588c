// Measured by `blurbench tune --constants`, which prints this file anew.
// AMD EPYC, 2026-11-23. Median error of predictions: baseline 16 %, avx2 12 %, avx512 8 %.

extension CostConstants {
  /// Those of an instruction set.
  public static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline: CostConstants(vector: 0.122, partial: 1.96, scalar: 0.799, row: 15.3, start: 419)
    case .avx2: CostConstants(vector: 0.113, partial: 3.24, scalar: 0.812, row: 15.6, start: 272)
    case .avx512: CostConstants(vector: 0.166, partial: 2.53, scalar: 0.932, row: 15.5, start: 98.7)
    }
  }

  /// Waking the other threads.
  public static let waking = 50000.0
  /// Handing work to threads that are awake, as they are between blurs that follow each other at once.
  public static let handing = 4000.0
}
