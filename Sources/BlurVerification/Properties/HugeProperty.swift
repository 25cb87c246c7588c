import Blur

extension Property {
  /// Checks blurs of extreme size. Kernels may use non-temporal stores for results that are larger than any
  /// cache, so such results are checked, including one with rows that are shorter than a vector. Very long
  /// lines are checked because their pixel positions do not fit into 16 bits, and very wide windows because
  /// sums of their weights do not fit into 32 bits.
  static let huge = Property(
    "huge", "keeps its promise on results larger than any cache, on very long lines and at sigma 1000",
    // The formats are checked in this order until the time limit has passed. The first format is gray16,
    // because it has the fewest components for the same number of bytes, so even a slow kernel can be checked
    // in time. Sigma 5 is included for pyramid kernels, which blur a coarse version of the image. At this
    // sigma, the coarse version is so large that the kernel keeps only a part of it in memory.
    scope: Scope(
      formats: [.gray16, .rgba8, .rgb8, .gray8], sigmas: [9, 5],
      edges: ["mirror", "wrap", "clamp"], includesNarrowSets: { $0.sigma.x > 5 },
      timeLimit: 0.8, leastChecks: 2)
  ) { test in
    try test.skipClampIfMirrored()
    try test.skipDefinition(ifSigmaAbove: 0)
    // To save time, each format is checked with one of the edge modes `mirror` and `wrap` at sigma 9, and
    // with the other one at sigma 5.
    let isEven = (test.format.channels + (test.sigma.x > 5 ? 1 : 0)) % 2 == 0
    let other: EdgeMode? =
      switch test.subject.edge {
      case .wrap where isEven: .mirror
      case .mirror where !isEven: .wrap
      default: nil
      }
    if let other, try test.supports(other) {
      throw NotApplicable("only edge mode \(other.name) is checked in this format at this sigma")
    }
    try test.blursNarrowRows()
    try test.blursLongLine()
    try test.blursWideWindow()
    let height = KernelUnderTest.upperRows + 50
    let width = (16 << 20) / (KernelUnderTest.upperRows * test.format.bytesPerPixel) + 55
    let image = try test.image(.noise, width, height, seed: 6)
    let result = try test.writtenAligned(image)
    let finding = try test.judgeQuickly(result, of: image)
    try test.expectSameBelow(result, of: image)
    return finding
  }
}

extension KernelUnderTest {
  /// Returns the blur of a large image on up to three threads. The result's rows begin at a multiple of 64
  /// bytes and are followed by guard bytes.
  fileprivate func writtenAligned(_ image: Image) throws -> Image {
    let plan = try plan(image.layout, threads: max(subject.threads, threadsUpToThree))
    // The padding fills each row up to a multiple of 64 bytes and adds another 64 bytes.
    let padding = 64 + (64 - image.layout.rowBytes % 64) % 64
    let target = try GuardedCopy(Image(image.layout), extraStride: padding, shift: 0)
    try image.withView { source in
      let rows = NamedRows(source, isSource: true)
      try withExtendedLifetime(rows) { try plan.blur(source, into: target.view) }
    }
    if let place = target.damage {
      throw Violation(
        "a result larger than 16 MiB: the kernel wrote outside the result, \(place)",
        cause: "writes outside the result")
    }
    return try target.image()
  }

  /// Checks a result of more than 6 MiB whose rows are shorter than a vector. The kernels of this library
  /// write results of this size with non-temporal stores.
  fileprivate func blursNarrowRows() throws {
    let image = try image(.noise, 5, (7 << 20) / (5 * format.bytesPerPixel), seed: 9)
    _ = try judgeSome(writtenAligned(image), of: image)
  }

  /// The index of the first row of the region that is blurred separately. The region extends to the last row.
  fileprivate static let upperRows = 2090

  /// Blurs the lowest rows of an image as a region, and compares them with the same rows of `result`, which
  /// is the blur of the whole image. The blurred rows are written to unaligned addresses. The memory directly
  /// after each row is inaccessible, so a kernel that accesses it causes a memory fault.
  fileprivate func expectSameBelow(_ result: Image, of image: Image) throws {
    let (width, count) = (image.layout.width, image.layout.height - Self.upperRows)
    let region = Region(x: 0, y: Self.upperRows, width: width, height: count)
    let plan: BlurPlan
    do { plan = try self.plan(image.layout, region: region) } catch BlurError.unsupported { return }
    let frame = try UnreadableFrame(format, width, count, .after)
    try image.withView { source in
      let rows = NamedRows(source, isSource: true)
      try withExtendedLifetime(rows) { try plan.blur(source, into: frame.view) }
    }
    try expectSame(
      frame.image(), result.cropped(to: region), within: regionTolerance(image.layout),
      of: image.cropped(to: region),
      "rows from \(Self.upperRows) on, blurred as a region to unaligned addresses, compared with the blur of "
        + "the whole image")
  }

  /// Checks an image of two rows of 70,000 pixels, so that pixel positions do not fit into 16 bits. The rows
  /// consist of stretches of noise, black and white. If a running sum accumulates errors in the noise, these
  /// errors become visible in the black and white stretches.
  fileprivate func blursLongLine() throws {
    let noise = try image(.noise, 70_000, 2, seed: 7)
    let components = 3000 * format.channels
    let image = try noise.withView { view in
      try Image.painted(noise.layout) { x, y, c in
        let i = x * format.channels + c
        return i / components % 3 == 0 ? view.value(i, y) : i / components % 3 == 1 ? 0 : format.fullScale
      }
    }
    _ = try judgeQuickly(blurred(image), of: image)
  }

  /// Checks the largest allowed sigma, 1000. Its window is so wide that sums of integer weights do not fit
  /// into 32 bits.
  fileprivate func blursWideWindow() throws {
    let image = try image(.noise, 61, 7, seed: 8)
    var wide = self
    wide.subject.sigma = try Sigma(1000)
    _ = try wide.judgeQuickly(wide.blurred(image), of: image)
  }
}
