import Blur
import BlurText

/// The largest error that a kernel can cause in any image, determined by measuring the weights with which the
/// kernel computes every pixel of a line.
///
/// A certificate holds for linear kernels and for images with values from black to white, before the result
/// is rounded. The colour of edge mode `constant` is black.
public struct Certificate: Sendable {
  /// The kernel that was certified, and the format, sigma, edge mode and instruction set that it was
  /// certified for.
  public let kernel: Kernel, subject: Subject
  /// The width and height in pixels of the images that were used for measuring.
  public let side: Int
  /// The kind of operator that the kernel is. For kernels that are not linear, nothing else is known.
  public let linearity: Linearity
  /// The largest difference, in levels, between measured results and those that the weights predict. It comes
  /// from rounding or from nonlinear behaviour.
  public let residual: Double
  /// The measured characteristics of the kernel along rows and along columns.
  public let across: AxisFigures, down: AxisFigures
  /// The worst case in the plane relative to the Gaussian, or nil if it cannot be determined.
  public let worst: WorstCase?
  /// The worst case relative to the specification that the kernel promises, or nil if it promises none.
  public let specified: WorstCase?
  /// The test in which the worst-case image was actually blurred, or nil if the image is not known.
  public let adversary: Adversary?
  /// The reason why some part of the certificate is unknown, or nil if every part is known.
  public let note: String?

  /// A comparison of the predicted and the measured error of the worst-case image at its worst pixel.
  ///
  /// Both errors are in levels, before rounding, relative to the Gaussian.
  public struct Adversary: Sendable, Hashable, Codable {
    /// The error that the weights predict, or nil for a kernel that is not linear.
    public let predicted: Double?
    /// The error that was measured by blurring the image.
    public let measured: Double
    /// The largest difference between the two errors that rounding can explain: rounding of the result,
    /// inside the kernel, and of the measured weights.
    public let allowance: Double

    /// A Boolean value that indicates whether prediction and measurement agree within the rounding errors.
    public var agrees: Bool { predicted.map { abs($0 - measured) <= allowance } ?? true }
  }

  /// The standard deviation along a row in pixels, or nil if the kernel is not linear.
  public var achievedSigma: Double? {
    switch linearity {
    case .separable, .planar: across.achievedSigma.isFinite ? across.achievedSigma : nil
    case .nonlinear, .stateful: nil
    }
  }

  /// A description of how the kernel breaks its promise, or nil if it keeps the promise as far as can be
  /// known.
  public var violation: String? {
    if linearity == .stateful { return "the kernel gives different results for the same image" }
    if case .specification(let name) = kernel.promise {
      // Other checks of `blurbench verify` compare images to see whether integer results are equal. The
      // weights are known only to a fraction of a code value, so a smaller difference is accepted here.
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

  /// A remark that the kernel blurs with another sigma than requested, or an empty string if the sigma is
  /// right.
  ///
  /// The remark needs a difference larger than rounding and truncated tails explain. Below a sigma of 1, even
  /// the samples of an exact Gaussian have a different standard deviation.
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

  /// Returns a description of how an image shows that a nonlinear kernel breaks its promise, or nil if no
  /// image shows it.
  private func violationByExample(_ bound: Double) -> String? {
    let code = subject.format.codeInLevels
    if let adversary, abs(adversary.measured) > bound + code / 2 {
      return "the kernel is not linear, and one image has an error of \(abs(adversary.measured).inLevels); "
        + "promised: at most \(bound.inLevels)"
    }
    // The residual compares the blur of an image, the blur of a flat image and the prediction of the measured
    // weights. If each of the three keeps the bound, they disagree by at most three times the bound. Rounding
    // adds up to two code values.
    return residual > 3 * bound + 2 * code
      ? "the kernel is not linear: a result differs by \(residual.inLevels) from what the weights predict"
      : nil
  }
}
