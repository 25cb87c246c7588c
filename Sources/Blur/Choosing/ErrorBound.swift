/// The largest error against the Gaussian that a caller accepts, in any image. Kernels are chosen by this
/// bound.
///
/// The bound is compared with what kernels promise (``Promise/bound(for:)``). Certificates, the computed
/// worst cases over all images, check that the kernels keep their promises.
public enum ErrorBound: Hashable, Sendable {
  /// A bound in levels. A level is 1/255 of full scale, in every format.
  case levels(Double)
  /// A bound as a fraction of full scale.
  case share(Double)

  /// The bound in levels.
  public var levels: Double {
    switch self {
    case .levels(let levels): levels
    case .share(let share): share * 255
    }
  }

  /// Returns whether the kernel's promise for this format is within the bound.
  public func allows(_ kernel: Kernel, for format: PixelFormat) -> Bool {
    kernel.promise.bound(for: format).map { $0 <= levels } ?? false
  }
}
