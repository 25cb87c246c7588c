import BlurLoopTable

/// The conversions between images with straight alpha and images with premultiplied alpha. The premultiplied
/// images have wider components, in the format of ``ImageLayout/forKernels(_:)``. The conversions give the
/// same bits with every instruction set.
struct StraightAlpha {
  private let loops: StraightLoops
  /// The number of bytes in a component of the image with straight alpha, and the index of alpha in a pixel.
  private let bytes: Int, alpha: Int

  /// Creates the conversions for images with the given layout. `set` must be available on this CPU.
  init(_ layout: ImageLayout, _ set: InstructionSet) {
    loops = set.loops.straight
    (bytes, alpha) = (layout.format.component.bytes, layout.alphaIndex)
  }

  /// Multiplies the colours of some rows by alpha. If alpha is 0, the colours become 0, even if they are NaN.
  ///
  /// - Parameters:
  ///   - rows: The rows of `target` to write.
  ///   - source: An image with straight alpha.
  ///   - x: The column of `source` that becomes the first column of `target`.
  ///   - y: The row of `source` that becomes the first row of `target`.
  ///   - target: An image with premultiplied alpha.
  func multiply(
    _ rows: Range<Int>, of source: ImageView, x: Int = 0, y: Int = 0, into target: MutableImageView
  ) {
    for row in rows {
      // SAFETY: the source has a pixel for each pixel in these rows of the target.
      let start = source.unsafeRow(y + row) + x * source.layout.format.bytesPerPixel
      loops.multiply((start, target.unsafeRow(row), bytes, alpha, target.layout.rowComponents))
    }
  }

  /// Divides the colours of some rows by alpha, and rounds them if `target` has integers. The colours become
  /// 0 if alpha is at most 0. Integers are clamped to full scale. `source` has premultiplied alpha, and
  /// `target` has straight alpha and the same size.
  func divide(_ rows: Range<Int>, of source: ImageView, into target: MutableImageView) {
    for row in rows {
      loops.divide((source.unsafeRow(row), target.unsafeRow(row), bytes, alpha, target.layout.rowComponents))
    }
  }
}
