import BlurLanes
import CBlurVectors

#if arch(x86_64)
  import BlurLanesAVX2
  import BlurLanesAVX512
#endif

/// The loops of sliding cosines in `Sources/BlurLanes`, as compiled for one instruction set.
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
    lanes: 4, beginDown: BlurLanes.cosinesBeginDown, down: BlurLanes.cosinesDown,
    across: BlurLanes.cosinesAcross)

  #if arch(x86_64)
    private static let avx2 = CosineLoops(
      lanes: 8, beginDown: BlurLanesAVX2.cosinesBeginDown, down: BlurLanesAVX2.cosinesDown,
      across: BlurLanesAVX2.cosinesAcross)

    private static let avx512 = CosineLoops(
      lanes: 16, beginDown: BlurLanesAVX512.cosinesBeginDown, down: BlurLanesAVX512.cosinesDown,
      across: BlurLanesAVX512.cosinesAcross)
  #endif

  /// The loops for an instruction set that is available.
  static func compiled(for set: InstructionSet) -> CosineLoops {
    switch set {
    #if arch(x86_64)
      case .avx2: avx2
      case .avx512: avx512
    #endif
    default: baseline
    }
  }
}
