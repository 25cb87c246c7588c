import BlurLoopTable

/// The number format in which a pyramid computes and stores the smaller versions of the image, which are
/// called its levels.
enum PyramidArithmetic: Hashable, Sendable {
  /// 16-bit integers. The components of 8-bit images are multiplied by 256, so that less is lost by rounding.
  case fixed
  /// Single precision. The values have the same scale as in the image.
  case float

  /// The component type of the smallest image of the pyramid, to which the blur window is applied.
  var component: PixelFormat.Component { self == .fixed ? .uint16 : .float32 }

  /// The number of bytes of a stored value.
  var bytes: Int { component.bytes }

  /// The highest order of binomial filters for which there are inner loops in this arithmetic. A filter of
  /// order n averages n + 1 pixels.
  var highestOrder: Int { self == .fixed ? 4 : 8 }

  /// Returns the largest error that can come from rounding when a pyramid halves the image `levels` times and
  /// doubles its size again. The result is a fraction of full scale.
  ///
  /// In 16-bit arithmetic, errors are counted in units of 1/65280 of full scale. Halving the image along one
  /// axis causes an error of at most 0.75 units with a filter of order 2, 1.25 with order 3, and 1.19 with
  /// order 4. Doubling causes at most 0.875 units. To be safe, the function assumes 1.25 units for each
  /// halving and 1.15 units for each doubling, along each of the two axes.
  ///
  /// - Parameters:
  ///   - levels: How often the image is halved.
  ///   - gain: The factor by which the blur window can enlarge errors that come from halving.
  func rounding(levels: Int, gain: Double = 1) -> Double {
    self == .fixed ? (2.5 * gain + 2.3) / 65280 * Double(levels) : 2e-6
  }
}

/// The sizes and offsets that are needed to halve the size of one level of a pyramid, and to compute this
/// level again by doubling the smaller one. A level is the image or a smaller version of it. The numbers are
/// computed only once, because they are used for every row.
struct PyramidLevel: Sendable {
  /// The order of the binomial filter that halves this level. The same order is used for doubling the smaller
  /// level.
  let order: Int
  let channels: Int
  /// The columns of this level that are stored before and after blurring. The property `rows` is the same for
  /// rows.
  let columns: LevelExtent
  let rows: LevelExtent
  /// The places of the last few rows of this level in memory. `storedRows` is for rows that were made by
  /// halving the larger level. `blurredRows` is for rows that were made by doubling the smaller level. Level
  /// 0 is the image, so it does not use them.
  let storedRows: LevelRows
  let blurredRows: LevelRows

  /// The sizes for halving this level vertically, which writes intermediate rows called lines:
  /// - `readBytes`: the number of bytes of a value in the source rows;
  /// - `firstRead`: the number of bytes from the start of a source row to the first value that is read;
  /// - `computed`: the number of values that are computed for each line.
  let readBytes: Int, firstRead: Int, computed: Int
  /// The layout of a line, which holds values that are halved vertically but not yet horizontally. All even
  /// pixels of a line come before all odd pixels:
  /// - `odd`: the index of the first value of an odd pixel;
  /// - `lead`: the number of bytes that are left unused before the line, so that its first computed value
  ///   lies at the start of a cache line;
  /// - `firstComputed`: the number of bytes from the start of the line to the first computed value.
  let odd: Int, lead: Int, firstComputed: Int
  /// The sizes for halving the lines horizontally. Lines hold values that are already halved vertically:
  /// - `firstDownsampled`: the number of bytes from the start of a line to the even pixel at the centre of
  ///   the first output pixel;
  /// - `downsampled`: the number of values that are computed for each row of the smaller level.
  let firstDownsampled: Int, downsampled: Int

  /// The sizes for doubling the smaller level vertically. This writes two intermediate rows at a time, called
  /// lines:
  /// - `lineValues`: the number of values in each line;
  /// - `lineBytes`: the number of bytes from the start of the first line to the start of the second.
  let lineValues: Int, lineBytes: Int
  /// The sizes for doubling the lines horizontally, which gives rows of this level. Lines hold values that
  /// are already doubled vertically:
  /// - `firstUpsampled`: the first pixel that is computed in each row, which is always even;
  /// - `underFirstUpsampled`: the number of bytes from the start of a line to the pixel at the same place as
  ///   this first pixel;
  /// - `upsampled`: the number of values that are computed for each row.
  let firstUpsampled: Int, underFirstUpsampled: Int, upsampled: Int

  /// Computes the sizes and offsets for one level.
  ///
  /// - Parameters:
  ///   - level: The number of the level. Level 0 is the image.
  ///   - order: The order of the binomial filter that halves this level.
  ///   - x: The columns that must be computed for each level.
  ///   - y: The rows that must be computed for each level.
  ///   - line: The layout of the intermediate rows, which are halved vertically but not yet horizontally.
  ///   - finer: The next larger level, or nil for the image. In memory, the rows of this level are stored
  ///     after the rows of the larger one.
  init(
    _ level: Int, order: Int, format: PixelFormat, _ arithmetic: PyramidArithmetic, x: PyramidAxis,
    y: PyramidAxis, line: PaddedLine, after finer: PyramidLevel?
  ) {
    let (channels, bytes) = (format.channels, arithmetic.bytes)
    let next = x.ends(level + 1)
    (self.order, self.channels, columns, rows) = (order, channels, x.ends(level), y.ends(level))
    func ring(_ rows: Range<Int>, _ columns: Range<Int>, start: Int?, kept: Int) -> LevelRows {
      guard let start else { return LevelRows(0..<0, stride: 0, start: 0) }
      return LevelRows(rows, stride: Self.stride(columns.count * channels) * bytes, start: start, kept: kept)
    }
    storedRows = ring(rows.stored, columns.stored, start: finer?.storedRows.end, kept: order + 4)
    blurredRows = ring(rows.blurred, columns.blurred, start: finer?.blurredRows.end, kept: 8)

    readBytes = level == 0 ? format.component.bytes : bytes
    firstRead = (line.columns.lowerBound - columns.stored.lowerBound) * channels * readBytes
    computed = line.columns.count * channels
    odd = line.odd
    let first = line.index(of: line.columns.lowerBound & ~1)
    lead = (-first & (FilterLoops.widest - 1)) * bytes
    firstComputed = first * bytes
    firstDownsampled = line.index(of: 2 * next.stored.lowerBound) * bytes
    downsampled = next.stored.count * channels

    lineValues = next.blurred.count * channels
    lineBytes = Self.stride(lineValues) * bytes
    firstUpsampled = columns.blurred.lowerBound & ~1
    underFirstUpsampled = (firstUpsampled / 2 - next.blurred.lowerBound) * channels * bytes
    upsampled = (columns.blurred.upperBound - firstUpsampled) * channels
  }

  /// Returns how many values to reserve in memory for a row with the given number of values. Space is added
  /// at the end, because the inner loops may write beyond the last value. The result is rounded up to whole
  /// cache lines, so that the next row begins at the start of a cache line as well.
  static func stride(_ values: Int) -> Int {
    (values + FilterLoops.slack + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
  }
}

/// Two ranges of pixels along one axis, for one level of a pyramid (the image or a smaller version of it).
/// The first range contains the pixels that are stored before the level is blurred, and the second range
/// contains the pixels that are stored after it has been blurred.
typealias LevelExtent = (stored: Range<Int>, blurred: Range<Int>)
