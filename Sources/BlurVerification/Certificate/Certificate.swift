import Blur
import BlurText

/// The largest error that a kernel can cause in any image. It is computed from the kernel's weights, which
/// are measured for every output pixel.
public struct Certificate: Sendable {
  /// The kernel that was certified, and the format, sigma, edge mode and instruction set that it was
  /// certified for.
  public let kernel: Kernel, subject: Subject
  /// The width and height, in pixels, of the images that the kernel has blurred for the measurement.
  public let side: Int
  /// The kind of the kernel, such as separable or nonlinear. The largest possible error of a nonlinear kernel
  /// cannot be determined.
  public let linearity: Linearity
  /// The largest difference, in levels, between blurred test images and the results that the measured weights
  /// predict. A small difference comes from rounding. A larger one shows that the kernel is not linear.
  public let residual: Double
  /// The measured characteristics of the kernel along rows and along columns.
  public let across: AxisFigures, down: AxisFigures
  /// The largest error of the kernel relative to the Gaussian, over all possible images, and the pixel where
  /// it occurs. It is nil if it cannot be determined.
  public let worst: WorstCase?
  /// The largest difference, over all possible images, between the kernel's results and the published blur
  /// that the kernel promises to equal. It is nil if the kernel makes no such promise, or if the difference
  /// cannot be determined.
  public let specified: WorstCase?
  /// The predicted error of the worst-case image, and the error that was measured by blurring this image. The
  /// value is nil if the worst-case image is not known.
  public let adversary: Adversary?
  /// The reason why some part of the certificate is unknown, or nil if every part is known.
  public let note: String?

  /// A comparison of the predicted and the measured error of the worst-case image at its worst pixel. Both
  /// errors are in levels, before rounding, relative to the Gaussian.
  public struct Adversary: Sendable, Hashable, Codable {
    /// The error that the weights predict, or nil for a kernel that is not linear.
    public let predicted: Double?
    /// The error at the worst pixel, measured by blurring the worst-case image.
    public let measured: Double
    /// The largest difference between the predicted and the measured error that rounding can explain. Values
    /// are rounded inside the kernel and in its result, and the measured weights contain rounding errors too.
    public let allowance: Double

    /// A Boolean value that indicates whether prediction and measurement agree within the rounding errors.
    public var agrees: Bool { predicted.map { abs($0 - measured) <= allowance } ?? true }
  }

  /// A description of the position of the worst case, with its distance from nearby edges, or nil if there is
  /// no worst case.
  var place: String? {
    worst.map { worst in
      let radius = KernelUnderTest(kernel: kernel, subject: subject).radius
      let edges = [
        (worst.x, radius.x, "left"), (side - 1 - worst.x, radius.x, "right"), (worst.y, radius.y, "top"),
        (side - 1 - worst.y, radius.y, "bottom"),
      ]
      let near = edges.filter { $0.0 <= $0.1 }.map { "\($0.0) px from the \($0.2) edge" }
      let place = near.isEmpty ? "far from all edges" : near.joined(separator: " and ")
      return "x \(worst.x), y \(worst.y) of \(side)x\(side), \(place)"
    }
  }

  /// The standard deviation of the kernel's weights along a row, in pixels. It is nil if the kernel is not
  /// linear or the value is not finite.
  public var achievedSigma: Double? {
    switch linearity {
    case .separable, .planar: across.achievedSigma.isFinite ? across.achievedSigma : nil
    case .nonlinear, .stateful: nil
    }
  }

  /// A description of how the kernel breaks its promise, or nil if no violation is known.
  public var violation: String? {
    if linearity == .stateful { return "the kernel gives different results for the same image" }
    if case .specification(let name) = kernel.promise {
      // The kernel promises to equal a published definition exactly. Other checks compare blurred images with
      // this definition, but this check compares weights. It accepts a difference of a quarter of a code
      // value, because weights can only be measured to within a fraction of a code value.
      let allowed = max(Judge.specifiedShare * 255, subject.format.codeInLevels / 4)
      guard let specified, specified.sureLevels > allowed else { return nil }
      return "worst case over all images: a difference of \(specified.levels.inLevels) from the definition "
        + "'\(name)'; allowed: at most \(allowed.inLevels)"
    }
    guard let bound = kernel.promise.bound(for: subject.format) else { return nil }
    if linearity == .nonlinear { return violationByExample(bound) }
    guard let worst, worst.sureLevels > bound else { return nil }
    return "worst case over all images: \(worst.levels.inLevels); promised: at most \(bound.inLevels)"
      + wrongSigma
  }

  /// A remark that the kernel blurs with a different sigma from the one requested, or an empty string if the
  /// sigma is right. A difference of 3 % is accepted, because rounding and truncated tails can cause it.
  /// Sigmas below 1 are not checked, because even the samples of an exact Gaussian then have a different
  /// standard deviation.
  private var wrongSigma: String {
    guard linearity == .separable || linearity == .planar else { return "" }
    let axes = [("along rows", across, subject.sigma.x), ("along columns", down, subject.sigma.y)]
    let wrong = axes.filter { _, figures, sigma in
      sigma >= 1 && figures.sigmaRatio.map { abs($0 - 1) > 0.03 } ?? false
    }
    return wrong.map { name, figures, sigma in
      "; \(name), the kernel blurs with sigma \(figures.achievedSigma.threeDigits) instead of \(sigma.short)"
    }.joined()
  }

  /// Returns a description of a measured error that proves that a nonlinear kernel breaks its promise, or nil
  /// if no test image has shown such an error.
  private func violationByExample(_ bound: Double) -> String? {
    let code = subject.format.codeInLevels
    if let adversary, abs(adversary.measured) > bound + code / 2 {
      return "the kernel is not linear, and one image has an error of \(abs(adversary.measured).inLevels); "
        + "promised: at most \(bound.inLevels)"
    }
    // `residual` is the largest difference between a measured blur and the blur that the measured weights
    // predict. It is computed from the blur of a test image, the blur of a flat image, and the prediction. If
    // the kernel keeps its promise, each of the three is wrong by at most `bound`. The residual is then at
    // most three times `bound`, plus up to two code values for rounding. A larger residual proves that the
    // kernel breaks its promise.
    return residual > 3 * bound + 2 * code
      ? "the kernel is not linear: a result differs by \(residual.inLevels) from what the weights predict"
      : nil
  }
}
