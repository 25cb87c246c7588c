/// A variable blur of images with straight alpha: multiplies the colours by alpha, blurs, and divides the
/// colours by the blurred alpha.
// SAFETY: all methods run under the lock of the plan.
final class StraightWork: VariableWork, @unchecked Sendable {
  private let inner: any VariableWork
  private let layout: ImageLayout
  /// The multiplied image and its blur, which have more bits than the user's images.
  private var multiplied: Image, blurred: Image

  /// Creates a blur of images with the given layout. `inner` blurs images with the layout `wide`, which is
  /// ``ImageLayout/forKernels(_:)``.
  init(_ inner: any VariableWork, _ layout: ImageLayout, _ wide: ImageLayout) throws(BlurError) {
    (self.inner, self.layout) = (inner, layout)
    (multiplied, blurred) = (try Image(wide), try Image(wide))
  }

  func run(_ source: ImageView, _ target: MutableImageView) -> BlurError? {
    multiplied.withMutableView { view in
      for y in 0..<layout.height {
        StraightAlpha.premultiply(source.unsafeRow(y), into: view.unsafeRow(y), layout, count: layout.width)
      }
    }
    let failure = multiplied.withView { source in blurred.withMutableView { inner.run(source, $0) } }
    blurred.withView { view in
      for y in 0..<layout.height {
        StraightAlpha.divide(view.unsafeRow(y), into: target.unsafeRow(y), layout, count: layout.width)
      }
    }
    return failure
  }
}
