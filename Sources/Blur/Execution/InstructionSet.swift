import BlurLoopTable
import BlurLoops
import CBlurVectors

#if arch(x86_64) && !BLUR_BASELINE_ONLY
  import BlurLoopsAVX2
  import BlurLoopsAVX512
#endif

/// A set of vector instructions for which the inner loops of kernels are compiled. The cases are ordered from
/// narrow to wide vectors.
public enum InstructionSet: String, CaseIterable, Comparable, Sendable {
  /// The vector instructions that every CPU of the architecture has: SSE2 on x86-64, NEON on arm64.
  case baseline
  /// AVX2 and FMA (x86-64-v3).
  case avx2
  /// AVX-512 F, BW, CD, DQ, VL (x86-64-v4).
  case avx512

  /// The name of the instruction set on the command line and in records.
  public var name: String { rawValue }

  /// Returns whether `a` has narrower vectors than `b`.
  public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

  /// The number of bytes in a vector.
  var vectorBytes: Int { 16 << rank }

  /// The number of single-precision values in a vector.
  var floats: Int { vectorBytes / MemoryLayout<Float>.size }

  private var rank: Int {
    switch self {
    case .baseline: 0
    case .avx2: 1
    case .avx512: 2
    }
  }

  /// Whether this CPU has the instruction set and this build has code for it.
  public var isAvailable: Bool { Self.available.contains(self) }

  /// The instruction sets that this CPU has and this build has code for.
  public static let available: [InstructionSet] = {
    #if arch(x86_64) && !BLUR_BASELINE_ONLY
      [.baseline] + (blur_cpu_has_avx2() ? [.avx2] : []) + (blur_cpu_has_avx512() ? [.avx512] : [])
    #else
      [.baseline]
    #endif
  }()

  /// The widest instruction set that this CPU has and this build has code for.
  public static let best = available.reduce(.baseline) { Swift.max($0, $1) }

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
