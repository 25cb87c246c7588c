// Measured by `blurbench tune --constants`, which prints this file anew.
// AMD EPYC, 2026-11-22. Median error of predictions: baseline 14 %, avx2 11 %, avx512 10 %.

extension CostConstants {
  /// Those of an instruction set.
  public static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline: CostConstants(vector: 0.148, partial: 0, scalar: 1.09, row: 10.4, start: 138)
    case .avx2: CostConstants(vector: 0.121, partial: 1.18, scalar: 1.37, row: 17.1, start: 48.1)
    case .avx512: CostConstants(vector: 0.164, partial: 8.43, scalar: 1.74, row: 11.9, start: 0)
    }
  }
}
