/// The largest difference from the exact Gaussian, in any image, that a caller accepts. Only a kernel that
/// promises to stay within this bound can be chosen.
///
/// The bound is compared with the largest error that a kernel promises (``Promise/bound(for:)``). A
/// certificate, the computed worst case of a kernel over all images, shows whether the kernel keeps its
/// promise.
public enum ErrorBound: Hashable, Sendable {
  /// A bound in levels. A level is 1/255 of full scale, in every format.
  case levels(Double)
  /// A bound as a fraction of full scale. The full scale of floats is 1; see ``difference(_:ofFullScale:)``
  /// for images with another range.
  case share(Double)

  /// Returns the bound that allows the given difference in float images whose values run from 0 to
  /// `fullScale`.
  ///
  /// The library takes 1 as the full scale of floats. Blurring is linear, so for images with values in 0…255,
  /// all promised errors are 255 times as large. `.difference(0.01, ofFullScale: 255)` keeps every value of
  /// such an image within 0.01. With the default bound of one level, the values of such an image could differ
  /// by 1.
  public static func difference(_ difference: Double, ofFullScale fullScale: Double) -> ErrorBound {
    .share(difference / fullScale)
  }

  /// The bound in levels.
  public var levels: Double {
    switch self {
    case .levels(let levels): levels
    case .share(let share): share * 255
    }
  }

  /// Returns whether the largest error that the kernel promises for this format is within the bound.
  package func allows(_ kernel: Kernel, for format: PixelFormat) -> Bool {
    kernel.promise.bound(for: format).map { $0 <= levels } ?? false
  }
}
