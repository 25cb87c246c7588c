/// A variable blur of images with straight alpha: multiplies the colours by alpha, blurs, and divides the
/// colours by the blurred alpha.
// SAFETY: all methods run under the lock of the plan.
final class StraightWork: VariableWork, @unchecked Sendable {
  private let inner: any VariableWork
  private let alpha: StraightAlpha
  /// The image with its colours multiplied by alpha, and the blurred version of this image. Both have more
  /// bits per component than the user's images.
  private var multiplied: Image, blurred: Image

  /// Creates a blur of images with straight alpha. `inner` blurs images with the layout `wide`, which is
  /// ``ImageLayout/forKernels(_:)``.
  init(_ inner: any VariableWork, _ alpha: StraightAlpha, _ wide: ImageLayout) throws(BlurError) {
    (self.inner, self.alpha) = (inner, alpha)
    (multiplied, blurred) = (try Image(wide), try Image(wide))
  }

  func run(_ source: ImageView, _ target: MutableImageView) -> BlurError? {
    let rows = 0..<source.layout.height
    multiplied.withMutableView { alpha.multiply(rows, of: source, into: $0) }
    let failure = multiplied.withView { source in blurred.withMutableView { inner.run(source, $0) } }
    blurred.withView { alpha.divide(rows, of: $0, into: target) }
    return failure
  }
}
