/// The integer weights of a blur that filters rows and columns separately: one set of weights along rows
/// (`across`) and one along columns (`down`). The case `averages` is for 8-bit images and for smaller
/// versions of them. The case `products` is for integer formats with more bits.
enum QuantizedWindow {
  case averages(across: Q16Taps, down: Q16Taps)
  case products(across: Q15Taps, down: Q15Taps)

  /// Rounds the weights to integers. Returns nil if a weight or a weighted sum does not fit in 16 bits.
  ///
  /// - Parameters:
  ///   - across: The weights along a row, from the centre of the window to its right end.
  ///   - down: The weights along a column, from the centre of the window to its lower end.
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

  /// The largest error of a blurred pixel that comes from rounding the weights and the intermediate values to
  /// integers, as a fraction of full scale.
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
