import Blur

extension Property {
  /// Checks that a part of the result (a tile) can be blurred without the rest of the image. The plan for a
  /// tile declares in `reads` which pixels it needs, and only these pixels are provided.
  static let tiles = Property(
    "tiles", "the result can be put together from tiles that read only the pixels their plans declare"
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    // The first image is so small that the windows of many pixels reach beyond it. It is cut into tiles of
    // odd sizes and into strips that are one pixel wide or high. The other two images have the length `long`,
    // so that most of their tiles need only a part of the image. They are also large enough for kernels to
    // downsample them.
    let long = 3 * max(test.radius.x, test.radius.y) + 37
    let cuts: [(image: (Int, Int), tiles: [(Int, Int)])] = [
      ((37, 29), [(1, 29), (37, 1), (13, 11), (37, 8)]), ((long, 20), [(17, 20)]), ((20, long), [(20, 17)]),
    ]
    guard try test.readsLess(long, 20) || test.readsLess(20, long) else {
      throw NotApplicable("kernel \(test.kernel.name) reads the whole image, whatever the region")
    }
    for (size, tiles) in cuts {
      let image = try test.image(.noise, size.0, size.1)
      let whole = try test.blurred(image)
      for tile in tiles {
        let name = "tiles of \(tile.0)x\(tile.1) pixels, image size \(size.0)x\(size.1)"
        let allowed = try test.regionTolerance(image.layout)
        try test.expectSame(test.tiled(image, tile), whole, within: allowed, of: image, name)
      }
    }
    return nil
  }
}

extension KernelUnderTest {
  /// Returns the largest allowed difference, in levels, between a blurred region and the same region of the
  /// whole blurred image. In integer formats, the two must be equal, unless the kernel's plan states that
  /// they may differ. In float formats, they may differ by rounding errors, because a kernel may begin its
  /// sums at different pixels.
  func regionTolerance(_ layout: ImageLayout) throws -> Double {
    let facts = try facts(layout)
    return format.component == .float32 ? 1e-6 * 255 : facts.isSameByRegion ? 0 : format.codeInLevels
  }

  /// Returns whether blurring the middle pixel of a `width` × `height` image reads less than the whole image.
  fileprivate func readsLess(_ width: Int, _ height: Int) throws -> Bool {
    let middle = Region(x: width / 2, y: height / 2, width: 1, height: 1)
    let plan = try plan(layout(width, height), region: middle)
    return plan.reads != plan.layout.bounds
  }

  /// Returns the blurred image, assembled from tiles of the given size.
  fileprivate func tiled(_ image: Image, _ size: (width: Int, height: Int)) throws -> Image {
    let layout = image.layout
    let paper = try hostilePaper(layout)
    var result = try Image(layout)
    for y in stride(from: 0, to: layout.height, by: size.height) {
      for x in stride(from: 0, to: layout.width, by: size.width) {
        let tile = Region(
          x: x, y: y, width: min(size.width, layout.width - x), height: min(size.height, layout.height - y))
        let plan = try plan(layout, region: tile)
        try declared(image, plan, on: paper).withView { canvas in
          let part = try canvas.cropped(to: plan.reads)
          try result.withMutableView { try plan.blur(tile: part, into: $0.cropped(to: tile)) }
        }
      }
    }
    return result
  }

  /// Returns an image filled with a value that changes the result noticeably if a kernel reads any pixel of
  /// it.
  func hostilePaper(_ layout: ImageLayout) throws -> Image {
    let hostile = format.component == .float32 ? Double.nan : format.fullScale
    return try Image.painted(layout) { _, _, _ in hostile }
  }

  /// Returns a copy of `paper` into which a part of `image` is copied: the part that the plan declares in
  /// ``BlurPlan/reads``.
  func declared(_ image: Image, _ plan: BlurPlan, on paper: Image) throws -> Image {
    var canvas = paper
    try image.withView { image in
      try canvas.withMutableView { canvas in
        try canvas.cropped(to: plan.reads).copyPixels(of: image.cropped(to: plan.reads))
      }
    }
    return canvas
  }
}
