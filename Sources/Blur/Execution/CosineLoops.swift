import BlurLoops
import CBlurVectors

#if BLUR_WIDE_SETS
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

/// The loops of sliding cosines in `Sources/BlurLoops`, as compiled for one instruction set.
struct CosineLoops: Sendable {
  typealias Rows = UnsafePointer<UnsafeRawPointer?>
  typealias Targets = UnsafePointer<UnsafeMutableRawPointer>
  typealias Floats = UnsafeMutablePointer<Float>

  /// Single-precision values in a vector.
  let lanes: Int
  let beginDown: @Sendable (Rows, Int, blur_cosines, UnsafeMutableRawPointer, Int) -> Void
  let down:
    @Sendable (Rows, Rows, Int, blur_cosines, UnsafeMutableRawPointer, Floats, Floats, Int, Int) -> Bool
  let across:
    @Sendable (
      UnsafePointer<Float>, Int, Int, blur_cosines, UnsafeMutableRawPointer, Floats, Int, Int, Targets,
      Range<Int>, Int
    ) -> Bool

  /// Bytes of a saved state of a vector of lines, for a number of cosines.
  func stateBytes(_ cosines: Int) -> Int {
    let vectors = cosines > Int(blur_narrow_cosines) ? 2 : 1
    return vectors * (2 + 2 * cosines) * lanes * MemoryLayout<Float>.size
  }

  private static let baseline = CosineLoops(
    lanes: 4, beginDown: BlurLoops.cosinesBeginDown, down: BlurLoops.cosinesDown,
    across: BlurLoops.cosinesAcross)

  #if BLUR_WIDE_SETS
    private static let avx2 = CosineLoops(
      lanes: 8, beginDown: BlurLoopsAVX2.cosinesBeginDown, down: BlurLoopsAVX2.cosinesDown,
      across: BlurLoopsAVX2.cosinesAcross)

    private static let avx512 = CosineLoops(
      lanes: 16, beginDown: BlurLoopsAVX512.cosinesBeginDown, down: BlurLoopsAVX512.cosinesDown,
      across: BlurLoopsAVX512.cosinesAcross)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> CosineLoops {
    switch set {
    #if BLUR_WIDE_SETS
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
