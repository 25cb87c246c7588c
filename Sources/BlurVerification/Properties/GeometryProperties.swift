import Blur

extension Property {
  /// Checks that blurring only a region gives the same pixels as cropping the whole result.
  static let region = Property(
    "region", "blurring a region gives the same pixels as cropping the whole result"
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let image = try test.image(.noise, 37, 29)
    let whole = try test.blurred(image)
    let regions = [
      Region(x: 0, y: 0, width: 1, height: 1), Region(x: 36, y: 28, width: 1, height: 1),
      Region(x: 18, y: 14, width: 1, height: 1), Region(x: 3, y: 5, width: 17, height: 9),
      Region(x: 0, y: 7, width: 37, height: 6), Region(x: 32, y: 0, width: 5, height: 29),
      Region(x: 26, y: 0, width: 11, height: 10), Region(x: 0, y: 20, width: 12, height: 9),
      image.layout.bounds,
    ]
    for region in regions {
      for threads in [1, 3] {
        let part = try test.blurred(image, region: region, threads: threads)
        let name = "region \(region.width)x\(region.height)+\(region.x)+\(region.y), threads \(threads)"
        try test.expectSame(
          part, whole.cropped(to: region), within: test.regionTolerance(image.layout),
          of: image.cropped(to: region), name)
      }
    }
    return nil
  }

  /// Checks that NaN and infinite pixels affect only the pixels whose window contains them.
  static let nanLocal = Property(
    "nan-local", "NaN and infinite pixels affect only the pixels whose window contains them (float formats)",
    scope: Scope(
      formats: PixelFormat.allCases.filter { $0.component == .float32 }, sigmas: [0.7, 2.5, 5, 20])
  ) { test in
    guard test.format.component == .float32 else { throw NotApplicable("format \(test.format) has no NaN") }
    // At large sigmas, kernels downsample only large images, whose correct results take long to compute. To
    // save time, only gray formats with clamped edges are checked at these sigmas. A kernel that computes the
    // plain definition of the blur is even slower and is skipped above sigma 1.
    try test.skipDefinition(ifSigmaAbove: 1)
    let isLarge = test.sigma.x > 10
    if isLarge {
      guard case .clamp = test.subject.edge, test.format.channels == 1 else {
        throw NotApplicable("at large sigmas, only gray formats with clamped edges are checked")
      }
    }
    // A kernel may read one pixel more on each side than the window of the Gaussian contains. The check
    // therefore uses a slightly larger sigma: the window ends at 6 sigmas, so adding 1/6 to sigma makes the
    // window one pixel wider on each side. The constant `most` is the largest sigma that the library allows.
    let most = Sigma.allowed.upperBound
    let window = try Sigma(x: min(test.sigma.x + 1 / 6, most), y: min(test.sigma.y + 1 / 6, most))
    let short = isLarge ? 60 : 9
    for (width, height) in [(2 * test.radius.x + 16, short), (short, 2 * test.radius.y + 16)] {
      let clean = try test.image(.noise, width, height)
      let expected = try test.blurred(clean)
      let near = Region(x: width / 7, y: height / 7, width: 1, height: 1)
      let last = Region(x: width - 1, y: height - 1, width: 1, height: 1)
      for (value, place) in [(Double.nan, near), (.infinity, near), (-.infinity, near), (.nan, last)] {
        let spoiled = try clean.spoiled(with: value, place)
        let reached = Truth.of(spoiled, sigma: window, edge: test.subject.edge)
        let result = try test.blurred(spoiled)
        try test.expectClean(result, of: spoiled, as: expected, beyond: reached, "one pixel of \(value)")
        try test.expectSpoiled(result, of: spoiled, around: place, "one pixel of \(value)")
      }
      // Huge pixels are finite, but their weighted sum may overflow to infinity. A kernel that keeps a
      // running sum must not turn this infinity into NaN for the rest of the line.
      let huge = Region(x: near.x, y: near.y, width: 3, height: 3)
      let reached = Truth.of(
        try clean.spoiled(with: .nan, huge), sigma: window, edge: test.subject.edge)
      for value in [1.5e38, 3e38] {
        let spoiled = try clean.spoiled(with: value, huge)
        try test.expectFinite(
          test.blurred(spoiled), of: spoiled, beyond: reached, "nine pixels of \(value)")
      }
    }
    return nil
  }
}

