import Blur
import BlurText

/// How far a picture that is blurred in linear light may be off as it is stored, in sRGB.
struct StoredError {
  private let kernel: Kernel
  private let picture: PixelFormat
  /// Whether the result may let something through. Files of 8 bits with such pixels have 16 inside.
  private let hasAlpha: Bool
  /// What the kernel promises of light, in levels.
  private let promised: Double?

  /// By how many levels of light the mixing of blurs may be off as well; 0 for one blur, nil if unknown.
  var mixing: Double? = 0

  /// - Parameters:
  ///   - kernel: what blurs the light.
  ///   - light: the format of the light.
  ///   - picture: that of the picture in sRGB, before it became light.
  ///   - edge: what continues the picture; a constant may let something through.
  init(of kernel: Kernel, light: PixelFormat, picture: PixelFormat, edge: EdgeMode) {
    (self.kernel, self.picture) = (kernel, picture)
    let isContinued = if case .constant = edge { false } else { true }
    hasAlpha = picture.hasAlpha && !(picture.component == .uint8 && isContinued)
    promised = kernel.promise.bound(for: light)
  }

  /// The bound in words, for `--verbose`.
  var summary: String {
    guard let promised else { return "no bound: \(kernel.name) promises none of the Gaussian" }
    guard let mixing else { return "no bound: the method states none" }
    // What is mixed is rounded once more.
    let light = promised + mixing + (mixing > 0 && picture.component == .uint8 ? 255 * 0.5 / 65535 : 0)
    guard hasAlpha else {
      return "at most \(levels(light).roundedUp) levels in sRGB, before rounding"
    }
    // Files hold c / alpha of the colour c = alpha · curve(light / alpha), so that errors of c and of alpha
    // are divided by alpha, and both were rounded. Multiplying by alpha in 16 bits was half a step off, which
    // the curve of light makes 2.4 / 1.055 times as large.
    let multiplied = picture.component == .uint16 ? 255 * (0.5 / 65535) * 2.4 / 1.055 : 0
    let errors = levels(light + multiplied) + light + 255 / picture.fullScale
    return "at most \(errors.roundedUp) levels / alpha in sRGB, before rounding; alpha is from 0 to 1"
  }

  /// What is said of a kernel that keeps one level of stored colours, but not of light; nil of all others.
  var warning: String? {
    guard let promised, kernel.promise.isExact, levels(promised) > 1 else { return nil }
    return "\(kernel.name): with --linear-light up to \(levels(promised).roundedUp) levels off near black; "
      + "--kernel auto keeps 1"
  }

  /// The error in sRGB of light that is that far off.
  private func levels(_ light: Double) -> Double {
    LinearLight.levels(within: .levels(light), for: picture)
  }
}

extension Double {
  /// Three digits, not less than the number: they are up to half a percent off.
  fileprivate var roundedUp: String { (self * 1.005).threeDigits }
}
