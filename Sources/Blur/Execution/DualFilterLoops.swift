import BlurLanes
import CBlurVectors

#if arch(x86_64)
  import BlurLanesAVX2
  import BlurLanesAVX512
#endif

/// The loops of the dual filter in `Sources/BlurLanes`, as compiled for one instruction set.
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
    blend: BlurLanes.dualBlend, halve: BlurLanes.dualHalve, double: BlurLanes.dualDouble,
    finish: BlurLanes.dualFinish)

  #if arch(x86_64)
    private static let avx2 = DualFilterLoops(
      blend: BlurLanesAVX2.dualBlend, halve: BlurLanesAVX2.dualHalve, double: BlurLanesAVX2.dualDouble,
      finish: BlurLanesAVX2.dualFinish)

    private static let avx512 = DualFilterLoops(
      blend: BlurLanesAVX512.dualBlend, halve: BlurLanesAVX512.dualHalve, double: BlurLanesAVX512.dualDouble,
      finish: BlurLanesAVX512.dualFinish)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> DualFilterLoops {
    switch set {
    #if arch(x86_64)
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
