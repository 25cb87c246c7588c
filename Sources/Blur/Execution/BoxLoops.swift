import BlurLanes
import CBlurVectors

#if arch(x86_64)
  import BlurLanesAVX2
  import BlurLanesAVX512
#endif

/// The triple box's loops of `Sources/BlurLanes`, as compiled for one instruction set.
struct BoxLoops: Sendable {
  /// Advances the columns' sums, of 32 or 64 bits, by a block of rows.
  let down32, down64: @Sendable (blur_box_block) -> Void
  /// Sums, in 32 or 64 bits, along a line of steps.
  let across32, across64: @Sendable (blur_box_line) -> Void

  /// Box means along a line of steps: from, to, number of steps, size, a block of `size` sums of 64 bits.
  let means: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer, Int, Int, UnsafeMutableRawPointer) -> Void
  /// Turns a block's rows of 16 components into steps: from, channels, to.
  let turn: @Sendable (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> Void
  /// Writes the steps of a line to rows.
  let write: @Sendable (blur_box_line) -> Void

  /// Steps, and columns, that the vertical pass may write beyond a line: one vector of 16-bit lanes.
  static let slack = 32

  private static let baseline = BoxLoops(
    down32: BlurLanes.boxDown32, down64: BlurLanes.boxDown64,
    across32: BlurLanes.boxAcross32, across64: BlurLanes.boxAcross64,
    means: BlurLanes.boxMeans, turn: BlurLanes.boxTurn, write: BlurLanes.boxWrite)

  #if arch(x86_64)
    private static let avx2 = BoxLoops(
      down32: BlurLanesAVX2.boxDown32, down64: BlurLanesAVX2.boxDown64,
      across32: BlurLanesAVX2.boxAcross32, across64: BlurLanesAVX2.boxAcross64,
      means: BlurLanesAVX2.boxMeans, turn: BlurLanesAVX2.boxTurn, write: BlurLanesAVX2.boxWrite)

    private static let avx512 = BoxLoops(
      down32: BlurLanesAVX512.boxDown32, down64: BlurLanesAVX512.boxDown64,
      across32: BlurLanesAVX512.boxAcross32, across64: BlurLanesAVX512.boxAcross64,
      means: BlurLanesAVX512.boxMeans, turn: BlurLanesAVX512.boxTurn, write: BlurLanesAVX512.boxWrite)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> BoxLoops {
    switch set {
    #if arch(x86_64)
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
