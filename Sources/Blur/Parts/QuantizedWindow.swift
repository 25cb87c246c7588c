/// The windows along both axes, with integer weights. 8-bit images and their pyramids use averages, and
/// deeper formats use products.
enum QuantizedWindow {
  case averages(across: Q16Taps, down: Q16Taps)
  case products(across: Q15Taps, down: Q15Taps)

  /// Rounds the weights to integers, or returns nil if a weight or a sum does not fit in its integer type.
  ///
  /// - Parameters:
  ///   - across: The right half of the window along a row, starting at the centre.
  ///   - down: The right half of the window along a column, starting at the centre.
  ///   - isOfBytes: Whether the image has 8-bit components.
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

  /// The largest error that the rounding of weights and of values can cause, as a fraction of full scale.
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
