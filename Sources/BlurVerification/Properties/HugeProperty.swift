import Blur

extension Property {
  /// Results that no cache holds, which kernels may write another way than others; lines and windows longer
  /// than 16-bit places and 32-bit sums of weights reach.
  static let huge = Property(
    "huge", "results larger than any cache, very long lines and wide windows keep the promise",
    // A slow kernel is tried with 16 bits alone, which have the fewest components. The smaller sigma leaves a
    // pyramid's coarsest level so large that it is not kept whole.
    scope: Scope(
      formats: [.gray16, .rgba8, .rgb8, .gray8], sigmas: [9, 5], edges: ["mirror", "clamp"],
      timeLimit: .init(factor: 3, least: 2))
  ) { test in
    if test.subject.edge == .clamp, try test.supports(.mirror) {
      throw NotApplicable("mirrored edges stand for all")
    }
    try test.skipDefinition(ifSigmaAbove: 0)
    try test.blursLongLine()
    try test.blursWideWindow()
    let height = KernelUnderTest.upperRows + 10
    // The upper rows are above 16 MiB, and end within a vector.
    let width = (16 << 20) / (KernelUnderTest.upperRows * test.format.bytesPerPixel) + 7
    let image = try test.image(.noise, width, height, seed: 6)
    let result = try test.writtenAligned(image)
    let finding = try test.judgeQuickly(result, of: image)
    try test.expectSameAnywhere(result, of: image)
    return finding
  }
}

extension KernelUnderTest {
  /// The blur of a large image by up to three threads, into rows that begin with a vector and end before
  /// watched bytes.
  fileprivate func writtenAligned(_ image: Image) throws -> Image {
    let plan = try (try? plan(image.layout, threads: 3)) ?? plan(image.layout)
    // 64 bytes and what is missing of a vector.
    let padding = 64 + (64 - image.layout.rowBytes % 64) % 64
    let target = try GuardedImage(Image(image.layout), extraStride: padding, shift: 0)
    try image.withView { source in
      let rows = NamedRows(source, as: .source)
      try withExtendedLifetime(rows) { try plan.blur(source, into: target.view) }
    }
    if let place = target.damage { throw Violation("a result above 16 MiB: wrote \(place)") }
    return try target.image()
  }

  /// Rows of the part of a large image that is a large result itself.
  fileprivate static let upperRows = 2090

  /// Holds the upper and the lower rows to the whole: they are written into rows that begin anywhere and end
  /// before unreadable memory. All in one where the kernel blurs whole images only.
  fileprivate func expectSameAnywhere(_ result: Image, of image: Image) throws {
    let layout = image.layout
    let parts = [0..<Self.upperRows, Self.upperRows..<layout.height].map {
      Region(x: 0, y: $0.lowerBound, width: layout.width, height: $0.count)
    }
    do {
      for part in parts { try expectSame(part, of: image, as: result) }
    } catch BlurError.unsupported {
      try expectSame(nil, of: image, as: result)
    }
  }

  private func expectSame(_ region: Region?, of image: Image, as result: Image) throws {
    let plan = try plan(image.layout, region: region)
    let frame = try UnreadableFrame(format, plan.region.width, plan.region.height, .after)
    try image.withView { source in
      let rows = NamedRows(source, as: .source)
      try withExtendedLifetime(rows) { try plan.blur(source, into: frame.view) }
    }
    let (first, last) = (plan.region.y, plan.region.y + plan.region.height - 1)
    try expectSame(
      frame.image(), result.cropped(to: plan.region), within: regionTolerance(image.layout),
      of: image.cropped(to: plan.region),
      "rows \(first) to \(last) at any address, and those of the whole by up to 3 threads")
  }

  /// Two rows of 70,000 pixels, whose places do not fit into 16 bits: noise, and after it black and white,
  /// where what running sums have lost shows.
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

  /// The widest sigma, whose weights of a box make sums beyond 32 bits.
  fileprivate func blursWideWindow() throws {
    let image = try image(.noise, 61, 7, seed: 8)
    var wide = self
    wide.subject.sigma = try Sigma(1000)
    _ = try wide.judgeQuickly(wide.blurred(image), of: image)
  }
}
