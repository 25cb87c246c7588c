import Blur

extension KernelUnderTest {
  /// Compares the blur of an image with the blur of a part of it. The part begins some pixels further to the
  /// right and further down, and is blurred as a separate image. The two blurs must agree, except near the
  /// first columns and rows of the part. If a kernel makes an error in one of its blocks, rows or columns,
  /// the error appears at a different place in the part, so the blurs differ. This comparison checks every
  /// pixel in the middle of a large image, where computing the correct result would take too long.
  ///
  /// The part is not shifted along an axis on which nearly all windows reach the first pixel. If this applies
  /// to both axes, nothing is compared.
  func expectSameInPart(_ result: Image, of image: Image) throws {
    let layout = image.layout
    let step = try 3 * grid(layout)
    let columns = compared(layout.width, sigma.x, step)
    let rows = compared(layout.height, sigma.y, step)
    guard columns != nil || rows != nil else { return }
    let (left, top) = (columns == nil ? 0 : step, rows == nil ? 0 : step)
    let part = Region(x: left, y: top, width: layout.width - left, height: layout.height - top)
    let blurred = try blurredUnaligned(part, of: image)
    let (x, y) = (columns ?? 0..<layout.width, rows ?? 0..<layout.height)
    let region = Region(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count)
    let inPart = Region(x: region.x - left, y: region.y - top, width: region.width, height: region.height)
    let deviation = try result.withView { whole in
      try Deviation.between(whole.cropped(to: region), blurred.view.readOnly.cropped(to: inPart))
    }
    guard deviation.maxLevels > toleranceOfSums(image) else { return }
    throw Violation(
      "pixels from x \(region.x), y \(region.y) on, compared with the blur of an image that begins at "
        + "x \(left), y \(top): \(deviation.off())", deviation,
      FailureImages(
        source: try image.cropped(to: region), result: try result.cropped(to: region),
        expected: try blurred.image().cropped(to: inPart), around: deviation))
  }

  /// Blurs a part of an image as a separate image. The rows of the result are not aligned. The memory
  /// directly after each row is inaccessible. If the part is very high, this applies only to its last row.
  private func blurredUnaligned(_ part: Region, of image: Image) throws -> UnreadableFrame {
    let plan = try plan(layout(part.width, part.height))
    let frame = try UnreadableFrame(format, part.width, part.height, .after)
    try image.withView { view in
      let source = try view.cropped(to: part)
      let rows = NamedRows(source, isSource: true)
      try withExtendedLifetime(rows) { try plan.blur(source, into: frame.view) }
    }
    return frame
  }

  /// Returns the positions along an axis at which the blurs of the image and of the part must agree. The
  /// image has `count` pixels along this axis, and the part lacks the first `step` of them. The blurs must
  /// agree where the window does not reach the first pixel of the part. In edge mode `wrap`, the window must
  /// not reach beyond the end of the image either. Returns nil if there are too few such positions.
  private func compared(_ count: Int, _ sigma: Double, _ step: Int) -> Range<Int>? {
    let reach = reach(sigma)
    let isWrapped = if case .wrap = subject.edge { true } else { false }
    let (first, end) = (step + reach, isWrapped ? count - reach : count)
    return end - first >= count / 4 ? first..<end : nil
  }
}
