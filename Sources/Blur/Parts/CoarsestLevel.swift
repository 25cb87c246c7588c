/// The coarsest level of a pyramid, which is the smallest version of the image. This structure describes the
/// pixels of the level before and after the blur window is applied, and where the rows of the level are in
/// memory.
struct CoarsestLevel: Sendable {
  let x: LevelExtent, y: LevelExtent
  /// The edge modes that give the pixels of the coarsest level beyond its stored columns (`x`) and beyond its
  /// stored rows (`y`). They can differ from the edge mode of the image.
  let edges: (x: EdgeMode, y: EdgeMode)
  /// The number of rows that the blur window reads above an output row. It reads the same number of rows
  /// below it.
  let radius: Int
  /// The phase that does all the work, if the rows of the coarsest level are computed on demand during
  /// upsampling. In this case, only the last few of these rows are kept in memory. The property is nil if
  /// separate phases compute and store the whole level before upsampling begins.
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

  /// Returns a description of the work for the threads, if it is best to compute the rows of the coarsest
  /// level on demand during upsampling. In this case, the whole blur is a single phase. Returns nil if it is
  /// better to compute and store the whole coarsest level in a phase of its own.
  ///
  /// - Parameter least: The smallest size in bytes for which rows are computed on demand. The size counts
  ///   each pixel of the level twice, because pixels are stored before and after the blur window is applied.
  static func rolling(
    _ problem: BlurProblem, radius: Int, levels: Int, _ arithmetic: PyramidArithmetic, least: Int
  ) -> Phase? {
    let region = problem.region
    let pixels = (region.width >> levels) * (region.height >> levels)
    guard 2 * pixels * problem.layout.format.channels * arithmetic.bytes >= least else { return nil }
    // The output rows are divided into ranges, which are computed independently. Two neighbouring ranges both
    // need the same 2 · radius rows of the coarsest level, so these rows are downsampled twice. `overlap`
    // expresses this repeated work as a number of output rows. The number is divided by 3, because
    // downsampling is only a third of all work.
    let phase = Phase(units: region.height, grain: 8 << levels, overlap: (2 * radius << levels) / 3)
    return Executor.isWorthCutting(phase, threads: problem.threads) ? phase : nil
  }

  /// The number of bytes for all rows that are kept in memory, before and after the window is applied.
  var byteCount: Int { blurred.end }
}
