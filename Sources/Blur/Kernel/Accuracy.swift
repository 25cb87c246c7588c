/// How near to the Gaussian a kernel must come, whatever the image: a bound on its worst case.
///
/// Kernels that can trade error for speed are made with one of these; the list of kernels has a line for
/// each.
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

extension Accuracy {
  /// The name of a family's kernel with this accuracy: that of the family for ``standard``, else with the
  /// accuracy appended (`pyramid-fine`).
  func name(in family: String) -> String { self == .standard ? family : "\(family)-\(rawValue)" }

  /// The summary of a family's kernel with this accuracy.
  func summary(of family: String) -> String {
    switch self {
    case .standard: family
    case .fine: "\(family), within 1e-5 of full scale"
    }
  }
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
