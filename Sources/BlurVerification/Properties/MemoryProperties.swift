import Blur
import BlurText

extension Property {
  /// Checks that a blur writes only the pixels of the result.
  static let guards = Property(
    "guards", "writes only the pixels of the result: no padding, no bytes around it, and not the source",
    scope: Scope(sigmas: [0, 2.5, 12])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 1)
    let image = try test.image(.noise, 37, 29)
    let plan = try test.plan(image.layout)
    for padding in BufferPadding.all {
      let (source, target) = try padding.buffers(for: image)
      try plan.blur(source.view.readOnly, into: target.view)
      let rows = padding.name
      if let place = target.damage {
        throw Violation(
          "\(rows): the kernel wrote outside the result, \(place)", cause: "writes outside the result")
      }
      if let place = source.damage {
        throw Violation(
          "\(rows): the kernel wrote to the memory of the source, \(place)", cause: "writes to its source")
      }
      try test.expectSame(source.image(), image, "\(rows): the pixels of the source have changed")
    }
    return nil
  }

  /// Checks that any stride gives the same result, including strides that leave rows unaligned.
  static let strides = Property(
    "strides", "any stride and any address, even or odd, give the same result, and padding is not read",
    scope: Scope(sigmas: [0, 0.7, 2.5, 5])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 1)
    let image = try test.image(.noise, 37, 29)
    let expected = try test.blurred(image)
    try test.expectRowsFinished(image, expected)
    let plan = try test.plan(image.layout)
    for padding in BufferPadding.all {
      let (source, target) = try padding.buffers(for: image)
      try plan.blur(source.view.readOnly, into: target.view)
      try test.expectSame(target.image(), expected, of: image, padding.name)
    }
    try test.blursFarApart()
    return nil
  }

  /// Checks that a kernel can read its source from a part of a larger image and write its result into a part
  /// of a larger image. Both parts may belong to the same image.
  static let crops = Property(
    "crops",
    "a part of a larger image is blurred like a separate image, and the pixels around it are not touched"
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let image = try test.image(.noise, 37, 29)
    let expected = try test.blurred(image)
    let plan = try test.plan(image.layout)
    // In float formats, the surrounding pixels are NaN, so that reading any of them would be visible in the
    // result.
    let hostile = test.format.component == .float32 ? Double.nan : test.format.fullScale
    let paper = try Image.painted(test.layout(90, 40)) { _, _, _ in hostile }
    let left = Region(x: 5, y: 7, width: 37, height: 29)
    let right = Region(x: 47, y: 3, width: 37, height: 29)
    var canvas = paper
    try canvas.withMutableView { view in
      try view.cropped(to: left).copyPixels(of: image)
      try plan.blur(view.readOnly.cropped(to: left), into: view.cropped(to: right))
    }
    try test.expectSame(
      canvas.cropped(to: right), expected, of: image, "blur from one part of an image into another part")
    var untouched = paper
    try untouched.withMutableView { view in
      try view.cropped(to: left).copyPixels(of: image)
      try view.cropped(to: right).copyPixels(of: expected)
    }
    try test.expectSame(canvas, untouched, "pixels around the destination have changed")
    return nil
  }

  /// Checks that a plan refuses a source and a destination if they overlap in a way that the documentation
  /// forbids, and accepts them otherwise.
  static let overlap = Property(
    "overlap", "a source and a destination are refused if they overlap as documented, and accepted otherwise",
    scope: Scope(formats: [.gray8, .rgba16, .rgbf32], sigmas: [0, 2.5], edges: ["clamp"])
  ) { test in
    try test.expectOverlapsRefused()
    return nil
  }

  /// Checks that the destination of a blur may be its source.
  static let inPlace = Property(
    "in-place",
    "blurring in place gives the same result as blurring into another image, if the kernel supports it"
  ) { test in
    guard test.kernel.worksInPlace else {
      throw NotApplicable("kernel \(test.kernel.name) does not work in place")
    }
    let image = try test.image(.noise, 37, 29)
    let expected = try test.blurred(image)
    for threads in [1, 2, 3] {
      var result = image
      try test.plan(image.layout, threads: threads).blur(inPlace: &result)
      try test.expectSame(result, expected, of: image, "in place on \(threads) threads")
    }
    return nil
  }

  /// Checks that a plan can be used for several images, and that nothing from one blur influences the next.
  static let repeatable = Property(
    "repeat",
    "a used plan gives the same result as a new one, even after 300 blurs, an error or 20 other plans",
    scope: Scope(sigmas: [0.6, 2.5, 5])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 1)
    let images = try [1, 2].map { try test.image(.extremes, 37, 29, seed: $0) }
    let expected = try images.map { try test.blurred($0) }
    let (plan, surroundings) = try test.hostilePlan(images[0].layout, threads: 1)
    var result = try Image(images[0].layout)
    for turn in [0, 1, 0] {
      surroundings.spoilShared()
      try plan.blur(images[turn], into: &result)
      try test.expectSame(
        result, expected[turn], of: images[turn], "image \(turn + 1), blurred with a plan for several images")
      // Between two uses of the plan, the kernel is used for other work, which must not influence the plan.
      // The kernel blurs an image of a different size with a different sigma, and it is asked to blur into a
      // destination of the wrong size, which it must refuse.
      _ = try test.blurred(test.image(.noise, 90, 5), sigma: Sigma(test.sigma.x / 2))
      var wrong = try Image(test.layout(36, 29))
      try? plan.blur(images[0], into: &wrong)
    }
    try test.blurAtOnce(images, expected)
    if test.known.longSeries.begins(test.format.component) { try test.blursForLong() }
    return nil
  }
}

