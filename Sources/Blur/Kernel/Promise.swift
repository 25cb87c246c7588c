/// What a kernel claims about its error. The harness holds it to this.
///
/// A level is 1/255 of full scale, for every format.
public enum Promise: Hashable, Sendable, CustomStringConvertible {
  /// The Gaussian itself: no 8-bit value differs from the correctly rounded truth by more than `levels`;
  /// 16-bit and float values differ by at most `share` of full scale before rounding.
  case exact(levels: Double = 1, share: Double = 1e-5)
  /// Near the Gaussian: no value differs from the truth by more than `levels`, in any image.
  case approximation(levels: Double)
  /// Nothing: errors are measured and shown.
  case nothing
  /// Equal to a published definition, which is not the Gaussian.
  case specification(String)

  /// Whether the Gaussian itself is promised.
  package var isExact: Bool { if case .exact = self { true } else { false } }

  /// The largest error allowed against the truth, in levels, or nil where the Gaussian is not promised.
  /// Both are rounded in 16-bit formats, so that one code is always allowed.
  public func bound(for format: PixelFormat) -> Double? {
    switch self {
    case .exact(let levels, let share):
      switch format.component {
      case .uint8: levels
      case .uint16: max(share, 1.0001 / format.fullScale) * 255
      case .float32: share * 255
      }
    case .approximation(let levels): levels
    case .specification, .nothing: nil
    }
  }

  /// A few words for tables.
  public var description: String {
    switch self {
    case .exact(let levels, let share):
      "8 bits: \(levels.formattedShort) level" + (levels == 1 ? "" : "s")
        + (share > 0 ? "; else \(share.formattedShort) of full scale" : "")
    case .approximation(let levels): "within \(levels.formattedShort) level" + (levels == 1 ? "" : "s")
    case .specification(let name): "equals \(name)"
    case .nothing: "nothing"
    }
  }
}

extension Double {
  /// "1" for 1.0, otherwise the shortest decimal form.
  var formattedShort: String { self == rounded() && abs(self) < 1e15 ? String(Int(self)) : String(self) }
}
