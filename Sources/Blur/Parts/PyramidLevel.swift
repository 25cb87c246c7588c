import BlurLoopTable

/// How a pyramid stores the values of its levels.
enum PyramidArithmetic: Hashable, Sendable {
  /// 16 bits: 256 times the values of bytes.
  case fixed
  /// Single precision, in the units of the format.
  case float

  /// Values as the window of the coarsest level sees them.
  var component: PixelFormat.Component { self == .fixed ? .uint16 : .float32 }

  /// Bytes of a value.
  var bytes: Int { component.bytes }

  /// The highest order of resampling filters that there are loops for.
  var highestOrder: Int { self == .fixed ? 4 : 8 }

  /// How far the levels of a pyramid can be off by rounding, as a share of full scale. In 16 bits,
  /// downsampling a level makes up to 1.25 steps of error along each axis (0.75, 1.25, 1.19 by the order),
  /// and upsampling it 0.875, for which 1.15 are allowed.
  ///
  /// - Parameter gain: by how much windows enlarge errors of the levels.
  func rounding(levels: Int, gain: Double = 1) -> Double {
    self == .fixed ? (2.5 * gain + 2.3) / 65280 * Double(levels) : 2e-6
  }
}

/// The step between a level of a pyramid and the next, coarser one: numbers alone, which are computed once,
/// for each row asks for them.
struct PyramidLevel: Sendable {
  /// The order of the binomial filters that halve and double the level.
  let order: Int
  let channels: Int
  /// Columns and rows of this level, before and after the window.
  let columns: LevelExtent
  let rows: LevelExtent
  /// The last few rows of this level, before and after the window; none of the image.
  let storedRows: LevelRows
  let blurredRows: LevelRows

  /// Downsampling downwards: bytes of a value that it reads and from a row's start to the first one, and how
  /// many it makes.
  let readBytes: Int, firstRead: Int, computed: Int
  /// A line: values to where the odd pixels begin; bytes from where a line may begin to where it does, so
  /// that what is computed begins with a cache line, and from there to what is computed.
  let odd: Int, lead: Int, firstComputed: Int
  /// Downsampling across: bytes from a line's start to the first pixel, and how many values it makes.
  let firstDownsampled: Int, downsampled: Int

  /// Upsampling downwards: how many values of each line it makes, and bytes from one line to the next.
  let lineValues: Int, lineBytes: Int
  /// Upsampling across: the first pixel that it makes, an even one, bytes from a line's start to the pixel
  /// under it, and how many values it makes.
  let firstUpsampled: Int, underFirstUpsampled: Int, upsampled: Int

  /// - Parameters:
  ///   - line: between downsampling downwards and downsampling across.
  ///   - finer: the step before, whose rows come first in memory; nil if this level is the image.
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

  /// Room for values and what loops write beyond them, so that the next row begins with a cache line, too.
  static func stride(_ values: Int) -> Int {
    (values + FilterLoops.slack + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
  }
}

/// The pixels of a level along one axis, before and after the window.
typealias LevelExtent = (stored: Range<Int>, blurred: Range<Int>)
