import Blur

extension Property {
  /// Checks blurs whose result is scaled down to half or a quarter of the size of the image.
  static let downscaled = Property(
    "downscaled", "each pixel of a smaller result is the mean of a block of blurred pixels",
    scope: Scope(sigmas: [2.5, 11], includesNarrowSets: { $0.sigma.x > 10 })
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    // The width and the height of the first image are odd. Its last columns and rows therefore do not fill a
    // block of pixels, and are left out of the smaller result. The sides of the second image can be halved
    // several times, so that pyramids repeat their smallest level in edge mode `wrap`.
    let images = [try test.image(.noise, 131, 47), try test.image(.noise, 64, 32)]
    return try images.flatMap { image in
      try [2, 4].map { try test.expectMeans(of: image, downscaled: $0) }
    }.worst
  }
}

extension KernelUnderTest {
  /// Checks a smaller result of the whole image, and of a region that is blurred on several threads.
  fileprivate func expectMeans(of image: Image, downscaled factor: Int) throws -> Finding {
    let name = "1/\(factor) of the size"
    let plan = try plan(image.layout, downscaled: factor)
    var whole = try Image(plan.result)
    try plan.blur(image, into: &whole)
    let deviation = try whole.withView { try means(of: image, factor, whole.layout).deviation(of: $0) }
    let allowed = max(kernel.promise.isExact ? kernel.promise.bound(for: format) ?? 0 : 0, tolerance)
    guard deviation.maxLevels <= allowed else {
      throw Violation("\(name): \(deviation.off()); allowed: at most \(allowed.inLevels)", deviation)
    }

    // The property `reads` of a plan says which pixels of the source are needed to blur a region. All other
    // pixels are replaced here, to check that they do not influence the result.
    let shown = Region(x: 3, y: 2, width: 13, height: 5)
    let region = Region(
      x: shown.x * factor, y: shown.y * factor, width: shown.width * factor, height: shown.height * factor)
    let part = try self.plan(image.layout, region: region, threads: threadsUpToThree, downscaled: factor)
    var result = try Image(layout(shown.width, shown.height))
    try part.blur(declared(image, part, on: hostilePaper(image.layout)), into: &result)
    try expectSame(
      result, whole.cropped(to: shown), within: regionTolerance(image.layout), of: image, "\(name), a region")
    return Finding(name, deviation)
  }

  /// Returns the expected result, which consists of the means of blocks of blurred pixels. If the kernel
  /// promises the exact Gaussian, the means are computed from the exact blur. Otherwise, they are computed
  /// from the kernel's own result in full size.
  private func means(of image: Image, _ factor: Int, _ small: ImageLayout) throws -> Truth {
    let blurred =
      kernel.promise.isExact
      ? known.judge(image, subject.sigma, subject.edge, rows: nil).truth(.gaussian).values
      : try blurred(image).withView { view in (0..<image.layout.height).flatMap { view.values(ofRow: $0) } }
    let (channels, row) = (format.channels, image.layout.rowComponents)
    let values = (0..<small.height).flatMap { y in
      (0..<small.rowComponents).map { i in
        var sum = 0.0
        for line in factor * y..<factor * (y + 1) {
          for x in factor * (i / channels)..<factor * (i / channels + 1) {
            sum += blurred[line * row + x * channels + i % channels]
          }
        }
        return sum / Double(factor * factor)
      }
    }
    return Truth(layout: small, rows: Array(0..<small.height), values: values)
  }

  /// The largest difference from the exact mean that rounding may cause.
  private var tolerance: Double { max(format.codeInLevels, Judge.specifiedShare * 255) }
}
