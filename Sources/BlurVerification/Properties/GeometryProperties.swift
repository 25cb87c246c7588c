import Blur

extension Property {
  /// Checks that blurring only a region of an image gives the same pixels as blurring the whole image and
  /// cropping the result.
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
}
