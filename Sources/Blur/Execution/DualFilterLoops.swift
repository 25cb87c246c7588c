import BlurLoops
import CBlurVectors

#if BLUR_WIDE_SETS
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

/// The loops of the dual filter in `Sources/BlurLoops`, as compiled for one instruction set.
struct DualFilterLoops: Sendable {
  typealias Line = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  /// Four rows, samples, bytes of the rows' components, line, count.
  let blend: @Sendable (UnsafePointer<UnsafeRawPointer>, blur_samples, Int, Target, Int) -> Void
  /// Lines of the centre and the corners, samples, channels, row, count.
  let halve: @Sendable (Line, Line, blur_samples, Int, Target, Int) -> Void
  /// Lines for far samples, for the near one and for those between, these samples, channels, row, count.
  let double: @Sendable (Line, Line, Line, blur_samples, blur_samples, blur_samples, Int, Target, Int) -> Void
  /// Row, its share, the image's row, target, bytes of its components, count.
  let finish: @Sendable (Line, Float, UnsafeRawPointer, UnsafeMutableRawPointer, Int, Int) -> Void

  private static let baseline = DualFilterLoops(
    blend: BlurLoops.dualBlend, halve: BlurLoops.dualHalve, double: BlurLoops.dualDouble,
    finish: BlurLoops.dualFinish)

  #if BLUR_WIDE_SETS
    private static let avx2 = DualFilterLoops(
      blend: BlurLoopsAVX2.dualBlend, halve: BlurLoopsAVX2.dualHalve, double: BlurLoopsAVX2.dualDouble,
      finish: BlurLoopsAVX2.dualFinish)

    private static let avx512 = DualFilterLoops(
      blend: BlurLoopsAVX512.dualBlend, halve: BlurLoopsAVX512.dualHalve, double: BlurLoopsAVX512.dualDouble,
      finish: BlurLoopsAVX512.dualFinish)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> DualFilterLoops {
    switch set {
    #if BLUR_WIDE_SETS
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
