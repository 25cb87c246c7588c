import BlurLoopTable

/// Counts the operations of a ``WindowFilter``: vector instructions as the inner loops have them.
///
/// Source of the factors: instructions for each vector in `BlurLoops/AveragesDown.swift` and its neighbours,
/// `FixedFilter.swift` and `FloatDown.swift`, then fitted for the least errors that
/// `blurbench tune --constants` prints; of float values, to times of small images on Zen 5.
struct WindowCost: Sendable {
  let channels: Int
  let vectorBytes: Int
  let arithmetic: Arithmetic
  /// Whether the pixels that are filtered are stored as floats.
  let isOfFloats: Bool

  /// What a ``WindowFilter`` calculates with.
  enum Arithmetic {
    /// ``AveragesFilter``, ``FixedFilter``, ``FloatFilter``.
    case averages, products, float

    /// Integers are products, but for bytes.
    init(isFixed: Bool, _ component: PixelFormat.Component) {
      self = !isFixed ? .float : component == .uint8 ? .averages : .products
    }
  }

  private var isFixed: Bool { arithmetic != .float }

  /// Steps to copy a pixel of float values: three are copied one by one, four at once.
  private var floatPixel: Double { channels == 3 ? 2.6 : channels == 4 ? 1.1 : 0.6 }

  /// The share of unaligned vectors that cross a cache line.
  private var crossing: Double { Double(vectorBytes) / 64 }

  /// Loads and sums of the float values up to `across` pixels to both sides. Where each unaligned vector
  /// would cross a cache line, half of them are shifted instead, near ones by steps that are known.
  private func unaligned(_ across: Double) -> Double {
    let isNear = across <= Double(lanes / channels)
    return (crossing == 1 ? (isNear ? 3.4 : 4) : 2.7 + 2.3 * crossing) * across
  }

  /// Values in a vector.
  private var lanes: Int { vectorBytes / (isFixed ? 2 : 4) }

  /// Those that count: the ones of whole pairs of pixels, of two vectors together or of each.
  private var wholeLanes: Int {
    switch arithmetic {
    case .averages: lanes - lanes % channels
    case .products: lanes - lanes % (2 * channels)
    case .float: lanes
    }
  }

  /// - Parameters:
  ///   - columns: pixels of an output row; `stored` those of a source row.
  ///   - rows: output rows.
  ///   - across: the window's radius along a row; `down`: along a column.
  func filter(columns: Double, stored: Double, rows: Double, across: Double, down: Double) -> Cost {
    let blockRows = Double(FilterLoops.rowsPerBlock)
    let (outputs, inputs) = (columns * Double(channels), stored * Double(channels))
    let vectors = inputs.pieces(of: wholeLanes)
    // Four vectors are summed side by side, also where a row ends earlier.
    let blocks = outputs.pieces(of: 4 * wholeLanes)
    let sourceRows = 2 * down + blockRows
    var cost =
      switch arithmetic {
      case .averages:
        Cost(vectors: vectors * (7.5 * sourceRows - 12) + blocks * 16 * (4 * across + 4.5), rows: 3)
      case .products: Cost(vectors: vectors * (9 * sourceRows + 5) + blocks * 16 * (4 * across + 6), rows: 3)
      case .float:
        // Of float rows those of small windows are summed in pairs, in registers. The radius that is known
        // here is one too large.
        Cost(
          vectors: vectors * (isOfFloats && down <= 9 ? 6 : 5.8) * sourceRows + blocks * 16
            * unaligned(across),
          rows: 3.5)
      }
    // Pairs of pixels, and float values of short rows, cannot be loaded from further back.
    let isEven = channels == 1 || Int(stored) % 2 == 0 && wholeLanes == lanes
    let reachesBack = inputs >= Double(lanes) && (!isFixed || isEven)
    if !reachesBack, vectors * Double(lanes) > inputs { cost.partials = sourceRows }
    // Addresses of rows, which count little beside float sums, and pixels beyond the ends.
    let ends = blockRows * 2 * across
    cost.scalars = isFixed ? 0.4 * (sourceRows + ends * Double(channels)) : ends * floatPixel
    return cost * rows.pieces(of: FilterLoops.rowsPerBlock)
  }

  /// Filtering the pixels of a level by windows that are folded into it, see `BlurLoops/BandFilter.swift`.
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
