import Blur

extension Property {
  /// Results that no cache holds, which kernels may write another way than others.
  static let huge = Property(
    "huge", "a result larger than any cache keeps the promise, and is that of its parts",
    scope: Scope(formats: [.gray8, .rgba8], sigmas: [9], edges: ["mirror"])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 0)
    let height = 2100
    // Above 16 MiB, and rows that end within a vector.
    let width = (16 << 20) / (height * test.format.bytesPerPixel) + 7
    let image = try test.known.hugeImage(test.layout(width, height))
    let target = try UnreadableFrame(test.format, width, height, .before)
    let plan = try (try? test.plan(image.layout, threads: 3)) ?? test.plan(image.layout)
    try image.withView { try plan.blur($0, into: target.view) }
    let result = try target.image()
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
