/// The smallest level of a pyramid, which is also called its coarsest level. A pyramid makes smaller and
/// smaller versions of an image, called levels, and blurs only the smallest of them with a window. This
/// structure describes which pixels of this level are stored before and after blurring, and where they are in
/// memory.
struct CoarsestLevel: Sendable {
  /// The edge mode for reading rows of this level that are not stored. It can differ from the edge mode of
  /// the image.
  let edge: EdgeMode
  /// The number of rows that the blur window reads on each side of its centre row.
  let radius: Int
  /// The division of the work among threads, if the level is never stored as a whole. Each row of such a
  /// level is computed only when it is needed, and only the last few rows are kept in memory. The property is
  /// nil if the whole level is stored before any of it is used.
  let rolling: Phase?
  /// The rows of this level before blurring (`stored`) and after blurring (`blurred`), and where they are in
  /// memory.
  let stored: LevelRows, blurred: LevelRows

  init(
    x: PyramidAxis, y: PyramidAxis, radius: Int, after levels: [PyramidLevel], _ arithmetic: Arithmetic,
    channels: Int, rolling: Phase?
  ) {
    (edge, self.radius, self.rolling) = (y.edge, radius, rolling)
    let bytes = arithmetic.levelBytes
    func rows(_ rows: Range<Int>, _ columns: Range<Int>, from start: Int, pad: Int, kept: Int) -> LevelRows {
      let stride = PyramidLevel.stride(columns.count * channels + pad / bytes) * bytes
      return LevelRows(rows, stride: stride, start: start, pad: pad, kept: rolling == nil ? nil : kept)
    }
    let (last, kept) = (levels.count, RollingLevel.kept(radius: radius))
    let pad = AlignedBuffer.roundedUp(levels[last - 1].lead)
    stored = rows(y.stored[last], x.stored[last], from: 0, pad: pad, kept: kept.before)
    blurred = rows(y.blurred[last], x.blurred[last], from: stored.end, pad: 0, kept: kept.after)
  }

  /// Decides whether to compute each row of the smallest level only when it is needed. If so, the function
  /// returns how the work is divided among threads. It returns nil if it is better to store the whole level
  /// before any of it is used. A level of fewer bytes than ``Thresholds/rollingBytes`` is always stored.
  static func rolling(
    _ problem: BlurProblem, radius: Int, levels: Int, _ arithmetic: Arithmetic
  ) -> Phase? {
    let region = problem.region
    let pixels = (region.width >> levels) * (region.height >> levels)
    // Each pixel counts twice, because it is stored before and after blurring.
    let bytes = 2 * pixels * problem.layout.format.channels * arithmetic.levelBytes
    guard bytes >= problem.thresholds.rollingBytes else { return nil }
    // Threads compute ranges of output rows independently. Two neighbouring ranges need the same 2 · radius
    // rows of the smallest level, so these rows are computed twice. `overlap` is this additional work,
    // expressed as a number of output rows. It is divided by 3, because computing rows of the smallest level
    // is about a third of the whole work.
    let phase = Phase(units: region.height, grain: 8 << levels, overlap: (2 * radius << levels) / 3)
    return Executor.isWorthCutting(phase, threads: problem.threads) ? phase : nil
  }

  /// The number of bytes for all rows of this level that are kept in memory: the rows that are not blurred
  /// yet, and the blurred rows.
  var byteCount: Int { blurred.end }
}
