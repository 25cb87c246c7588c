/// The arithmetic that a filter uses to compute weighted sums, and that a pyramid uses to halve and double
/// images.
package enum Arithmetic: String, Hashable, Sendable {
  /// 16-bit integers, for images with 8-bit components. The two values at the same distance from the centre
  /// of a window are averaged, and their mean is multiplied by one weight in units of 2⁻¹⁶.
  /// ``AveragesFilter`` uses this arithmetic.
  case averages
  /// 16-bit integers with 32-bit sums, for images with 16-bit components. Each value is multiplied by its own
  /// weight in units of 2⁻¹⁵. ``FixedFilter`` uses this arithmetic.
  case products
  /// Single precision, for images of every component type. ``FloatFilter`` uses this arithmetic.
  case float

  /// Selects the fastest arithmetic for images with the given component type.
  init(for component: PixelFormat.Component) {
    switch component {
    case .uint8: self = .averages
    case .uint16: self = .products
    case .float32: self = .float
    }
  }

  /// Whether the values and the weights are integers.
  var isFixed: Bool { self != .float }

  /// The number of fractional bits of an integer weight. In ``products``, for example, an integer n stands
  /// for the weight n / 2¹⁵.
  var weightBits: Int { self == .averages ? 16 : 15 }
}
