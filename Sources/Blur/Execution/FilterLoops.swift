import BlurLoops

#if BLUR_WIDE_SETS
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

/// The inner loops of `Sources/BlurLoops`, as compiled for one instruction set.
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
    fixedDown: BlurLoops.fixedDown, fixedAcross: BlurLoops.fixedAcross,
    floatDown: BlurLoops.floatDown, floatAcross: BlurLoops.floatAcross)

  #if BLUR_WIDE_SETS
    private static let avx2 = FilterLoops(
      fixedDown: BlurLoopsAVX2.fixedDown, fixedAcross: BlurLoopsAVX2.fixedAcross,
      floatDown: BlurLoopsAVX2.floatDown, floatAcross: BlurLoopsAVX2.floatAcross)

    private static let avx512 = FilterLoops(
      fixedDown: BlurLoopsAVX512.fixedDown, fixedAcross: BlurLoopsAVX512.fixedAcross,
      floatDown: BlurLoopsAVX512.floatDown, floatAcross: BlurLoopsAVX512.floatAcross)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> FilterLoops {
    switch set {
    #if BLUR_WIDE_SETS
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
