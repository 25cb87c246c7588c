// Measured by `blurbench tune --constants`, which prints this file anew.

extension CostConstants {
  /// Those of an instruction set.
  public static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline: CostConstants(vector: 0.106, partial: 10, scalar: 1.5, row: 21, start: 170)
    case .avx2: CostConstants(vector: 0.106, partial: 10, scalar: 1.2, row: 23, start: 180)
    case .avx512: CostConstants(vector: 0.164, partial: 13, scalar: 1.1, row: 24, start: 120)
    }
  }
}
