/// A kernel's promise about its results, usually the largest error that they can have. The harness checks
/// that the kernel keeps this promise.
///
/// A level is 1/255 of full scale, for every format.
public enum Promise: Hashable, Sendable, CustomStringConvertible {
  /// A promise to compute the true Gaussian. In 8-bit formats, no value differs from the correctly rounded
  /// exact result by more than `levels`. In 16-bit and float formats, no value differs from the exact result
  /// by more than `share` of full scale before rounding.
  case exact(levels: Double = 1, share: Double = 1e-5)
  /// A promise to approximate the Gaussian. No value differs from the exact Gaussian by more than `levels`,
  /// in any image.
  case approximation(levels: Double)
  /// No promise about the error. The harness measures and shows the error, but does not judge it. It only
  /// calls the kernel suspect if the results look nothing like a Gaussian of the requested sigma.
  case nothing
  /// A promise to equal a published definition of a blur that is not the Gaussian.
  case specification(String)
  /// A declaration that the kernel does not compute a Gaussian of the requested sigma and does not try to.
  /// The values of its results are not judged.
  case notGaussian

  /// Whether the promise says nothing about the pixel values of the results.
  package var isEmpty: Bool { self == .nothing || self == .notGaussian }

  /// Whether this is ``exact(levels:share:)``, the promise to compute the true Gaussian.
  package var isExact: Bool { if case .exact = self { true } else { false } }

  /// Returns the largest difference from the exact Gaussian that the promise allows, in levels, or nil if the
  /// promise is not about the Gaussian. In 16-bit formats both the exact value and the result are rounded, so
  /// a difference of one code value is always allowed.
  public func bound(for format: PixelFormat) -> Double? {
    switch self {
    case .exact(let levels, let share):
      switch format.component {
      case .uint8: levels
      case .uint16: max(share, 1.0001 / format.fullScale) * 255
      case .float32: share * 255
      }
    case .approximation(let levels): levels
    case .specification, .nothing, .notGaussian: nil
    }
  }

  /// A short description of the promise, for tables.
  public var description: String {
    switch self {
    case .exact(let levels, let share):
      "8 bits: \(levels.formattedShort) level" + (levels == 1 ? "" : "s")
        + (share > 0 ? "; otherwise \(share.formattedShort) of full scale" : "")
    case .approximation(let levels): "within \(levels.formattedShort) level" + (levels == 1 ? "" : "s")
    case .specification(let name): "equals \(name)"
    case .nothing: "nothing"
    case .notGaussian: "not a Gaussian"
    }
  }
}

extension Double {
  /// The number as a string: without a decimal point if it is whole, such as "1" for 1.0, and otherwise in
  /// the shortest decimal form.
  var formattedShort: String { self == rounded() && abs(self) < 1e15 ? String(Int(self)) : String(self) }
}
