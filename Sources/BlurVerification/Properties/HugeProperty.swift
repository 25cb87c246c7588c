import Blur

extension Property {
  /// Results that no cache holds, which kernels may write another way than others; lines and windows longer
  /// than 16-bit places and 32-bit sums of weights reach.
  static let huge = Property(
    "huge", "results larger than any cache, very long lines and wide windows keep the promise",
    scope: Scope(formats: [.gray8, .gray16, .rgba8], sigmas: [9], edges: ["mirror", "clamp"])
  ) { test in
    if test.subject.edge == .clamp, try test.supports(.mirror) {
      throw NotApplicable("mirrored edges stand for all")
    }
    try test.skipDefinition(ifSigmaAbove: 0)
    try test.blursLongLine()
    try test.blursWideWindow()
    let height = 2100
    // Above 16 MiB, and rows that end within a vector.
    let width = (16 << 20) / (height * test.format.bytesPerPixel) + 7
    let image = try test.known.hugeImage(test.layout(width, height))
    let result = try test.writtenAnyhow(image)
    let finding = try test.judgeQuickly(result, of: image)
    let half = height / 2 + 3
    for part in [0..<half, half..<height] {
      let region = Region(x: 0, y: part.lowerBound, width: width, height: part.count)
      let name = "rows \(part.lowerBound) to \(part.upperBound - 1) and those of the whole"
      do {
        try test.expectSame(
          test.blurred(image, region: region), result.cropped(to: region),
          within: test.regionTolerance(image.layout), name)
      } catch BlurError.unsupported {
        return finding
      }
    }
    return finding
  }
}

extension KernelUnderTest {
  /// The blur of a large image by three threads, into rows that begin with a vector and end before watched
  /// bytes, and into rows that begin anywhere and end before unreadable memory.
  fileprivate func writtenAnyhow(_ image: Image) throws -> Image {
    let plan = try (try? plan(image.layout, threads: 3)) ?? plan(image.layout)
    // 64 bytes and what is missing of a vector.
    let padding = 64 + (64 - image.layout.rowBytes % 64) % 64
    let target = try GuardedImage(Image(image.layout), extraStride: padding, shift: 0)
    try image.withView { try plan.blur($0, into: target.view) }
    if let place = target.damage { throw Violation("a result above 16 MiB: wrote \(place)") }
    let result = try target.image()
    let frame = try UnreadableFrame(format, image.layout.width, image.layout.height, .after)
    try image.withView { try plan.blur($0, into: frame.view) }
    try expectSame(frame.image(), result, "rows at any address, and those that begin with a vector")
    return result
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
