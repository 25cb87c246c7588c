/// The coarsest level of a pyramid: its pixels before and after the window, and where they are in memory.
struct CoarsestLevel: Sendable {
  let x: PyramidEnds, y: PyramidEnds
  /// Rows above and below that the window reads for one.
  let radius: Int
  /// The blur's only phase, where rows of this level are made when they are upsampled, and a few are kept;
  /// nil where all are made before.
  let rolling: Phase?
  private let stored: LevelRows, blurred: LevelRows

  /// - Parameter leastRolling: bytes of a level, before and after the window, that is not kept whole.
  init(
    x: PyramidEnds, y: PyramidEnds, radius: Int, levels: Int, _ arithmetic: PyramidArithmetic,
    _ problem: BlurProblem, leastRolling: Int
  ) {
    (self.x, self.y, self.radius) = (x, y, radius)
    let channels = problem.layout.format.channels
    let (storedStride, blurredStride) = (
      PyramidLevel.stride(x.stored.count * channels) * arithmetic.bytes,
      PyramidLevel.stride(x.blurred.count * channels) * arithmetic.bytes
    )
    let whole = (
      stored: LevelRows(y.stored, stride: storedStride), blurred: LevelRows(y.blurred, stride: blurredStride)
    )
    // Each piece first makes the rows that its first window reads: downsampling is a third of the work.
    let phase = Phase(
      units: problem.region.height, grain: 8 << levels, overlap: (2 * radius << levels) / 3)
    guard whole.stored.byteCount + whole.blurred.byteCount >= leastRolling,
      Executor.isWorthCutting(phase, threads: problem.threads)
    else {
      (rolling, stored, blurred) = (nil, whole.stored, whole.blurred)
      return
    }
    let kept = CoarsestRows.kept(radius: radius)
    rolling = phase
    stored = LevelRows(last: kept.before, stride: storedStride)
    blurred = LevelRows(last: kept.after, stride: blurredStride)
  }

  /// Bytes of all rows that are kept.
  var byteCount: Int { stored.byteCount + blurred.byteCount }

  /// Where row `y` is before the window, in `byteCount` bytes of memory.
  func storedRow(_ y: Int, in memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    // SAFETY: `byteCount` counts the rows.
    memory + stored.offset(of: y)
  }

  /// Where it is after the window.
  func blurredRow(_ y: Int, in memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    // SAFETY: they come after all stored ones.
    memory + stored.byteCount + blurred.offset(of: y)
  }
}

/// Where rows of a level are in memory: all of them one after the other, or the last few in a ring.
private struct LevelRows {
  /// Bytes from one row to the next.
  private let stride: Int
  /// How many are kept.
  private let count: Int
  private let first: Int, mask: Int

  /// All of `rows`.
  init(_ rows: Range<Int>, stride: Int) {
    (self.stride, count, first, mask) = (stride, rows.count, rows.lowerBound, -1)
  }

  /// At least the last `count`.
  init(last count: Int, stride: Int) {
    let kept = 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
    (self.stride, self.count, first, mask) = (stride, kept, 0, kept - 1)
  }

  var byteCount: Int { count * stride }

  /// Bytes from the start to row `y`.
  @inline(__always)
  func offset(of y: Int) -> Int { ((y & mask) - first) * stride }
}
