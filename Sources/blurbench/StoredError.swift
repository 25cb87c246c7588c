import Blur
import BlurFiles
import BlurText

/// An upper bound on the error of a picture that a kernel blurs in linear light, and that is then stored with
/// a transfer curve such as sRGB.
struct StoredError {
  private let kernel: Kernel
  private let picture: PixelFormat
  /// The curve that encodes the blurred light.
  private let curve: TransferCurve
  /// Whether the result of the blur may have transparent pixels. When an 8-bit picture with transparent
  /// pixels is read, it is converted to 16 bits. A picture that still has 8 bits is therefore opaque, and
  /// only a constant edge can make its result transparent.
  private let hasAlpha: Bool
  /// The error bound that the kernel promises for the blur in linear light, in levels, or nil if the kernel
  /// makes no promise.
  private let promised: Double?

  /// The additional error of a blur with a mask, in levels of linear light. Such a blur approximates each
  /// sigma by mixing several blurs. The additional error is 0 without a mask, and nil if the method for the
  /// mask has no error bound.
  var mixing: Double? = 0

  /// Creates the error bound for one kernel and one format of pictures.
  ///
  /// - Parameters:
  ///   - kernel: The kernel that blurs the linear light.
  ///   - light: The pixel format of the linear light.
  ///   - picture: The format of the stored picture, before its conversion to linear light.
  ///   - edge: The edge mode. A constant edge may make the result transparent.
  ///   - curve: The curve that encodes the blurred light in the stored picture.
  init(
    of kernel: Kernel, light: PixelFormat, picture: PixelFormat, edge: EdgeMode, _ curve: TransferCurve
  ) {
    (self.kernel, self.picture, self.curve) = (kernel, picture, curve)
    let isContinued = if case .constant = edge { false } else { true }
    hasAlpha = picture.hasAlpha && !(picture.component == .uint8 && isContinued)
    promised = kernel.promise.bound(for: light)
  }

  /// The error bound as text, for `--verbose`.
  var summary: String {
    guard let promised else {
      return "no bound is known, because kernel \(kernel.name) makes no promise about its error"
    }
    guard let mixing else {
      return "no bound is known, because the error of this --method depends on the mask"
    }
    // If the result is a mixture of several blurs, it is rounded to 16 bits once more. This adds an error of
    // at most half a step between two 16-bit values.
    let light = promised + mixing + (mixing > 0 && picture.component == .uint8 ? 255 * 0.5 / 65535 : 0)
    guard hasAlpha else {
      return "at most \(levels(light).roundedUp) levels in \(place), not counting the final rounding"
    }
    // A file stores straight colours, which are premultiplied colours divided by alpha. A premultiplied
    // colour is alpha · curve(light / alpha). Both the colour and the alpha have errors, which include
    // rounding, and the division magnifies these errors by 1 / alpha.
    //
    // A 16-bit picture has one more error: when it was premultiplied, its colours were rounded by up to half
    // a step between two 16-bit values. The conversion to linear light magnifies this error by at most the
    // largest slope of its curve, which is 2.4 / 1.055 for sRGB.
    let multiplied = picture.component == .uint16 ? 255 * curve.lightError(of: 0.5 / 65535) : 0
    let rounding = picture.component == .float32 ? 0 : 255 / picture.fullScale
    let errors = (levels(light + multiplied) + light + rounding).roundedUp
    return "at most \(errors) levels in \(place) where the picture is opaque, "
      + "and \(errors) levels divided by alpha (from 0 to 1) elsewhere, not counting the final rounding"
  }

  /// The name of the scale of the stored values, for messages: "sRGB" or "the file".
  private var place: String { curve == .sRGB ? "sRGB" : "the file" }

  /// A warning that the error can exceed one level near black, or nil if the error is always smaller. There
  /// is no warning for kernels that only approximate the Gaussian, because users expect larger errors from
  /// such kernels.
  var warning: String? {
    guard let promised, kernel.promise.isExact, levels(promised) > 1 else { return nil }
    return "\(kernel.name): with --linear-light, "
      + "the error of this kernel can reach \(levels(promised).roundedUp) levels near black; "
      + (curve == .sRGB
        ? "with --kernel auto, the error is at most 1 level"
        : "no kernel can keep it within 1 level, because the transfer curve of this file is steep there")
  }

  /// Returns the largest error in the stored picture, in levels, that can result from an error of `light`
  /// levels in linear light.
  private func levels(_ light: Double) -> Double {
    curve.levels(within: .levels(light), for: picture)
  }
}

extension Double {
  /// The number as text with three significant digits. The text never states less than the exact value:
  /// rounding to three digits changes a number by at most 0.5 %, so 0.5 % is added first.
  fileprivate var roundedUp: String { (self * 1.005).threeDigits }
}
