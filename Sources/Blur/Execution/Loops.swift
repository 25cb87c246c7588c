import BlurLoopTable
import BlurLoops

#if arch(x86_64) && !BLUR_BASELINE_ONLY
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

extension InstructionSet {
  /// The inner loops compiled for this instruction set, which must be available on this CPU.
  var loops: LoopTable {
    switch self {
    #if arch(x86_64) && !BLUR_BASELINE_ONLY
      case .avx2: BlurLoopsAVX2.loops
      case .avx512: BlurLoopsAVX512.loops
    #endif
    default: BlurLoops.loops
    }
  }
}
