import BlurLanes
import CBlurVectors

#if arch(x86_64)
  import BlurLanesAVX2
  import BlurLanesAVX512
#endif

/// The colour steps of `Sources/BlurLanes` for rows of rgba8, as compiled for one instruction set.
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
    colour: BlurLanes.colourRow, mix: BlurLanes.mixRow, mask: BlurLanes.maskRow)

  #if arch(x86_64)
    private static let avx2 = ColourLoops(
      colour: BlurLanesAVX2.colourRow, mix: BlurLanesAVX2.mixRow, mask: BlurLanesAVX2.maskRow)

    private static let avx512 = ColourLoops(
      colour: BlurLanesAVX512.colourRow, mix: BlurLanesAVX512.mixRow, mask: BlurLanesAVX512.maskRow)
  #endif

  /// The loops for the widest set of this CPU up to `limit`.
  package static func compiled(upTo limit: InstructionSet) -> ColourLoops {
    switch InstructionSet.available.filter({ $0 <= limit }).max() ?? .baseline {
    #if arch(x86_64)
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
