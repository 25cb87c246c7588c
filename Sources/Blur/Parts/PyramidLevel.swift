import BlurLoopTable

/// The arithmetic in which a pyramid computes and stores its levels.
enum PyramidArithmetic: Hashable, Sendable {
  /// 16-bit integers. In an 8-bit image, the components are multiplied by 256.
  case fixed
  /// Single precision. The values are in the units of the image format.
  case float

  /// The component type in which the coarsest level is stored, and which the blur window reads.
  var component: PixelFormat.Component { self == .fixed ? .uint16 : .float32 }

  /// The number of bytes in which a value is stored.
  var bytes: Int { component.bytes }

  /// The highest order of binomial filters that the inner loops for this arithmetic support.
  var highestOrder: Int { self == .fixed ? 4 : 8 }

  /// Returns the largest error that rounding in the levels of a pyramid can cause, as a fraction of full
  /// scale.
  ///
  /// In 16-bit arithmetic, a unit is 1/65280 of full scale. Along each axis, downsampling a level causes an
  /// error of up to 0.75 units with order 2, 1.25 units with order 3, and 1.19 units with order 4. The result
  /// assumes 1.25 units for every order. Upsampling a level causes an error of up to 0.875 units along each
  /// axis. The result assumes 1.15 units, which is more than necessary.
  ///
  /// - Parameter gain: The factor by which the blur windows amplify errors in the levels.
  func rounding(levels: Int, gain: Double = 1) -> Double {
    self == .fixed ? (2.5 * gain + 2.3) / 65280 * Double(levels) : 2e-6
  }
}

/// The sizes and offsets for one level of a pyramid. They are needed to downsample this level to the next
/// coarser level, and to make this level again by upsampling the coarser one. They are computed only once,
/// because they are used for every row.
struct PyramidLevel: Sendable {
  /// The order of the binomial filters between this level and the next coarser level.
  let order: Int
  let channels: Int
  /// The ranges of columns of this level that are stored before and after blurring. The property `rows` holds
  /// the corresponding ranges of rows.
  let columns: LevelExtent
  let rows: LevelExtent
  /// The ring buffers that hold the last few rows of this level. `storedRows` is for rows that have been
  /// downsampled, and `blurredRows` is for rows that have been upsampled. Level 0 has no ring buffers,
  /// because it is the image.
  let storedRows: LevelRows
  let blurredRows: LevelRows

  /// The sizes for vertical downsampling:
  /// - `readBytes`: the number of bytes of a source value;
  /// - `firstRead`: the number of bytes from the start of a source row to the first value that is read;
  /// - `computed`: the number of values that are computed for each line.
  let readBytes: Int, firstRead: Int, computed: Int
  /// The layout of a line, which holds one row between vertical and horizontal downsampling:
  /// - `odd`: the index of the first odd pixel, which follows all even pixels;
  /// - `lead`: the number of unused bytes before the line, so that its first computed value begins a cache
  ///   line;
  /// - `firstComputed`: the number of bytes from the start of the line to the first computed value.
  let odd: Int, lead: Int, firstComputed: Int
  /// The sizes for horizontal downsampling:
  /// - `firstDownsampled`: the number of bytes from the start of a line to the first pixel that is read;
  /// - `downsampled`: the number of values that are computed for each row of the next coarser level.
  let firstDownsampled: Int, downsampled: Int

  /// The sizes for vertical upsampling, which computes two lines at a time:
  /// - `lineValues`: the number of values in each line;
  /// - `lineBytes`: the number of bytes from the start of the first line to the start of the second.
  let lineValues: Int, lineBytes: Int
  /// The sizes for horizontal upsampling:
  /// - `firstUpsampled`: the first pixel that is computed in each row of this level, which is even;
  /// - `underFirstUpsampled`: the number of bytes from the start of a line to the pixel of the coarser level
  ///   at the position of this pixel;
  /// - `upsampled`: the number of values that are computed for each row.
  let firstUpsampled: Int, underFirstUpsampled: Int, upsampled: Int

  /// Computes the sizes and offsets for one level.
  ///
  /// - Parameters:
  ///   - line: The layout of a line between vertical and horizontal downsampling.
  ///   - finer: The next finer level, whose ring buffers are stored before the ring buffers of this level. It
  ///     is nil if this level is the image.
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

  /// Returns the number of values that must be reserved for a row or line of `values` values. It includes the
  /// space beyond the end into which the inner loops may write. It is rounded up to whole cache lines, so
  /// that the next row also begins at the start of a cache line.
  static func stride(_ values: Int) -> Int {
    (values + FilterLoops.slack + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
  }
}

/// Two ranges of pixels of a level along one axis: the pixels that are stored before blurring, and those
/// after blurring.
typealias LevelExtent = (stored: Range<Int>, blurred: Range<Int>)
