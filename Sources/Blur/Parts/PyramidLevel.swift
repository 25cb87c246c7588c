import BlurLoopTable

/// The arithmetic in which a pyramid computes and stores its levels.
enum PyramidArithmetic: Hashable, Sendable {
  /// 16-bit integers. The values of 8-bit images are multiplied by 256.
  case fixed
  /// Single precision, in the units of the image format.
  case float

  /// The component type of the coarsest level, to which the window is applied.
  var component: PixelFormat.Component { self == .fixed ? .uint16 : .float32 }

  /// The number of bytes of a value.
  var bytes: Int { component.bytes }

  /// The highest order of resampling filters for which there are inner loops.
  var highestOrder: Int { self == .fixed ? 4 : 8 }

  /// Returns the largest error that rounding can cause in the levels of a pyramid, as a fraction of full
  /// scale. In 16 bits, downsampling a level causes an error of up to 1.25 steps along each axis (0.75, 1.25
  /// or 1.19, depending on the order). Upsampling it causes up to 0.875 steps, for which 1.15 are allowed.
  ///
  /// - Parameter gain: The factor by which the windows amplify errors from the levels.
  func rounding(levels: Int, gain: Double = 1) -> Double {
    self == .fixed ? (2.5 * gain + 2.3) / 65280 * Double(levels) : 2e-6
  }
}

/// The step from one level of a pyramid to the next coarser one. It consists only of numbers, which are
/// computed once because they are needed for every row.
struct PyramidLevel: Sendable {
  /// The order of the binomial filters that downsample and upsample the level.
  let order: Int
  let channels: Int
  /// The columns of this level before and after blurring. The rows are in the property `rows`.
  let columns: LevelExtent
  let rows: LevelExtent
  /// The last few rows of this level in ring buffers, before blurring (`storedRows`) and after it
  /// (`blurredRows`). There are none for the image.
  let storedRows: LevelRows
  let blurredRows: LevelRows

  /// Vertical downsampling: the bytes of a source value, the bytes from the start of a row to the first value
  /// that is read, and the number of values to compute.
  let readBytes: Int, firstRead: Int, computed: Int
  /// The line between the passes: the index of the first odd pixel's value; the bytes from the place where a
  /// line may begin to the place where it does, so that its computed part begins with a cache line; and the
  /// bytes from there to the computed part.
  let odd: Int, lead: Int, firstComputed: Int
  /// Horizontal downsampling: the bytes from the start of a line to the first pixel, and the number of values
  /// to compute.
  let firstDownsampled: Int, downsampled: Int

  /// Vertical upsampling: the number of values to compute for each line, and the bytes from one line to the
  /// next.
  let lineValues: Int, lineBytes: Int
  /// Horizontal upsampling: the first pixel to compute, which is even; the bytes from the start of a line to
  /// the pixel under it; and the number of values to compute.
  let firstUpsampled: Int, underFirstUpsampled: Int, upsampled: Int

  /// Computes the numbers of one step.
  ///
  /// - Parameters:
  ///   - line: The line of intermediate values between vertical and horizontal downsampling.
  ///   - finer: The step before this one, whose rows come first in memory, or nil if this level is the image.
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

  /// Returns the space for a number of values and for what the inner loops write beyond them, rounded up so
  /// that the next row begins with a cache line as well.
  static func stride(_ values: Int) -> Int {
    (values + FilterLoops.slack + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
  }
}

/// The pixels of a level along one axis, before and after blurring.
typealias LevelExtent = (stored: Range<Int>, blurred: Range<Int>)
