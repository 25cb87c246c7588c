// Measured by `blurbench tune --constants`, which prints this file anew.
// AMD EPYC, 2026-11-22. Median error of predictions: baseline 11 %, avx2 8 %, avx512 6 %.

extension CostConstants {
  /// Those of an instruction set.
  public static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline: CostConstants(vector: 0.143, partial: 0, scalar: 1.01, row: 12.7, start: 131)
    case .avx2: CostConstants(vector: 0.114, partial: 3.63, scalar: 1.29, row: 17.1, start: 112)
    case .avx512: CostConstants(vector: 0.165, partial: 9.33, scalar: 1.57, row: 13.7, start: 0)
    }
  }
}
