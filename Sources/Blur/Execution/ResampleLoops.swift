import BlurLanes

#if BLUR_WIDE_SETS
  import BlurLanesAVX2
  import BlurLanesAVX512
#endif

/// The loops of `Sources/BlurLanes` that halve and double images in one arithmetic, as compiled for one
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
  static func compiled(for set: InstructionSet, _ arithmetic: PyramidArithmetic) -> ResampleLoops {
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
    halveDown: BlurLanes.fixedHalveDown, halveAcross: BlurLanes.fixedHalveAcross,
    doubleDown: BlurLanes.fixedDoubleDown, doubleAcross: BlurLanes.fixedDoubleAcross)
  private static let floatBaseline = ResampleLoops(
    halveDown: BlurLanes.floatHalveDown, halveAcross: BlurLanes.floatHalveAcross,
    doubleDown: BlurLanes.floatDoubleDown, doubleAcross: BlurLanes.floatDoubleAcross)

  #if BLUR_WIDE_SETS
    private static let fixedAVX2 = ResampleLoops(
      halveDown: BlurLanesAVX2.fixedHalveDown, halveAcross: BlurLanesAVX2.fixedHalveAcross,
      doubleDown: BlurLanesAVX2.fixedDoubleDown, doubleAcross: BlurLanesAVX2.fixedDoubleAcross)
    private static let floatAVX2 = ResampleLoops(
      halveDown: BlurLanesAVX2.floatHalveDown, halveAcross: BlurLanesAVX2.floatHalveAcross,
      doubleDown: BlurLanesAVX2.floatDoubleDown, doubleAcross: BlurLanesAVX2.floatDoubleAcross)
    private static let fixedAVX512 = ResampleLoops(
      halveDown: BlurLanesAVX512.fixedHalveDown, halveAcross: BlurLanesAVX512.fixedHalveAcross,
      doubleDown: BlurLanesAVX512.fixedDoubleDown, doubleAcross: BlurLanesAVX512.fixedDoubleAcross)
    private static let floatAVX512 = ResampleLoops(
      halveDown: BlurLanesAVX512.floatHalveDown, halveAcross: BlurLanesAVX512.floatHalveAcross,
      doubleDown: BlurLanesAVX512.floatDoubleDown, doubleAcross: BlurLanesAVX512.floatDoubleAcross)
  #endif
}
