import BlurLoops
import CBlurVectors

#if BLUR_WIDE_SETS
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

/// The colour steps of `Sources/BlurLoops` for rows of rgba8, as compiled for one instruction set.
package struct ColourLoops: Sendable {
  package typealias Row = UnsafeMutablePointer<UInt8>
  package typealias Under = UnsafePointer<UInt8>

  /// Matrices and layers: row, pixels, what is done.
  package let colour: @Sendable (Row, Int, blur_colours) -> Void
  /// A row over another one: row, under it, pixels, weight in 256ths.
  package let mix: @Sendable (Row, Under, Int, Int) -> Void
  /// The same with a mask: row, under it, mask, pixels, weight in 256ths.
  package let mask: @Sendable (Row, Under, Under, Int, Int) -> Void

  private static let baseline = ColourLoops(
    colour: BlurLoops.colourRow, mix: BlurLoops.mixRow, mask: BlurLoops.maskRow)

  #if BLUR_WIDE_SETS
    private static let avx2 = ColourLoops(
      colour: BlurLoopsAVX2.colourRow, mix: BlurLoopsAVX2.mixRow, mask: BlurLoopsAVX2.maskRow)

    private static let avx512 = ColourLoops(
      colour: BlurLoopsAVX512.colourRow, mix: BlurLoopsAVX512.mixRow, mask: BlurLoopsAVX512.maskRow)
  #endif

  /// The loops for the widest set of this CPU up to `limit`.
  package static func compiled(upTo limit: InstructionSet) -> ColourLoops {
    switch InstructionSet.available.filter({ $0 <= limit }).max() ?? .baseline {
    #if BLUR_WIDE_SETS
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
