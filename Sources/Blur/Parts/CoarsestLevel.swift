/// The coarsest level of a pyramid. A pyramid makes smaller and smaller versions of an image, called levels,
/// each half as large as the one before. The coarsest level is the smallest of them, and the only one that is
/// blurred with a window. This structure describes the pixels of this level before and after blurring, and
/// where its rows are in memory.
struct CoarsestLevel: Sendable {
  let x: LevelExtent, y: LevelExtent
  /// The edge modes for reading pixels of the coarsest level that are not stored. `x` is for pixels to the
  /// left and to the right of the stored columns, and `y` is for pixels above and below the stored rows.
  /// These edge modes can differ from the edge mode of the image.
  let edges: (x: EdgeMode, y: EdgeMode)
  /// The number of rows that the blur window reads above an output row. It reads the same number of rows
  /// below it.
  let radius: Int
  /// A description of the work for the threads, if the rows of the coarsest level are computed only when
  /// upsampling needs them. In this case, only the last few of these rows are kept in memory. The property is
  /// nil if the whole coarsest level is computed and stored before upsampling begins.
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

  /// Decides whether to compute the rows of the coarsest level only when upsampling needs them. If so, the
  /// function returns a description of the work for the threads, which then consists of a single phase. It
  /// returns nil if it is better to compute and store the whole coarsest level before upsampling begins.
  ///
  /// - Parameter least: The smallest size of the level, in bytes, for which rows are computed only when they
  ///   are needed. The size counts each pixel of the level twice, because pixels are stored before and after
  ///   blurring.
  static func rolling(
    _ problem: BlurProblem, radius: Int, levels: Int, _ arithmetic: PyramidArithmetic, least: Int
  ) -> Phase? {
    let region = problem.region
    let pixels = (region.width >> levels) * (region.height >> levels)
    guard 2 * pixels * problem.layout.format.channels * arithmetic.bytes >= least else { return nil }
    // The output rows are divided into ranges, which threads compute independently. Two neighbouring ranges
    // both need the same 2 · radius rows of the coarsest level, so these rows are downsampled twice.
    // `overlap` is the cost of this additional work, expressed as a number of output rows. The number is
    // divided by 3, because downsampling is only a third of the work for an output row.
    let phase = Phase(units: region.height, grain: 8 << levels, overlap: (2 * radius << levels) / 3)
    return Executor.isWorthCutting(phase, threads: problem.threads) ? phase : nil
  }

  /// The number of bytes for the rows of the coarsest level that are in memory at the same time. It includes
  /// the rows before blurring and the rows after blurring.
  var byteCount: Int { blurred.end }
}
