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

  /// Checks that the number of threads does not change the result.
  static let threads = Property(
    "threads", "any number of threads gives the same bits, even if some threads are delayed",
    scope: Scope(sigmas: [0.7, 5, 20])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    for (width, height) in try test.dividedSizes() {
      // Two different images are blurred alternately. If a blur used values that are left over from the
      // previous image, its result would be wrong.
      let images = try [9, 10].map { try test.image(.noise, width, height, seed: $0) }
      let expected = try images.map { try test.blurred($0, threads: 1) }
      for threads in [2, 3, 7] {
        let (plan, surroundings) = try test.hostilePlan(
          images[0].layout, threads: threads, isLate: true, spoilsScratch: threads == 2)
        var result = try Image(images[0].layout)
        for (image, expected) in zip(images, expected) {
          surroundings.spoilShared()
          try plan.blur(image, into: &result)
          try test.expectSame(
            result, expected, of: image,
            "result on \(threads) threads compared with one thread, size \(width)x\(height)")
        }
      }
    }
    return nil
  }
}

extension KernelUnderTest {
  /// Returns sizes of test images for several threads. With clamped edges and a sigma from 2.5 to 10, one
  /// image is so large that every kernel divides it into several blocks of rows, and some more images end
  /// near a boundary between two blocks.
  fileprivate func dividedSizes() throws -> [(Int, Int)] {
    let sizes = [(37, 29), (5, 83), (83, 2)]
    let isClamped = subject.edge == .clamp
    if sigma.x > 10 {
      // At large sigmas, only one image is checked, and only with clamped edges. The image is so large that a
      // pyramid kernel computes several coarser versions of it, in which neighbouring blocks of rows overlap.
      guard isClamped else { throw NotApplicable("at large sigmas, only clamped edges are checked") }
      return [(67, 283)]
    }
    guard isClamped, sigma.x >= 2.5, !kernel.isDefinition else { return sizes }
    return try sizes + [(141, 563)] + blockSizes()
  }
}
