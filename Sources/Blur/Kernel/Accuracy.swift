/// A limit on the difference between a kernel's result and the exact Gaussian, for the worst possible image.
///
/// A kernel that can trade accuracy for speed is created with one of these values, and the list of kernels
/// has one entry for each value. The full scale of float formats is 1. For float images with values from 0 to
/// 255, an error of 10⁻³ of full scale is a difference of 0.255.
public enum Accuracy: String, CaseIterable, Hashable, Sendable {
  /// An error below 1 level (1/255 of full scale) before rounding in 8-bit formats, and an error of at most
  /// 10⁻³ of full scale before rounding in the other formats.
  case standard
  /// An error of at most 10⁻⁵ of full scale before rounding, in every format.
  case fine

  /// Returns the largest allowed error before rounding, as a fraction of full scale.
  public func share(for format: PixelFormat) -> Double {
    switch self {
    case .standard: format.component == .uint8 ? 1 / 255 : 1e-3
    case .fine: 1e-5
    }
  }

  /// Returns the name of a kernel with this accuracy. Kernels that differ only in their accuracy form a
  /// family, such as `pyramid`. The kernel with the accuracy ``standard`` has the name of the family. For any
  /// other accuracy, the accuracy is appended to that name, as in `pyramid-fine`.
  func name(in family: String) -> String { self == .standard ? family : "\(family)-\(rawValue)" }

  /// Returns a one-line description of a kernel with this accuracy. `family` is the part of the description
  /// that all kernels of the same family share. These kernels differ only in their accuracy.
  func summary(of family: String) -> String {
    switch self {
    case .standard: family
    case .fine: "\(family); the error is at most 1e-5 of full scale"
    }
  }
}

extension Promise {
  /// Returns the promise of a kernel that computes the true Gaussian with the given accuracy.
  static func exact(_ accuracy: Accuracy) -> Promise {
    switch accuracy {
    case .standard: .exact(levels: 1, share: 1e-3)
    case .fine: .exact(levels: 1, share: 1e-5)
    }
  }
}
