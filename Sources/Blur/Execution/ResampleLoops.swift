import BlurLoops

#if BLUR_WIDE_SETS
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

/// The loops of `Sources/BlurLoops` that halve and double images in one arithmetic, as compiled for one
/// instruction set.
struct ResampleLoops: Sendable {
  /// Source rows, bytes of their components, channels, order, line, first odd value, count.
  let halveDown:
    @Sendable (UnsafePointer<UnsafeRawPointer>, Int, Int, Int, UnsafeMutableRawPointer, Int, Int) -> Void
  /// Line, first odd value, channels, order, target, count.
  let halveAcross: @Sendable (UnsafeRawPointer, Int, Int, Int, UnsafeMutableRawPointer, Int) -> Void
  /// Five rows, order, line of the third, line after it, count.
  let doubleDown:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, Int, UnsafeMutableRawPointer, UnsafeMutableRawPointer, Int
    ) -> Void
  /// Line, channels, order, target, bytes of its components, whether exactly the count is written, count.
  let doubleAcross: @Sendable (UnsafeRawPointer, Int, Int, UnsafeMutableRawPointer, Int, Bool, Int) -> Void

  /// The loops in 16 bits or single precision, for an instruction set that is available.
  static func compiled(for set: InstructionSet, _ arithmetic: CascadeArithmetic) -> ResampleLoops {
    switch (set, arithmetic) {
    #if BLUR_WIDE_SETS
      case (.avx2, .fixed): fixedAVX2
      case (.avx2, .float): floatAVX2
      case (.avx512, .fixed): fixedAVX512
      case (.avx512, .float): floatAVX512
    #endif
    case (_, .fixed): fixedBaseline
    case (_, .float): floatBaseline
    }
  }

  private static let fixedBaseline = ResampleLoops(
    halveDown: BlurLoops.fixedHalveDown, halveAcross: BlurLoops.fixedHalveAcross,
    doubleDown: BlurLoops.fixedDoubleDown, doubleAcross: BlurLoops.fixedDoubleAcross)
  private static let floatBaseline = ResampleLoops(
    halveDown: BlurLoops.floatHalveDown, halveAcross: BlurLoops.floatHalveAcross,
    doubleDown: BlurLoops.floatDoubleDown, doubleAcross: BlurLoops.floatDoubleAcross)

  #if BLUR_WIDE_SETS
    private static let fixedAVX2 = ResampleLoops(
      halveDown: BlurLoopsAVX2.fixedHalveDown, halveAcross: BlurLoopsAVX2.fixedHalveAcross,
      doubleDown: BlurLoopsAVX2.fixedDoubleDown, doubleAcross: BlurLoopsAVX2.fixedDoubleAcross)
    private static let floatAVX2 = ResampleLoops(
      halveDown: BlurLoopsAVX2.floatHalveDown, halveAcross: BlurLoopsAVX2.floatHalveAcross,
      doubleDown: BlurLoopsAVX2.floatDoubleDown, doubleAcross: BlurLoopsAVX2.floatDoubleAcross)
    private static let fixedAVX512 = ResampleLoops(
      halveDown: BlurLoopsAVX512.fixedHalveDown, halveAcross: BlurLoopsAVX512.fixedHalveAcross,
      doubleDown: BlurLoopsAVX512.fixedDoubleDown, doubleAcross: BlurLoopsAVX512.fixedDoubleAcross)
    private static let floatAVX512 = ResampleLoops(
      halveDown: BlurLoopsAVX512.floatHalveDown, halveAcross: BlurLoopsAVX512.floatHalveAcross,
      doubleDown: BlurLoopsAVX512.floatDoubleDown, doubleAcross: BlurLoopsAVX512.floatDoubleAcross)
  #endif
}
