/// The coarsest level of a pyramid: its pixels before and after the window, and where they are in memory.
struct CoarsestLevel: Sendable {
  let x: PyramidEnds, y: PyramidEnds
  /// How columns and rows continue beyond what is stored.
  let edges: (x: EdgeMode, y: EdgeMode)
  /// Rows above and below that the window reads for one.
  let radius: Int
  /// The blur's only phase, where rows of this level are made when they are upsampled, and a few are kept;
  /// nil where all are made before.
  let rolling: Phase?
  let stored: LevelRows, blurred: LevelRows

  /// - Parameter leastRolling: bytes of a level, before and after the window, that is not kept whole.
  init(
    x: PyramidAxis, y: PyramidAxis, radius: Int, levels: Int, _ arithmetic: PyramidArithmetic,
    _ problem: BlurProblem, leastRolling: Int
  ) {
    edges = (x.edge, y.edge)
    let (x, y) = (x.ends(levels), y.ends(levels))
    (self.x, self.y, self.radius) = (x, y, radius)
    let channels = problem.layout.format.channels
    let (storedStride, blurredStride) = (
      PyramidLevel.stride(x.stored.count * channels) * arithmetic.bytes,
      PyramidLevel.stride(x.blurred.count * channels) * arithmetic.bytes
    )
    func rows(_ kept: (before: Int, after: Int)?) -> (stored: LevelRows, blurred: LevelRows) {
      let stored = LevelRows(y.stored, stride: storedStride, start: 0, kept: kept?.before)
      return (stored, LevelRows(y.blurred, stride: blurredStride, start: stored.end, kept: kept?.after))
    }
    let whole = rows(nil)
    // Each piece first makes the rows that its first window reads: downsampling is a third of the work.
    let phase = Phase(
      units: problem.region.height, grain: 8 << levels, overlap: (2 * radius << levels) / 3)
    // The row before the first one is the last, where the image repeats itself.
    let isWhole =
      whole.blurred.end < leastRolling || edges.y == .wrap
      || !Executor.isWorthCutting(phase, threads: problem.threads)
    rolling = isWhole ? nil : phase
    (stored, blurred) = isWhole ? whole : rows(CoarsestRows.kept(radius: radius))
  }

  /// Bytes of all rows that are kept.
  var byteCount: Int { blurred.end }
}
