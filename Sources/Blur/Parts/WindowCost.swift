import BlurLoopTable

/// An estimate of the operations of a ``WindowFilter``, counted as vector instructions of its inner loops.
///
/// Source of the factors: the instructions per vector in `BlurLoops/AveragesDown.swift` and
/// `AveragesAcross.swift`, `FixedFilter.swift` and `FloatDown.swift`. The factors were then fitted to
/// minimise the errors that `blurbench tune --constants` prints. Those for float values were fitted to the
/// times of small images on Zen 5.
struct WindowCost: Sendable {
  let channels: Int
  let vectorBytes: Int
  let arithmetic: Arithmetic
  /// Whether the pixels to filter are stored as floats.
  let isOfFloats: Bool

  /// The arithmetic of a ``WindowFilter``.
  enum Arithmetic {
    /// The arithmetic of ``AveragesFilter``, ``FixedFilter`` and ``FloatFilter``, in this order.
    case averages, products, float

    /// Chooses averages for 8-bit integers, products for all other integers, and `float` otherwise.
    init(isFixed: Bool, _ component: PixelFormat.Component) {
      self = !isFixed ? .float : component == .uint8 ? .averages : .products
    }
  }

  private var isFixed: Bool { arithmetic != .float }

  /// The number of steps to copy a pixel of float values. Three values are copied one by one, and four values
  /// at once.
  private var floatPixel: Double { channels == 3 ? 2.6 : channels == 4 ? 1.1 : 0.6 }

  /// The share of unaligned vectors that cross a cache line.
  private var crossing: Double { Double(vectorBytes) / 64 }

  /// Returns the number of instructions that load and sum the float values up to `across` pixels on both
  /// sides. If every unaligned vector crosses a cache line, half of them are shifted into place instead. For
  /// small windows, the compiler knows the shifts.
  private func unaligned(_ across: Double) -> Double {
    let isNear = across <= Double(lanes / channels)
    return (crossing == 1 ? (isNear ? 3.4 : 4) : 2.7 + 2.3 * crossing) * across
  }

  /// The number of values in a vector.
  private var lanes: Int { vectorBytes / (isFixed ? 2 : 4) }

  /// The number of values per vector that count. Averages count the whole pairs of pixels in two vectors
  /// together, and products count the whole pairs in each vector.
  private var wholeLanes: Int {
    switch arithmetic {
    case .averages: lanes - lanes % channels
    case .products: lanes - lanes % (2 * channels)
    case .float: lanes
    }
  }

  /// Returns the cost of applying one window to an image.
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
    // Four vectors are summed side by side, even if the row ends earlier.
    let blocks = outputs.pieces(of: 4 * wholeLanes)
    let sourceRows = 2 * down + blockRows
    var cost =
      switch arithmetic {
      case .averages:
        Cost(vectors: vectors * (7.5 * sourceRows - 12) + blocks * 16 * (4 * across + 4.5), rows: 3)
      case .products: Cost(vectors: vectors * (9 * sourceRows + 5) + blocks * 16 * (4 * across + 6), rows: 3)
      case .float:
        // For float images, the rows of small windows are summed in pairs, in registers. The loops do this up
        // to radius 8, and the radius known here is too large by one.
        Cost(
          vectors: vectors * (isOfFloats && down <= 9 ? 6 : 5.8) * sourceRows + blocks * 16
            * unaligned(across),
          rows: 3.5)
      }
    // The last vector of a row cannot reach back if this would split a pair of pixels, or if a row of float
    // values is shorter than a vector.
    let isEven = channels == 1 || Int(stored) % 2 == 0 && wholeLanes == lanes
    let reachesBack = inputs >= Double(lanes) && (!isFixed || isEven)
    if !reachesBack, vectors * Double(lanes) > inputs { cost.partials = sourceRows }
    // The scalar steps are the addresses of rows, which hardly count compared with float sums, and the pixels
    // beyond the ends of a row.
    let ends = blockRows * 2 * across
    cost.scalars = isFixed ? 0.4 * (sourceRows + ends * Double(channels)) : ends * floatPixel
    return cost * rows.pieces(of: FilterLoops.rowsPerBlock)
  }

  /// Returns the cost of filtering a level with windows that are folded into it, see
  /// `BlurLoops/BandFilter.swift`.
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
