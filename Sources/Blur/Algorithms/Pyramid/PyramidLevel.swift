import BlurLoopTable

/// The sizes and offsets for two steps: halving a level of a pyramid, and doubling the next smaller level to
/// get this level again. A level is the image or a smaller version of it. These numbers are computed once,
/// and are then used for every row.
struct PyramidLevel: Sendable {
  /// The order of the binomial filter that halves this level. Doubling the next smaller level uses the same
  /// order.
  let order: Int
  let channels: Int
  /// The rows of this level, and the places in memory where the last few of them are kept. `storedRows` is
  /// for rows that are computed by halving the next larger level. `blurredRows` is for rows that are computed
  /// by doubling the next smaller level.
  /// At level 0, which is the image, no rows are kept in memory.
  let storedRows: LevelRows
  let blurredRows: LevelRows

  /// Numbers for downsampling, which reads source rows of this level and writes rows of the next smaller
  /// level. They are not used for the image itself; see ``ImageStep``.
  /// - `firstRead`: the number of bytes from the first stored pixel of a source row to the first pixel that
  ///   the loop reads. It can be negative.
  /// - `lead`: the number of bytes that the loop writes before the first pixel of a row of the smaller level.
  ///   The values there have no meaning.
  /// - `downsampled`: the number of values that are computed for each row of the smaller level, including the
  ///   values before the first pixel.
  let firstRead: Int, lead: Int, downsampled: Int
  /// The numbers of pixels that downsampling needs before the first and after the last stored pixel of a row.
  /// These pixels are copies of the first or the last stored pixel.
  private let before: Int, after: Int
  private let count: Int

  /// Numbers for upsampling, which reads rows of the next smaller level and writes rows of this level:
  /// - `firstUpsampled`: the index of the first pixel that is computed in each row of this level. The index
  ///   is always even.
  /// - `underFirstUpsampled`: the place where the matching pixel of the smaller level is stored. This pixel
  ///   has the index `firstUpsampled / 2`. Its place is a number of bytes from the start of its row.
  /// - `upsampled`: the number of values that are computed for each row of this level.
  let firstUpsampled: Int, underFirstUpsampled: Int, upsampled: Int

  /// Computes the sizes and offsets for one level.
  ///
  /// - Parameters:
  ///   - level: The index of the level. Level 0 is the image.
  ///   - order: The order of the binomial filter that halves this level.
  ///   - x: The columns that must be computed for each level.
  ///   - y: The rows that must be computed for each level.
  ///   - finer: The next larger level. In memory, its rows are followed by the rows of this level. If it is
  ///     nil, no rows of this level are kept; this is the case for the image.
  init(
    _ level: Int, order: Int, format: PixelFormat, _ arithmetic: Arithmetic, x: PyramidAxis,
    y: PyramidAxis, after finer: PyramidLevel?
  ) {
    let (channels, bytes) = (format.channels, arithmetic.levelBytes)
    let (stored, blurred) = (x.stored[level], x.blurred[level])
    let (nextStored, nextBlurred) = (x.stored[level + 1], x.blurred[level + 1])
    (self.order, self.channels) = (order, channels)
    let (groups, line) = (PixelGroups(ratio: 2, order: order), FilterLoops.widest * 2)
    let first = 2 * (nextStored.lowerBound + groups.lag - groups.lead)
    firstRead = (first - stored.lowerBound) * channels * bytes
    lead = groups.lead * channels * bytes
    downsampled = (nextStored.count + groups.lead) * channels
    let needed = PyramidAxis.downsamplingSupport(nextStored, order)
    before = max(0, stored.lowerBound - needed.lowerBound)
    after = max(0, needed.upperBound - stored.upperBound)
    count = stored.count
    // The first pixel that is read lies at the start of a cache line.
    let least = max(-firstRead, finer?.lead ?? 0)
    let pad = least + (-firstRead - least) & (line - 1)
    func ring(_ rows: Range<Int>, _ columns: Range<Int>, start: Int?, pad: Int, kept: Int) -> LevelRows {
      guard let start else { return LevelRows(rows, stride: 0, start: 0) }
      let stride = Self.stride(columns.count * channels + pad / bytes) * bytes
      return LevelRows(rows, stride: stride, start: start, pad: pad, kept: kept)
    }
    storedRows = ring(y.stored[level], stored, start: finer?.storedRows.end, pad: pad, kept: order + 4)
    blurredRows = ring(y.blurred[level], blurred, start: finer?.blurredRows.end, pad: 0, kept: 8)

    firstUpsampled = blurred.lowerBound & ~1
    underFirstUpsampled = (firstUpsampled / 2 - nextBlurred.lowerBound) * channels * bytes
    upsampled = (blurred.upperBound - firstUpsampled) * channels
  }

  /// Fills the pixels before the first and after the last stored pixel of a row with copies of these two
  /// pixels.
  @inline(__always)
  func fillEnds<Value: BitwiseCopyable>(_ row: UnsafeMutablePointer<Value>) {
    // SAFETY: the memory of a row begins with `pad` bytes before its first pixel, which is enough for all
    // pixels from `firstRead` on. The pixels after its last pixel fit into the unused space that `stride`
    // adds.
    let (start, last) = (row - before * channels, row + (count - 1) * channels)
    for i in 0..<before { for c in 0..<channels { start[i * channels + c] = row[c] } }
    for i in 1..<after + 1 { for c in 0..<channels { last[i * channels + c] = last[c] } }
  }

  /// Returns the number of values to reserve in memory for a row of `values` values. It is larger than
  /// `values`, because the inner loops may write beyond the end of the row, and because the next row must
  /// begin at the start of a cache line.
  static func stride(_ values: Int) -> Int {
    (values + FilterLoops.slack + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
  }
}

extension Arithmetic {
  /// The component type in which a pyramid stores the smaller versions of the image, which are called its
  /// levels. In integer arithmetic, the components of 8-bit images are multiplied by 256, so that rounding
  /// loses less precision. In single precision, the values have the same scale as in the image.
  var levelComponent: PixelFormat.Component { isFixed ? .uint16 : .float32 }

  /// The number of bytes that a pyramid needs to store one value of a level.
  var levelBytes: Int { levelComponent.bytes }

  /// The highest order of binomial filters that the inner loops support in this arithmetic. A filter of order
  /// n averages n + 1 pixels.
  var highestOrder: Int { isFixed ? 4 : 8 }

  /// Returns the largest error that rounding can cause when a pyramid halves the image `levels` times and
  /// then doubles it as many times. The result is a fraction of full scale.
  ///
  /// In 16-bit arithmetic, full scale is 65280 units. Along each axis, the function assumes an error of 1.25
  /// units for each halving and 1.15 units for each doubling. The real errors are at most 1.25 and 0.875
  /// units.
  ///
  /// - Parameters:
  ///   - levels: The number of halvings.
  ///   - gain: The factor by which errors from halving can grow when the smallest level is blurred. For
  ///     example, 1.08 means that they can grow by 8 %.
  func rounding(levels: Int, gain: Double = 1) -> Double {
    isFixed ? (2.5 * gain + 2.3) / 65280 * Double(levels) : 2e-6
  }
}
