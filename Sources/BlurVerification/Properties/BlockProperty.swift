import Blur

extension Property {
  /// Checks images whose last block of pixels is full, has only one pixel, or lacks one pixel. Kernels divide
  /// long rows or columns into blocks, so the length of the images is near a multiple of a power of two or of
  /// the kernel's own block size.
  static let blocks = Property(
    "blocks", "keeps its promise on images that end just before or just after the end of a block",
    scope: Scope(
      sigmas: [0.5, 1, 2.5, 4.2, 7, 12, 20, 50], images: blockImages, drawnShare: 1, timeLimit: 0.4)
  ) { test in
    let finding = try test.blursEveryWay()
    try test.blursAroundBlocks()
    return finding
  }

  /// Images of 1 to 5 rows or columns whose length is 2ⁿ, 3 · 2ⁿ or 5 · 2ⁿ, or one pixel more or less.
  private static let blockImages: [SampleImage] = blockLengths.flatMap { length in
    let other = 1 + length % 5
    return [
      SampleImage(kind: .noise, width: length, height: other),
      SampleImage(kind: .noise, width: other, height: length),
    ]
  }

  private static let blockLengths: [Int] = (3...12).flatMap { n in
    let multiples = [1 << n, 3 << n, 5 << n].filter { $0 <= 4096 }
    return multiples.flatMap { [$0 - 1, $0, $0 + 1] }
  }
}

extension KernelUnderTest {
  /// Checks an image of a few rows or columns whose length is a multiple of the kernel's block size, or one
  /// pixel less or more. The image has a few long rows if the subject's image is wider than it is high, and a
  /// few long columns otherwise. Its exact size is random.
  fileprivate func blursAroundBlocks() throws {
    let sample = try sample
    let isFlat = sample.width > sample.height
    let facts = try facts(isFlat ? layout(4100, 3) : layout(3, 1100))
    let block = isFlat ? facts.blockColumns : facts.blockRows
    guard block > 1 else { return }
    var random = SplitMix64(seed: UInt64(sample.width * 1009 + sample.height))
    let blocks = 1 + random.next(below: max(1, min(4, Self.longest / block)))
    let length = blocks * block - 1 + random.next(below: 3)
    let other = 1 + random.next(below: 5)
    let image = try isFlat ? image(.noise, length, other, seed: 4) : image(.noise, other, length, seed: 4)
    try expectAffordable(image.layout)
    _ = try judgeQuickly(blurred(image), of: image)
  }

  /// The length limit, in pixels, for images that consist of several blocks.
  private static let longest = 4096
}
