/// The largest error against the Gaussian that is accepted, in any image: what kernels are chosen by.
///
/// Compared with what kernels promise (``Promise/bound(for:)``), and certificates hold them to that.
public enum ErrorBound: Hashable, Sendable {
  /// In levels, each 1/255 of full scale, in every format.
  case levels(Double)
  /// As a share of full scale.
  case share(Double)

  /// The bound in levels.
  public var levels: Double {
    switch self {
    case .levels(let levels): levels
    case .share(let share): share * 255
    }
  }

  /// Whether the kernel's promise for that format is within the bound.
  public func allows(_ kernel: Kernel, for format: PixelFormat) -> Bool {
    kernel.promise.bound(for: format).map { $0 <= levels } ?? false
  }
}
