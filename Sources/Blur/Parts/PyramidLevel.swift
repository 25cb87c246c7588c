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
  /// downsampling and upsampling a level make 1.2 steps of error each, along both axes.
  ///
  /// - Parameter gain: by how much windows enlarge errors of the levels.
  func rounding(levels: Int, gain: Double = 1) -> Double {
    self == .fixed ? 2.4 / 65280 * (gain + 1) * Double(levels) : 2e-6
  }
}

/// The step between a level of a pyramid and the next, coarser one: numbers alone, which are computed once,
/// for each row asks for them.
struct PyramidLevel: Sendable {
  /// The order of the binomial filters that halve and double the level.
  let order: Int
  let channels: Int
  /// Columns of this level, and of the next one, before and after the window; this level's rows.
  let columns: PyramidEnds
  let nextColumns: PyramidEnds
  let rows: PyramidEnds
  /// Columns that downsampling downwards computes, and the first pixel of its line.
  let computedColumns: Range<Int>
  let lineStart: Int
  /// The value at which the odd pixels of a line begin.
  let oddHalf: Int
  /// Values from one row of this level to the next.
  let storedStride: Int
  let blurredStride: Int
  /// Values of each of the two lines that upsampling makes of a row of the next level.
  let upsampledStride: Int
  /// How many rows of this level are kept while the next is made, a power of two.
  let ringRows: Int

  init(_ level: Int, order: Int, channels: Int, x: PyramidAxis, y: PyramidAxis, line: PaddedLine) {
    self.order = order
    self.channels = channels
    columns = x.ends(level)
    nextColumns = x.ends(level + 1)
    rows = y.ends(level)
    computedColumns = line.columns
    lineStart = line.positions.lowerBound
    oddHalf = Self.stride((line.positions.count + 2) / 2 * channels)
    storedStride = Self.stride(columns.stored.count * channels)
    blurredStride = Self.stride(columns.blurred.count * channels)
    upsampledStride = Self.stride(nextColumns.blurred.count * channels)
    ringRows = order <= 2 ? 4 : order <= 6 ? 8 : 16
  }

  /// Room for values and what loops write beyond them, so that the next row begins with a cache line, too.
  static func stride(_ values: Int) -> Int {
    (values + FilterLoops.slack + FilterLoops.widest - 1) / FilterLoops.widest * FilterLoops.widest
  }

  /// How many rows of the blurred level are kept while the finer one is made, a power of two.
  static let blurredRingRows = 8

  /// Components of a line that downsampling downwards computes, and the first of them.
  var computed: Int { computedColumns.count * channels }
  var firstComputed: Int { (computedColumns.lowerBound - lineStart) / 2 * channels }

  /// The value of a line under the first pixel of the next level.
  var firstDownsampled: Int { (2 * nextColumns.stored.lowerBound - lineStart) / 2 * channels }

  /// Values before a line, so that what downsampling downwards computes begins with a cache line.
  var lead: Int { -firstComputed & (FilterLoops.widest - 1) }

  /// The first pixel of an upsampled row, an even one, and the value of the coarser row under it.
  var firstUpsampled: Int { columns.blurred.lowerBound & ~1 }
  var underFirstUpsampled: Int { (firstUpsampled / 2 - nextColumns.blurred.lowerBound) * channels }

  /// Components of an upsampled row.
  var upsampled: Int { (columns.blurred.upperBound - firstUpsampled) * channels }
}

/// The pixels of a level along one axis, before and after the window.
typealias PyramidEnds = (stored: Range<Int>, blurred: Range<Int>)
