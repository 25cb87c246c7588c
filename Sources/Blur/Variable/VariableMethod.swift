/// A way to blur with a sigma that differs from pixel to pixel.
///
/// The truth gives each output pixel the Gaussian of its own sigma. It is linear in the image but no
/// convolution, so that no separable filter is exact.
public enum VariableMethod: String, CaseIterable, Sendable {
  /// Blurs so close together that mixing two neighbours errs by less than a level in any image. The blurs'
  /// own error and the rounding come on top.
  case levels
  /// Eight blurs at equal distances, as stacked layers of the web and of interfaces do it.
  case layers
  /// One blur, mixed with the image by the mask: the cheapest, and no blur of a smaller sigma at all.
  case crossFade = "cross-fade"
  /// Two passes, across and down, each with the sigma of the pixel it writes, as shaders do. Where sigma
  /// changes from row to row the first pass has used the neighbours' sigmas, by which the error has no bound
  /// but the mask's own.
  case twoPass = "two-pass"

  /// What it does and how far it is off, in one line.
  public var summary: String {
    switch self {
    case .levels: "mixes blurs a tenth apart; the mixing errs by less than a level"
    case .layers: "mixes eight blurs at equal distances; far off where the mask is dark"
    case .crossFade: "fades between the image and one blur; shows sharp edges below the blur"
    case .twoPass: "two passes with the sigma of each pixel; off where sigma changes from row to row"
    }
  }
}
