import Blur
import BlurText

/// The largest error that any image can get from a kernel, measured: its weights for every pixel of a line,
/// and what follows from them.
///
/// Holds for images of values from black to white, before the result is rounded, and for a linear kernel. The
/// constant of edge mode `constant` is black.
public struct Certificate: Sendable {
  /// What was certified.
  public let kernel: Kernel, subject: Subject
  /// Width and height in pixels of the images it was measured on.
  public let side: Int
  /// What kind of operator the kernel is. Nothing else is known of kernels that are not linear.
  public let linearity: Linearity
  /// How far, in levels, results were from what the weights predict: rounding, or what is not linear.
  public let residual: Double
  /// Along rows and along columns.
  public let across: AxisFigures, down: AxisFigures
  /// The worst case in the plane, against the Gaussian. Nil where it cannot be known.
  public let worst: WorstCase?
  /// The worst case against the specification that the kernel promises, where it promises one.
  public let specified: WorstCase?
  /// The image that has the worst case, blurred.
  public let adversary: Adversary?
  /// Why something is not known.
  public let note: String?

  /// The worst image: what the weights predict at its pixel, and what was measured there, both in levels from
  /// the Gaussian (or the specification that is promised) before rounding.
  public struct Adversary: Sendable, Hashable, Codable {
    /// By the weights; nil for a kernel that is not linear.
    public let predicted: Double?
    /// By blurring the image.
    public let measured: Double
    /// How far apart they may be: rounding of the result and inside the kernel, and of the weights.
    public let allowance: Double

    /// Whether the two agree within rounding.
    public var agrees: Bool { predicted.map { abs($0 - measured) <= allowance } ?? true }
  }

  /// The standard deviation along a row in pixels, if the kernel has one.
  public var achievedSigma: Double? {
    switch linearity {
    case .separable, .planar: across.achievedSigma.isFinite ? across.achievedSigma : nil
    case .nonlinear, .stateful: nil
    }
  }

  /// How the kernel breaks its promise, or nil if it keeps it as far as can be known.
  public var violation: String? {
    if linearity == .stateful { return "gives different results for the same image" }
    if case .specification(let name) = kernel.promise {
      // Pictures show that integer results are the same; the weights are known to a share of a code only.
      let allowed = max(Judge.specifiedShare * 255, subject.format.codeInLevels / 4)
      guard let specified, specified.sureLevels > allowed else { return nil }
      return "worst case \(specified.levels.inLevels) from the definition '\(name)'"
    }
    guard let bound = kernel.promise.bound(for: subject.format) else { return nil }
    if linearity == .nonlinear { return violationByExample(bound) }
    guard let worst, worst.sureLevels > bound else { return nil }
    return "worst case \(worst.levels.inLevels); promised: at most \(bound.inLevels)\(wrongSigma)"
  }

  /// Says that the kernel blurs with another sigma, where that is off by more than rounding and tails are.
  /// Below a pixel, samples of a Gaussian themselves deviate by less than sigma.
  private var wrongSigma: String {
    guard linearity == .separable || linearity == .planar else { return "" }
    let axes = [("along rows", across, subject.sigma.x), ("along columns", down, subject.sigma.y)]
    let wrong = axes.filter { _, figures, sigma in
      sigma >= 1 && figures.sigmaRatio.map { abs($0 - 1) > 0.03 } ?? false
    }
    return wrong.map { name, figures, sigma in
      "; \(name) it blurs with sigma \(figures.achievedSigma.threeDigits), not \(sigma.short)"
    }.joined()
  }

  /// How an image shows that a kernel that is not linear breaks its promise.
  private func violationByExample(_ bound: Double) -> String? {
    let code = subject.format.codeInLevels
    if let adversary, abs(adversary.measured) > bound + code / 2 {
      return "is not linear, and off by \(abs(adversary.measured).inLevels) in an image; promised: at most "
        + bound.inLevels
    }
    // Three blurs that keep the bound cannot miss each other's sum by more.
    return residual > 3 * bound + 2 * code
      ? "is not linear: off by \(residual.inLevels) from the sum of its parts" : nil
  }
}
