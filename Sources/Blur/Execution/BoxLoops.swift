import BlurLoops
import CBlurVectors

#if BLUR_WIDE_SETS
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

/// The triple box's loops of `Sources/BlurLoops`, as compiled for one instruction set.
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
    down32: BlurLoops.boxDown32, down64: BlurLoops.boxDown64,
    across32: BlurLoops.boxAcross32, across64: BlurLoops.boxAcross64,
    means: BlurLoops.boxMeans, turn: BlurLoops.boxTurn, write: BlurLoops.boxWrite)

  #if BLUR_WIDE_SETS
    private static let avx2 = BoxLoops(
      down32: BlurLoopsAVX2.boxDown32, down64: BlurLoopsAVX2.boxDown64,
      across32: BlurLoopsAVX2.boxAcross32, across64: BlurLoopsAVX2.boxAcross64,
      means: BlurLoopsAVX2.boxMeans, turn: BlurLoopsAVX2.boxTurn, write: BlurLoopsAVX2.boxWrite)

    private static let avx512 = BoxLoops(
      down32: BlurLoopsAVX512.boxDown32, down64: BlurLoopsAVX512.boxDown64,
      across32: BlurLoopsAVX512.boxAcross32, across64: BlurLoopsAVX512.boxAcross64,
      means: BlurLoopsAVX512.boxMeans, turn: BlurLoopsAVX512.boxTurn, write: BlurLoopsAVX512.boxWrite)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> BoxLoops {
    switch set {
    #if BLUR_WIDE_SETS
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
