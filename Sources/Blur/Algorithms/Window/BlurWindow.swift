/// The weights of a blur that filters rows and columns separately. There is one window along the rows
/// (`across`) and one along the columns (`down`). Both are symmetric, so only the weight of the centre and
/// the weights on one side of it are stored.
struct BlurWindow {
  let across: [Double], down: [Double]
  /// The weights rounded to integers, or nil if the filter computes in single precision.
  let integers: IntegerWeights?

  /// Creates the window of a filter that computes in single precision.
  init(across: [Double], down: [Double]) { (self.across, self.down, integers) = (across, down, nil) }

  /// Creates a window with integer weights. Returns nil if a weight or a weighted sum does not fit in 16
  /// bits.
  ///
  /// - Parameters:
  ///   - across: The weights along a row, from the centre of the window to its right end.
  ///   - down: The weights along a column, from the centre of the window to its lower end.
  ///   - arithmetic: Either ``Arithmetic/averages`` or ``Arithmetic/products``.
  init?(across: [Double], down: [Double], _ arithmetic: Arithmetic) {
    guard let x = IntegerTaps(across, arithmetic),
      let y = across == down ? x : IntegerTaps(down, arithmetic),
      arithmetic != .averages || AveragesFilter.fits(across: x, down: y)
    else { return nil }
    (self.across, self.down) = (across, down)
    integers = IntegerWeights(arithmetic: arithmetic, across: x, down: y)
  }

  var arithmetic: Arithmetic { integers?.arithmetic ?? .float }

  /// The largest error of a blurred pixel that comes from rounding the weights and the intermediate values to
  /// integers, as a fraction of full scale. It is 0 if nothing is rounded to integers.
  var error: Double {
    guard let integers else { return 0 }
    let (across, down) = (integers.across, integers.down)
    let rounding =
      integers.arithmetic == .averages
      ? AveragesFilter.rounding(across: across, down: down) : 2 * FixedFilter.rounding
    return across.error + down.error + rounding
  }

  /// Creates the filter that applies the weights. `frame` must have been made for this window.
  func filter(_ frame: WindowFrame) -> any WindowFilter {
    guard let integers else { return FloatFilter(frame, self) }
    return integers.arithmetic == .averages ? AveragesFilter(frame, integers) : FixedFilter(frame, integers)
  }
}
