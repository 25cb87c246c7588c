// Measured by `blurbench tune --constants`, which prints this file anew.

extension CostConstants {
  /// Those of an instruction set.
  public static func of(_ set: InstructionSet) -> CostConstants {
    switch set {
    case .baseline: CostConstants(vector: 0.105, partial: 10, scalar: 2, row: 28, start: 100)
    case .avx2: CostConstants(vector: 0.1, partial: 8, scalar: 2, row: 28, start: 100)
    case .avx512: CostConstants(vector: 0.145, partial: 9, scalar: 2, row: 28, start: 100)
    }
  }
}
