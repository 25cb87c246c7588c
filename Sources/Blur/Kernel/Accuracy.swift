/// How near to the Gaussian a kernel must come, whatever the image: a bound on its worst case.
///
/// Kernels that can trade error for speed plan for one of these; the list of kernels has an entry for each.
public enum Accuracy: String, CaseIterable, Hashable, Sendable {
  /// Less than 1 level off before rounding in 8-bit formats, 10⁻³ of full scale in the others.
  case standard
  /// 10⁻⁵ of full scale off before rounding, in every format.
  case fine

  /// The largest error before rounding, as a share of full scale.
  public func share(for format: PixelFormat) -> Double {
    switch self {
    case .standard: format.component == .uint8 ? 1 / 255 : 1e-3
    case .fine: 1e-5
    }
  }
}

/// A kernel that plans for the accuracy it is asked for, and promises it.
public protocol GradedKernel: BlurKernel {}

extension GradedKernel {
  public static var promise: Promise { .exact(.standard) }
}

extension Promise {
  /// The Gaussian itself, as near as `accuracy` asks for.
  static func exact(_ accuracy: Accuracy) -> Promise {
    switch accuracy {
    case .standard: .exact(levels: 1, share: 1e-3)
    case .fine: .exact(levels: 1, share: 1e-5)
    }
  }
}
