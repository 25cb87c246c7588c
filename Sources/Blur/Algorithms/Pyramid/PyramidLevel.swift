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

  /// Numbers for the vertical half of downsampling, which reads source rows of this level and writes
  /// intermediate rows, called lines:
  /// - `readBytes`: the size of one value in a source row, in bytes;
  /// - `firstRead`: the number of bytes from the start of a source row to the first value that is read;
  /// - `computed`: the number of values that are computed for each line.
  let readBytes: Int, firstRead: Int, computed: Int
  /// The layout of a line, which is an intermediate row that has been halved vertically but not yet
  /// horizontally. A line stores first all even pixels, and then all odd pixels:
  /// - `odd`: the index of the first value of the first odd pixel;
  /// - `lead`: the number of bytes that are left unused before the line, so that the first computed value
  ///   lies at the start of a cache line;
  /// - `firstComputed`: the number of bytes from the start of the line to the first computed value.
  let odd: Int, lead: Int, firstComputed: Int
  /// Numbers for the horizontal half of downsampling, which reads lines (intermediate rows, halved
  /// vertically) and writes rows of the next smaller level:
  /// - `firstDownsampled`: the number of bytes from the start of a line to pixel 2 · n, where n is the first
  ///   pixel that is computed for the smaller level;
  /// - `nextPixel`: the number of values from this pixel to the next pixel of the line. It is negative if the
  ///   index of this pixel in the image is odd, because a line stores its odd pixels after its even pixels.
  ///   See ``PyramidDesign/shift``.
  /// - `downsampled`: the number of values that are computed for each row of the smaller level.
  let firstDownsampled: Int, nextPixel: Int, downsampled: Int

  /// Lengths of the intermediate rows, which are called lines. The vertical half of upsampling reads rows of
  /// the next smaller level, and writes two lines at a time:
  /// - `lineValues`: the number of values in each line;
  /// - `lineBytes`: the number of bytes from the start of the first line to the start of the second.
  let lineValues: Int, lineBytes: Int
  /// Numbers for the horizontal half of upsampling, which reads lines (intermediate rows, doubled vertically)
  /// and writes rows of this level:
  /// - `firstUpsampled`: the index of the first pixel that is computed in each row, which is always even;
  /// - `underFirstUpsampled`: the number of bytes from the start of a line to its pixel `firstUpsampled / 2`;
  /// - `upsampled`: the number of values that are computed for each row.
  let firstUpsampled: Int, underFirstUpsampled: Int, upsampled: Int

  /// Computes the sizes and offsets for one level.
  ///
  /// - Parameters:
  ///   - level: The index of the level. Level 0 is the image.
  ///   - order: The order of the binomial filter that halves this level.
  ///   - x: The columns that must be computed for each level.
  ///   - y: The rows that must be computed for each level.
  ///   - line: The layout of the intermediate rows, which have been halved vertically but not yet
  ///     horizontally.
  ///   - shift: The index that the first pixel of this level has along each axis if pixels are counted as in
  ///     the next smaller level. In `line`, it always has the index 0.
  ///   - finer: The next larger level, or nil if this level is the image. The rows of this level are stored
  ///     in memory after the rows of `finer`.
  init(
    _ level: Int, order: Int, format: PixelFormat, _ arithmetic: Arithmetic, x: PyramidAxis,
    y: PyramidAxis, line: PaddedLine, shift: Int, after finer: PyramidLevel?
  ) {
    let (channels, bytes) = (format.channels, arithmetic.levelBytes)
    let (stored, blurred) = (x.stored[level], x.blurred[level])
    let (nextStored, nextBlurred) = (x.stored[level + 1], x.blurred[level + 1])
    (self.order, self.channels) = (order, channels)
    func ring(_ rows: Range<Int>, _ columns: Range<Int>, start: Int?, kept: Int) -> LevelRows {
      guard let start else { return LevelRows(rows, stride: 0, start: 0) }
      return LevelRows(rows, stride: Self.stride(columns.count * channels) * bytes, start: start, kept: kept)
    }
    storedRows = ring(y.stored[level], stored, start: finer?.storedRows.end, kept: order + 4)
    blurredRows = ring(y.blurred[level], blurred, start: finer?.blurredRows.end, kept: 8)

    readBytes = level == 0 ? format.component.bytes : bytes
    firstRead = (line.columns.lowerBound - stored.lowerBound) * channels * readBytes
    computed = line.columns.count * channels
    odd = line.odd
    let first = line.index(of: line.columns.lowerBound & ~1)
    lead = (-first & (FilterLoops.widest - 1)) * bytes
    firstComputed = first * bytes
    let start = 2 * nextStored.lowerBound - shift
    firstDownsampled = line.index(of: start) * bytes
    nextPixel = line.index(of: start + 1) - line.index(of: start)
    downsampled = nextStored.count * channels

    lineValues = nextBlurred.count * channels
    lineBytes = Self.stride(lineValues) * bytes
    firstUpsampled = blurred.lowerBound & ~1
    underFirstUpsampled = (firstUpsampled / 2 - nextBlurred.lowerBound) * channels * bytes
    upsampled = (blurred.upperBound - firstUpsampled) * channels
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
