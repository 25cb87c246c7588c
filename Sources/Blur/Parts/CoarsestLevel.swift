/// The coarsest level of a pyramid: its pixels before and after the window, and where they are in memory.
struct CoarsestLevel: Sendable {
  let x: LevelExtent, y: LevelExtent
  /// How columns and rows continue beyond what is stored.
  let edges: (x: EdgeMode, y: EdgeMode)
  /// Rows above and below that the window reads for one.
  let radius: Int
  /// The blur's only phase, where rows of this level are made when they are upsampled, and a few are kept;
  /// nil where all are made before.
  let rolling: Phase?
  let stored: LevelRows, blurred: LevelRows

  init(
    x: PyramidAxis, y: PyramidAxis, radius: Int, levels: Int, _ arithmetic: PyramidArithmetic, channels: Int,
    rolling: Phase?
  ) {
    edges = (x.edge, y.edge)
    let (x, y) = (x.ends(levels), y.ends(levels))
    (self.x, self.y, self.radius, self.rolling) = (x, y, radius, rolling)
    func rows(_ rows: Range<Int>, _ columns: Range<Int>, from start: Int, kept: Int?) -> LevelRows {
      let stride = PyramidLevel.stride(columns.count * channels) * arithmetic.bytes
      return LevelRows(rows, stride: stride, start: start, kept: rolling == nil ? nil : kept)
    }
    let kept = RollingLevel.kept(radius: radius)
    stored = rows(y.stored, x.stored, from: 0, kept: kept.before)
    blurred = rows(y.blurred, x.blurred, from: stored.end, kept: kept.after)
  }

  /// The blur's only phase, where rows are better made when they are upsampled.
  ///
  /// - Parameter least: bytes of a level, before and after the window, that is not kept whole.
  static func rolling(
    _ problem: BlurProblem, radius: Int, levels: Int, _ arithmetic: PyramidArithmetic, least: Int
  ) -> Phase? {
    let region = problem.region
    let pixels = (region.width >> levels) * (region.height >> levels)
    guard 2 * pixels * problem.layout.format.channels * arithmetic.bytes >= least else { return nil }
    // Each piece first makes the rows that its first window reads: downsampling is a third of the work.
    let phase = Phase(units: region.height, grain: 8 << levels, overlap: (2 * radius << levels) / 3)
    return Executor.isWorthCutting(phase, threads: problem.threads) ? phase : nil
  }

  /// Bytes of all rows that are kept.
  var byteCount: Int { blurred.end }
}
