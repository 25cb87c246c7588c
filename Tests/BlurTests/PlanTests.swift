import Blur
import Dispatch
import Synchronization
import Testing

@Suite("Plans")
struct PlanTests {
  let layout = try! ImageLayout(.gray8, width: 40, height: 30)

  func plan(
    _ name: String = "separable", sigma: Double = 2, region: Region? = nil, threads: Int = 1
  ) throws -> BlurPlan {
    let parameters = BlurParameters(sigma: try Sigma(sigma), region: region)
    return try BlurPlan(Registry.kernel(named: name), for: layout, parameters, threads: threads)
  }

  /// Returns an image in which each byte differs from its neighbours.
  func picture() throws -> Image {
    var image = try Image(layout)
    image.withMutableView { view in
      for i in 0..<layout.byteCount {
        view.unsafeBase.storeBytes(
          of: UInt8(truncatingIfNeeded: i &* 37 ^ i >> 3), toByteOffset: i, as: UInt8.self)
      }
    }
    return image
  }

  @Test("An invalid sigma is rejected", arguments: [-1, .nan, .infinity, 1e9, -.leastNonzeroMagnitude])
  func impossibleSigma(value: Double) {
    #expect(throws: BlurError.self) { try Sigma(value) }
    #expect(throws: BlurError.self) { try Sigma(x: 1, y: value) }
  }

  @Test(
    "Every kernel can plan the smallest and the largest sigma",
    arguments: [.leastNonzeroMagnitude, 1e-160, 1000])
  func extremeSigma(value: Double) throws {
    for kernel in Registry.kernels {
      let small = try ImageLayout(.gray8, width: 3, height: 2)
      let image = try Image(small, copying: [UInt8](repeating: 200, count: 6).span.bytes)
      var result = try Image(small)
      try BlurPlan(kernel, for: small, BlurParameters(sigma: Sigma(value))).blur(image, into: &result)
      #expect(result.bytes == [UInt8](repeating: 200, count: 6), "\(kernel.name)")
    }
  }

  @Test(
    "A giant image with a large sigma needs little memory besides the image and the result",
    arguments: [1, 2])
  func giantImage(threads: Int) throws {
    let giant = try ImageLayout(.gray8, width: 30_000, height: 20_000)
    let kernel = try Registry.kernel(named: "pyramid")
    let plan = try BlurPlan(kernel, for: giant, BlurParameters(sigma: Sigma(200)), threads: threads)
    #expect((1...64 << 20).contains(plan.scratchBytes))
  }

  @Test("Images of another size or format are rejected, but not images with another stride")
  func mismatch() throws {
    let plan = try plan()
    var result = try Image(layout)
    #expect(throws: BlurError.self) { try plan.blur(Image(.gray8, width: 41, height: 30), into: &result) }
    #expect(throws: BlurError.self) { try plan.blur(Image(.gray16, width: 40, height: 30), into: &result) }
    var wide = try Image(ImageLayout(.gray8, width: 40, height: 30, stride: 57))
    try plan.blur(picture(), into: &wide)
  }

  @Test("Impossible threads and regions are rejected")
  func impossibleRequests() {
    #expect(throws: BlurError.invalidThreads(0)) { try plan(threads: 0) }
    for region in [
      Region(x: 30, y: 0, width: 11, height: 1), Region(x: -1, y: 0, width: 2, height: 2),
      Region(x: 0, y: 0, width: 0, height: 3), Region(x: .max, y: 0, width: 1, height: 1),
    ] {
      #expect(throws: BlurError.invalidRegion(region, layout)) { try plan(region: region) }
    }
  }

  @Test("With sigma 0, an image or a region of it is copied exactly")
  func identity() throws {
    var result = try Image(layout)
    try plan(sigma: 0).blur(picture(), into: &result)
    #expect(try result.bytes == picture().bytes)
    var part = try Image(.gray8, width: 2, height: 2)
    try plan(sigma: 0, region: Region(x: 5, y: 7, width: 2, height: 2)).blur(picture(), into: &part)
    let all = try picture().bytes
    let expected = [all[7 * 40 + 5], all[7 * 40 + 6], all[8 * 40 + 5], all[8 * 40 + 6]]
    #expect(part.bytes == expected)
    // The tile contains only the region and is blurred on several threads. Its rows have no padding, and the
    // region begins inside the image.
    let region = Region(x: 5, y: 7, width: 2, height: 2)
    var again = try Image(.gray8, width: 2, height: 2)
    try plan(sigma: 0, region: region, threads: 2).blur(tile: part, into: &again)
    #expect(again.bytes == expected)
  }

  @Test("Blurring in place is an error that names the kernel, if it would read pixels it has written")
  func inPlace() throws {
    var image = try picture()
    for kernel in Registry.kernels where !kernel.worksInPlace {
      #expect(throws: BlurError.overlap(kernel: kernel.name)) {
        try plan(kernel.name).blur(inPlace: &image)
      }
    }
    #expect(try image.bytes == picture().bytes)
  }

  @Test("Two separate regions of one image do not overlap, and two that share pixels do")
  func regionsOfOneImage() throws {
    var sheet = try Image(.gray8, width: 100, height: 30)
    let plan = try plan()
    sheet.withMutableView { view in
      #expect(throws: Never.self) {
        let left = try view.cropped(to: Region(x: 0, y: 0, width: 40, height: 30))
        let right = try view.cropped(to: Region(x: 60, y: 0, width: 40, height: 30))
        try plan.blur(left.readOnly, into: right)
      }
      #expect(throws: BlurError.overlap(kernel: "separable")) {
        let left = try view.cropped(to: Region(x: 0, y: 0, width: 40, height: 30))
        let right = try view.cropped(to: Region(x: 39, y: 0, width: 40, height: 30))
        try plan.blur(left.readOnly, into: right)
      }
    }
  }

  @Test("One plan used from many threads at once gives each the right result")
  func shared() throws {
    let plan = try plan("simd", threads: 2)
    let image = try picture()
    var expected = try Image(layout)
    try plan.blur(image, into: &expected)
    let right = expected.bytes
    let agreeing = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      guard var result = try? Image(layout), (try? plan.blur(image, into: &result)) != nil else { return }
      if result.bytes == right { agreeing.add(1, ordering: .relaxed) }
    }
    #expect(agreeing.load(ordering: .relaxed) == 16)
  }

  @Test("Spans are checked against their layouts")
  func spans() throws {
    let plan = try plan()
    let source = try picture().bytes
    var target = [UInt8](repeating: 0, count: layout.byteCount)
    var space = target.mutableSpan
    var raw = space.mutableBytes
    try plan.blur(source.span.bytes, into: &raw, layout)
    var expected = try Image(layout)
    try plan.blur(picture(), into: &expected)
    #expect(target == expected.bytes)
    var short = [UInt8](repeating: 0, count: layout.byteCount - 1)
    var shortSpace = short.mutableSpan
    var shortRaw = shortSpace.mutableBytes
    #expect(throws: BlurError.self) { try plan.blur(source.span.bytes, into: &shortRaw, layout) }
  }

  @Test("An unknown kernel is rejected, with the most similar name")
  func unknownKernel() {
    #expect(throws: BlurError.unknownKernel("box-tripel", nearest: "box-triple")) {
      try Registry.kernel(named: "box-tripel")
    }
    #expect(throws: BlurError.unknownKernel("zzzzzzzz", nearest: nil)) {
      try Registry.kernel(named: "zzzzzzzz")
    }
  }

  @Test("Kernel names are unique")
  func names() {
    #expect(Set(Registry.kernels.map(\.name)).count == Registry.kernels.count)
  }
}
