import BlurLoopTable

/// An estimate of the work of a ``WindowFilter``. Most of this work is done by vector instructions in the
/// inner loops.
///
/// The factors in the formulas were first found by counting the instructions per vector in
/// `BlurLoops/AveragesDown.swift`, `AveragesAcross.swift`, `FixedSums.swift` and `FloatDown.swift`. They were
/// then fitted to measured times. The factors for single precision were fitted to times of small images on
/// Zen 5. The command `lab constants` prints how much the estimates deviate from measured times.
struct WindowCost: Sendable {
  let channels: Int
  let vectorBytes: Int
  let arithmetic: Arithmetic
  /// Whether the source pixels are stored as floats.
  let isOfFloats: Bool

  /// The estimated number of scalar operations for copying one pixel that consists of floats. With three
  /// channels, the values are copied one by one. With four channels, all values of the pixel are copied at
  /// once.
  private var floatPixel: Double { channels == 3 ? 2.6 : channels == 4 ? 1.1 : 0.6 }

  /// The fraction of unaligned vector loads that touch two cache lines of 64 bytes. It is 1/4 for vectors of
  /// 16 bytes, and 1 for vectors of 64 bytes.
  private var crossing: Double { Double(vectorBytes) / 64 }

  /// Returns the estimated number of vector instructions for loading and adding the neighbours of one vector
  /// of output values, in a horizontal blur in single precision. The window has the radius `across`.
  ///
  /// If a vector is as wide as a cache line, unaligned loads are slow. The loops then load only the left
  /// neighbours, and get the right neighbours by shifting vectors that are already loaded. Shifts are cheaper
  /// in small windows, where the compiler knows each distance.
  private func unaligned(_ across: Double) -> Double {
    let isNear = across <= Double(lanes / channels)
    return (crossing == 1 ? (isNear ? 3.4 : 4) : 2.7 + 2.3 * crossing) * across
  }

  /// The number of values in a vector. In integer arithmetic, a value has 16 bits. In single precision, it
  /// has 32 bits.
  private var lanes: Int { vectorBytes / (arithmetic.isFixed ? 2 : 4) }

  /// The average number of results that a loop keeps from each vector that it computes. The integer loops
  /// keep only the results of whole pairs of pixels. If a vector ends inside a pair, this pair is computed
  /// again with the next vector. With `averages`, a loop processes two vectors together, so only every second
  /// vector can end inside a pair.
  private var wholeLanes: Int {
    switch arithmetic {
    case .averages: lanes - lanes % channels
    case .products: lanes - lanes % (2 * channels)
    case .float: lanes
    }
  }

  /// Returns the cost of blurring an image with a ``WindowFilter``, which computes weighted sums along
  /// columns and then along rows.
  ///
  /// - Parameters:
  ///   - columns: The number of pixels in an output row.
  ///   - stored: The number of pixels in a source row.
  ///   - rows: The number of output rows.
  ///   - across: The radius of the window along a row.
  ///   - down: The radius of the window along a column.
  func filter(columns: Double, stored: Double, rows: Double, across: Double, down: Double) -> Cost {
    let blockRows = Double(FilterLoops.rowsPerBlock)
    let (outputs, inputs) = (columns * Double(channels), stored * Double(channels))
    let vectors = inputs.pieces(of: wholeLanes)
    // The horizontal loop always computes four vectors at the same time. At the end of a row, fewer than four
    // vectors may be needed, but computing them takes as much time as computing four.
    let blocks = outputs.pieces(of: 4 * wholeLanes)
    let sourceRows = 2 * down + blockRows
    var cost =
      switch arithmetic {
      case .averages:
        Cost(vectors: vectors * (7.5 * sourceRows - 12) + blocks * 16 * (4 * across + 4.5), rows: 3)
      case .products: Cost(vectors: vectors * (9 * sourceRows + 5) + blocks * 16 * (4 * across + 6), rows: 3)
      case .float:
        // A special loop sums along columns if the image stores floats and the radius is at most 8. It first
        // adds the two rows at the same distance from the centre, and then multiplies their sum by the
        // weight. The limit in this formula is 9, because `down` is an estimate that exceeds the real radius
        // by one.
        Cost(
          vectors: vectors * (isOfFloats && down <= 9 ? 6 : 5.8) * sourceRows + blocks * 16
            * unaligned(across),
          rows: 3.5)
      }
    // If the length of a row is not a multiple of the vector length, the last vector usually begins earlier,
    // so that it is full and overlaps the previous vector. This is impossible if the row is shorter than a
    // vector, or if the last vector would then begin in the middle of a pair of pixels. In these cases, only
    // a part of a vector is loaded, which is slow.
    let isEven = channels == 1 || Int(stored) % 2 == 0 && wholeLanes == lanes
    let reachesBack = inputs >= Double(lanes) && (!arithmetic.isFixed || isEven)
    if !reachesBack, vectors * Double(lanes) > inputs { cost.partials = sourceRows }
    // Scalar operations collect the addresses of the source rows, and copy pixels to positions beyond the
    // ends of a row. In single precision, collecting addresses takes hardly any time, so it is not counted.
    let ends = blockRows * 2 * across
    cost.scalars = arithmetic.isFixed ? 0.4 * (sourceRows + ends * Double(channels)) : ends * floatPixel
    return cost * rows.pieces(of: FilterLoops.rowsPerBlock)
  }

  /// Returns the cost of blurring the smallest level of an image pyramid with the band filter, in which each
  /// output pixel has its own weights. The loops are in `BlurLoops/BandFilter.swift`.
  func bands(columns: Double, rows: Double, across: Double, down: Double) -> Cost {
    let (blockRows, lanes) = (Double(FilterLoops.rowsPerBlock), vectorBytes / 4)
    let size = Double(lanes / channels)
    let vectors = (columns * Double(channels)).pieces(of: lanes)
    let sourceRows = min(rows, 2 * down + 1 + blockRows)
    let sources = min(columns, 2 * across + 1 + size)
    let groups = (columns / size).rounded(.up)
    let guarding = arithmetic == .float ? 1.5 : 1
    var cost = Cost(vectors: (vectors * 6.2 * sourceRows + groups * (9.4 * sources + 14)) * guarding, rows: 2)
    cost.scalars = sourceRows + 2 * blockRows
    return cost * rows.pieces(of: FilterLoops.rowsPerBlock)
  }
}
