/// A method for blurs whose sigma differs from pixel to pixel.
///
/// By definition, each output pixel is computed with the Gaussian of its own sigma. This operation is linear
/// in the image, but it is not a convolution, so no separable filter computes it exactly.
public enum VariableMethod: String, CaseIterable, Sendable {
  /// Mixes blurs whose sigmas are so close together that mixing two neighbouring blurs causes an error below
  /// one level (1/255 of full scale) in any image. The errors of the blurs themselves and the rounding error
  /// come on top of this.
  case levels
  /// Mixes eight blurs with evenly spaced sigmas, as web pages and user interfaces do with stacked layers.
  case layers
  /// Mixes one blur with the image, according to the mask. This is the cheapest method. Sharp edges of the
  /// image remain visible through the blur, because no blur of a smaller sigma is computed.
  case crossFade = "cross-fade"
  /// Makes two passes, first along rows and then along columns. Each pass uses the sigma of the pixel that it
  /// writes, as shaders do. If the sigma changes from row to row, the second pass therefore combines rows
  /// that the first pass has blurred with different sigmas. The error depends on the mask, and there is no
  /// bound for all masks.
  case twoPass = "two-pass"

  /// A one-line description of what the method does and how accurate it is.
  public var summary: String {
    switch self {
    case .levels: "mixes blurs whose sigmas differ by a tenth; mixing adds an error below 1 level"
    case .layers: "mixes eight blurs with evenly spaced sigmas; large errors where the mask is dark"
    case .crossFade: "fades between the image and one blur; sharp edges show through the blur"
    case .twoPass: "two passes with the sigma of each pixel; large errors where sigma changes between rows"
    }
  }
}
