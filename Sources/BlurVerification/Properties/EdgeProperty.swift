import Blur

extension Property {
  /// Checks each edge mode. The check continues the image beyond its edges with its own code, as the edge
  /// mode prescribes, and blurs this larger image. The blur of the original image must match the middle of
  /// the larger result. An approximation of the Gaussian may be many levels off, but it must be off by the
  /// same amount near the edges as in the middle of the larger image.
  static let edges = Property(
    "edges", "an edge mode gives the same blur as an image that is continued beyond its edges by hand",
    scope: Scope(
      sigmas: [0.5, 1, 2.5, 5, 12],
      images: [
        (1, 1), (3, 2), (4, 1), (1, 9), (61, 1), (1, 61), (17, 12), (37, 29), (64, 32), (130, 7), (9, 150),
      ].flatMap { width, height in
        [TestImage.noise, .extremes].map { SampleImage(kind: $0, width: width, height: height) }
      },
      drawnShare: 1, timeLimit: 0.3)
  ) { test in
    let sample = try test.sample
    try test.skipDefinition(ifSigmaAbove: 1)
    try test.skipOtherEdges(sample)
    let image = try test.image(sample.kind, sample.width, sample.height, seed: SampleImage.seed)
    let result = try test.blurred(image)
    let (large, margin) = try test.continued(image)
    let region = Region(x: margin.x, y: margin.y, width: sample.width, height: sample.height)
    let edge = try test.supports(.clamp) ? .clamp : test.subject.edge
    let expected = try test.blurred(large, edge: edge).cropped(to: region)
    try test.expectSame(
      result, expected, within: test.toleranceOfEdges(image), of: image,
      "result with edge mode \(test.subject.edgeName) compared with the image that is continued by hand")
    return nil
  }
}

extension KernelUnderTest {
  /// Throws ``NotApplicable`` if the kernel is meant to give a different result when the image is first
  /// extended beyond its edges.
  fileprivate func skipOtherEdges(_ sample: SampleImage) throws {
    if kernel.promise.definition == .imageEffectBoxes {
      throw NotApplicable("kernel \(kernel.name) continues the image again before each of its boxes")
    }
    // If the edge mode repeats the image, every very large sigma gives the same result: all pixels become the
    // mean of the image. Kernels may therefore replace such a sigma by a smaller one, for which an
    // approximation of the Gaussian has a different shape.
    let layout = try layout(sample.width, sample.height)
    if !kernel.promise.isExact, sigma.folded(subject.edge, layout) != sigma {
      throw NotApplicable("at this sigma, all pixels of an image of this size become their mean")
    }
  }

  /// Returns the image with margins beyond all its edges, filled as the edge mode prescribes, and the widths
  /// of these margins. The margins are so wide that pixels beyond them would not change the blurred image. A
  /// pyramid kernel blurs coarse versions of the image, so the width of the margins is a multiple of the
  /// width of the coarsest pixels. The grid of coarse pixels then stays in the same place.
  fileprivate func continued(_ image: Image) throws -> (image: Image, margin: (x: Int, y: Int)) {
    let grid = try grid(image.layout)
    let margins = (
      x: reach(sigma.x).roundedUp(toMultipleOf: grid), y: reach(sigma.y).roundedUp(toMultipleOf: grid)
    )
    return (try image.continued(by: margins, subject.edge), margins)
  }

  /// Returns the largest allowed difference, in levels, between the blur of an image and the blur of the
  /// larger image that ``continued(_:)`` makes from it. An exact kernel may use a different method for the
  /// larger image, so the two blurs may have different errors. If both blurs just kept the promise, they
  /// could differ by twice the promised error. This check is stricter: apart from rounding, the difference
  /// may be as large as the promised error, but at most 0.2 levels. A limit below 0.13 levels would be too
  /// strict for `pyramid`, because it may choose different pyramid levels for the two images. Kernels that
  /// are not exact must compute the same values for both images, except for rounding.
  fileprivate func toleranceOfEdges(_ image: Image) -> Double {
    let promised = kernel.promise.isExact ? kernel.promise.bound(for: format) ?? 0 : 0
    let share = max(min(promised, Self.mostEdgeLevels), Judge.specifiedShare * 255)
    return max(format.codeInLevels, share * max(1, image.largestMagnitude / format.fullScale))
  }

  /// The largest difference, in levels, that an exact kernel may cause by using a different method for the
  /// larger image.
  private static var mostEdgeLevels: Double { 0.2 }
}