extension KernelUnderTest {
  /// Checks rows that are so far apart that their byte offsets do not fit into 32 bits.
  fileprivate func blursFarApart() throws {
    let image = try image(.noise, 37, 70)
    let stride = (1 << 26) + 4
    let far = try ImageLayout(format, width: 37, height: 70, stride: stride)
    let memory = try UnreadableMemory(blocks: 2, bytes: far.byteCount)
    let source = MutableImageView(memory.block(0, bytes: far.byteCount, .before), far)
    let target = MutableImageView(memory.block(1, bytes: far.byteCount, .before), far)
    source.copyPixels(of: image)
    try plan(image.layout).blur(source.readOnly, into: target)
    let result = try target.readOnly.image()
    withExtendedLifetime(memory) {}
    try expectSame(result, blurred(image), of: image, "rows \(stride) bytes apart")
  }

  /// Checks that a plan gives the same result in each of 300 blurs, which would reveal an overflow of an
  /// 8-bit counter. Then 20 other plans are made, which must not change the result of the first plan. They
  /// would change it if plans wrongly shared their tables. The other plans have smaller sigmas, so that their
  /// tables would fit into the memory of the first plan's table.
  fileprivate func blursForLong() throws {
    let image = try image(.extremes, 9, 5)
    let expected = try blurred(image)
    let plan = try plan(image.layout)
    var result = try Image(image.layout)
    func expectUnchanged(_ what: String) throws {
      known.progresses()
      try plan.blur(image, into: &result)
      try expectSame(result, expected, of: image, what)
    }
    for turn in 1...300 { try expectUnchanged("blur \(turn) with the same plan") }
    let others = try (1...20).compactMap { number in
      let share = 1 - Double(number) / 40
      let sigma = try Sigma(x: share * sigma.x, y: share * sigma.y)
      return try? self.plan(image.layout, sigma: sigma)
    }
    try withExtendedLifetime(others) { try expectUnchanged("blur after 20 other plans were made") }
  }

  /// Checks that several threads can blur at the same time. In some of the blurs, each thread uses its own
  /// plan. In the others, all threads share one plan.
  fileprivate func blurAtOnce(_ images: [Image], _ expected: [Image]) throws {
    guard isOurs else { return }
    let one = try plan(images[0].layout)
    let plans = try (0..<4).map { _ in try plan(images[0].layout) }
    let results = concurrentMap(Array(0..<4)) { thread in
      Swift.Result {
        try (0..<16).map { turn in
          var result = try Image(images[0].layout)
          try (turn % 5 == 0 ? one : plans[thread]).blur(images[(thread + turn) % 2], into: &result)
          return result
        }
      }
    }
    for (thread, results) in results.enumerated() {
      for (turn, result) in try results.get().enumerated() {
        let number = (thread + turn) % 2
        try expectSame(result, expected[number], of: images[number], "blurs on several threads at once")
      }
    }
  }
}
