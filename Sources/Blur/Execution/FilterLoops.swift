import BlurLanes

#if arch(x86_64)
  import BlurLanesAVX2
  import BlurLanesAVX512
#endif

/// The inner loops of `Sources/BlurLanes`, as compiled for one instruction set.
struct FilterLoops: Sendable {
  typealias Rows = UnsafePointer<UnsafeRawPointer>

  let fixedDown:
    @Sendable (Rows, Int, Int, Int, UnsafePointer<Int32>, UnsafeMutablePointer<UInt16>, Int, Int) -> Void
  let fixedAcross:
    @Sendable (
      UnsafePointer<UInt16>, Int, Int, Int, UnsafePointer<Int32>, UnsafeMutableRawPointer, Int, Int
    ) -> Void
  let floatDown:
    @Sendable (Rows, Int, Int, UnsafePointer<Float>, UnsafeMutablePointer<Float>, Int, Int) -> Void
  let floatAcross:
    @Sendable (UnsafePointer<Float>, Int, Int, UnsafePointer<Float>, UnsafeMutableRawPointer, Int, Int) ->
      Void

  /// How many output rows the vertical passes compute together: source rows are loaded once for all.
  static let rowsPerBlock = 4

  /// The most values of a line that the loops read or write beyond what is asked for: four vectors of the
  /// widest set.
  static let slack = 4 * 32

  private static let baseline = FilterLoops(
    fixedDown: BlurLanes.fixedDown, fixedAcross: BlurLanes.fixedAcross,
    floatDown: BlurLanes.floatDown, floatAcross: BlurLanes.floatAcross)

  #if arch(x86_64)
    private static let avx2 = FilterLoops(
      fixedDown: BlurLanesAVX2.fixedDown, fixedAcross: BlurLanesAVX2.fixedAcross,
      floatDown: BlurLanesAVX2.floatDown, floatAcross: BlurLanesAVX2.floatAcross)

    private static let avx512 = FilterLoops(
      fixedDown: BlurLanesAVX512.fixedDown, fixedAcross: BlurLanesAVX512.fixedAcross,
      floatDown: BlurLanesAVX512.floatDown, floatAcross: BlurLanesAVX512.floatAcross)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> FilterLoops {
    switch set {
    #if arch(x86_64)
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