extension Image {
  /// Returns a copy of the image in which all channels of the pixels in `region` are replaced by `value`.
  fileprivate func spoiled(with value: Double, _ region: Region) throws -> Image {
    let channels = layout.format.channels
    return try withView { view in
      try Image.painted(layout) { column, row, c in
        (region.x..<region.x + region.width).contains(column)
          && (region.y..<region.y + region.height).contains(row)
          ? value : view.value(column * channels + c, row)
      }
    }
  }
}

extension KernelUnderTest {
  /// Throws a violation if huge input pixels have made a pixel of `result` NaN or infinite although its
  /// window contains none of them. The correct blur `reached`, which was computed with NaN in place of the
  /// huge pixels, is finite where the window contains none of them.
  fileprivate func expectFinite(
    _ result: Image, of source: Image, beyond reached: Truth, _ what: String
  ) throws {
    try expectNoPixel(of: result, source, what, "whose window contains none of them") {
      reached.values[$0].isFinite && !$1.isFinite
    }
  }

  /// Throws a violation if the closure `isWrong` returns true for any component of the result. The closure
  /// gets the index and the value of the component.
  private func expectNoPixel(
    of result: Image, _ source: Image, _ what: String, _ end: String, _ isWrong: (Int, Double) -> Bool
  ) throws {
    let count = result.layout.rowComponents
    let values = result.withView { view in (0..<result.layout.height).flatMap(view.values(ofRow:)) }
    for (i, value) in values.enumerated() where isWrong(i, value) {
      let (x, y) = (i % count / format.channels, i / count)
      throw Violation(
        "\(what): the result is \(value) at x \(x), y \(y), \(end)", nil,
        FailureImages(source: source, result: result, expected: nil, around: Deviation(x: x, y: y)))
    }
  }

  /// Throws a violation if the result is finite in a pixel in which the input pixel at `place`, which is NaN
  /// or infinite, has a large weight. A weight is large if it is at least 0.001, or at least half of the
  /// largest weight. For approximations, only the second condition counts.
  fileprivate func expectSpoiled(
    _ result: Image, of source: Image, around place: Region, _ what: String
  ) throws {
    let dark = try Image(result.layout).spoiled(with: 1, place)
    let edge = subject.edge.ifConstant(.zero)
    let weights = Truth.of(dark, kernel.promise.definition, sigma: sigma, edge: edge).values
    let half = (weights.max() ?? 0) / 2
    // An approximation may ignore pixels far from the centre, which have a small Gaussian weight.
    let least = if case .approximation = kernel.promise { half } else { min(1e-3, half) }
    try expectNoPixel(of: result, source, what, "whose window contains that pixel") {
      weights[$0] >= least && $1.isFinite
    }
  }

  /// Throws a violation if a NaN or infinite input pixel has changed an output pixel whose window does not
  /// contain it. `result` and `reached` are the kernel's blur and the exact blur of the image with this
  /// pixel, and `expected` is the kernel's blur without it. Where `reached` is finite, the window does not
  /// contain the pixel, so `result` and `expected` must agree.
  fileprivate func expectClean(
    _ result: Image, of source: Image, as expected: Image, beyond reached: Truth, _ what: String
  ) throws {
    let channels = format.channels
    let count = result.layout.rowComponents
    let masked = try [result, expected].map { image in
      try image.withView { view in
        try Image.painted(image.layout) { x, y, c in
          let i = x * channels + c
          return reached.values[y * count + i].isFinite ? view.value(i, y) : 0
        }
      }
    }
    let allowed = try tolerance(ofTails: true)
    try expectSame(
      masked[0], masked[1], within: allowed, of: source, "\(what): pixels outside of its window have changed")
  }
}
