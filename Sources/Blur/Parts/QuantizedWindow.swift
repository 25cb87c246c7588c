/// The windows along both axes in integers: as averages for images of bytes and their pyramids, as products
/// for deeper ones.
enum QuantizedWindow {
  case averages(across: Q16Taps, down: Q16Taps)
  case products(across: Q15Taps, down: Q15Taps)

  /// Nil when a weight or a sum does not fit.
  ///
  /// - Parameters:
  ///   - across: half of the window along a row, from the centre on; `down`: along a column.
  ///   - isOfBytes: whether the image has 8 bits.
  init?(across: [Double], down: [Double], isOfBytes: Bool) {
    if isOfBytes {
      guard let across = Q16Taps(across), let down = Q16Taps(down),
        AveragesFilter.fits(across: across, down: down)
      else { return nil }
      self = .averages(across: across, down: down)
    } else {
      guard let across = Q15Taps(across), let down = Q15Taps(down) else { return nil }
      self = .products(across: across, down: down)
    }
  }

  /// How far rounded weights, and rounding of values, can put a result off, as a share of full scale.
  var error: Double {
    switch self {
    case .averages(let across, let down):
      across.error + down.error + AveragesFilter.rounding(across: across, down: down)
    case .products(let across, let down):
      across.error + down.error + 2 * FixedFilter.rounding
    }
  }

  func filter(_ shape: WindowShape) -> any WindowFilter {
    switch self {
    case .averages(let across, let down): AveragesFilter(shape, across: across, down: down)
    case .products(let across, let down): FixedFilter(shape, across: across, down: down)
    }
  }
}
