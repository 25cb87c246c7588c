/// The two windows of a separable filter, one for rows and one for columns, with weights that are rounded to
/// integers. The case `averages` is for 8-bit images and for pyramids of them, and the case `products` is for
/// integer formats with more bits.
enum QuantizedWindow {
  case averages(across: Q16Taps, down: Q16Taps)
  case products(across: Q15Taps, down: Q15Taps)

  /// Rounds the weights to integers. Returns nil if a weight or a sum does not fit in 16 bits.
  ///
  /// - Parameters:
  ///   - across: The right half of the window along a row, starting at the centre.
  ///   - down: The right half of the window along a column, starting at the centre.
  ///   - isOfBytes: Whether the components of the image have 8 bits.
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

  /// The largest error that the rounding of weights and samples can cause, as a fraction of full scale.
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
