import Blur
import Foundation
import Synchronization

extension Property {
  /// The properties that apply only to blurs with a variable sigma.
  public static let variableOnly: [Property] = [
    ofVariable(
      "variable-truth", "blurs each pixel like a Gaussian with the pixel's own sigma, within the stated error"
    ) {
      try $0.isNearTruth()
    },
    ofVariable("variable-definition", "equals the definition of the method, except for rounding") {
      try $0.isAsDefined()
    },
    ofVariable("variable-uniform", "equals the blur with one sigma if the mask is 255 everywhere") {
      try $0.isPlain()
    },
    ofVariable("variable-zero", "leaves the pixels unchanged where the mask is 0") { try $0.leavesZeros() },
    ofVariable(
      "variable-mask", "padding after the rows of the mask does not change the result",
      formats: [.gray8, .rgba16, .rgbf32], sigmas: [0, 6], edges: ["mirror"]
    ) { try $0.ignoresMaskPadding() },
    ofVariable(
      "variable-constant", "an image of one colour stays unchanged",
      edges: ["clamp", "mirror", "reflect", "wrap"]
    ) { try $0.leavesConstants() },
    ofVariable(
      "variable-certificate",
      "stays within the stated error for every possible image, as computed from its measured weights",
      formats: [.grayf32], sigmas: [0.8, 4], edges: ["clamp", "mirror", "wrap", "constant"]
    ) { try $0.keepsCertificate() },
    ofVariable(
      "variable-shared", "two threads can use one plan at the same time",
      formats: [.gray8, .rgbaf32], sigmas: [6], edges: ["mirror"]
    ) { try $0.canBeShared() },
  ]

  /// All properties of blurs with a variable sigma. Some of them apply only to such blurs, and the others
  /// apply to ordinary blurs as well.
  static let variable = variableOnly + [threads, guards, strides, crops, overlap, repeatable, state]

  /// Returns whether the property applies to `kernel`. A blur with a variable sigma is not a convolution and
  /// has properties of its own. The property `plausible` applies only to kernels that promise no error bound,
  /// or only a very large one.
  public func applies(to kernel: Kernel) -> Bool {
    if name == Self.plausible.name, !Self.saysLittle(kernel.promise) { return false }
    return kernel.variableMethod == nil
      ? !Self.variableOnly.contains { $0.name == name }
      : name == "goldens" || Self.variable.contains { $0.name == name }
  }

  private static func ofVariable(
    _ name: String, _ summary: String, formats: [PixelFormat] = PixelFormat.allCases,
    sigmas: [Double] = [0.7, 6], edges: [String] = Subject.edgeNames,
    _ check: @escaping @Sendable (VariableUnderTest) throws -> Finding?
  ) -> Property {
    Property(name, summary, scope: Scope(formats: formats, sigmas: sigmas, edges: edges)) { test in
      guard let method = test.kernel.variableMethod else {
        throw NotApplicable("kernel \(test.kernel.name) has one sigma for all pixels")
      }
      guard test.sigma.x == test.sigma.y else {
        throw NotApplicable("a blur with a mask needs the same sigma for both axes")
      }
      return try check(VariableUnderTest(method, test.subject))
    }
  }
}

extension VariableUnderTest {
  /// Checks that the error of the results, including the pixels at the edges, is not larger than the error
  /// that the plan states. If the plan states no error, the error is measured but not judged.
  func isNearTruth() throws -> Finding? {
    // The kernel's promise must exceed the mixing error that the plan states by at least 2 levels, because
    // the mixed blurs have errors of their own and the result is rounded.
    if case .approximation(let levels) = Kernel(method).promise {
      let layout = try ImageLayout(subject.format, width: 25, height: 19)
      let planned = try plan(layout, MaskShape.scattered.mask(width: 25, height: 19), subject)
      if let error = planned.error, error + 2 > levels {
        throw Violation(
          "the plan states an error of \(error.inLevels); with 2 levels for the mixed blurs and rounding, "
            + "this exceeds the promise of \(levels.inLevels)")
      }
    }
    let worst = try check(against: nil) { planned in planned.error.map { $0 + allowance } }
    if method == .twoPass {
      throw NotApplicable("the method states no error, so its error is only measured", measured: worst)
    }
    return worst
  }

  /// Checks that the method mixes exactly the blurs that its definition prescribes, and that each blur has
  /// the prescribed share in the mixture.
  func isAsDefined() throws -> Finding? { try check(against: method) { _ in allowance } }

  /// Checks masks that have the same value everywhere. With the value 255, the result must equal an ordinary
  /// blur with one sigma. With other values, a method that mixes blurs must give the prescribed mixture.
  func isPlain() throws -> Finding? {
    let layout = try ImageLayout(subject.format, width: 31, height: 22)
    let image = try TestImage.noise.image(layout, seed: 4)
    let mask = try Image.painted(ImageLayout(.gray8, width: 31, height: 22)) { _, _, _ in 255 }
    let result = try plan(layout, mask, subject).blurred(image)
    guard method != .twoPass else {
      let truth = Truth.of(image, sigma: subject.sigma, edge: subject.edge)
      let deviation = result.withView { truth.deviation(of: $0) }
      let bound = Promise.exact().bound(for: subject.format) ?? 0
      guard deviation.maxLevels <= bound else {
        throw Violation(
          "mask 255: \(deviation.off("the Gaussian")); allowed: at most \(bound.inLevels)", deviation,
          FailureImages(source: image, result: result, truth: truth, around: deviation))
      }
      return nil
    }
    try expectSame(
      result, plain(image, sigma: subject.sigma.x), "mask 255, compared with the blur with one sigma")
    for value in [90, 200] { try expectMixed(image, mask: value) }
    return nil
  }

  /// Returns the image blurred with one sigma by the kernel that the library chooses.
  private func plain(_ image: Image, sigma: Double) throws -> Image {
    guard sigma > 0 else { return image }
    let parameters = BlurParameters(
      sigma: try Sigma(sigma), edge: subject.edge, instructionSet: subject.instructionSet)
    var plain = try Image(image.layout)
    try BlurPlan(for: image.layout, parameters).blur(image, into: &plain)
    return plain
  }

  /// Checks that a mask with the same value in all pixels gives the mixture of two ordinary blurs, and that
  /// the mixture is rounded only once.
  private func expectMixed(_ image: Image, mask value: Int) throws {
    let layout = image.layout
    let mask = try Image.painted(ImageLayout(.gray8, width: layout.width, height: layout.height)) { _, _, _ in
      Double(value)
    }
    var sums = [[Double]](
      repeating: [Double](repeating: 0, count: layout.rowComponents), count: layout.height)
    for part in VariableReference.recipe(method, subject.sigma.x, mask: value) {
      try plain(image, sigma: part.sigma).withView { view in
        for y in sums.indices {
          for (i, component) in view.values(ofRow: y).enumerated() { sums[y][i] += part.share * component }
        }
      }
    }
    // Integer results are rounded by up to half a code value, besides the errors of single precision.
    let allowed = subject.format.component == .float32 ? 2e-6 : 0.52
    let errors = try plan(layout, mask, subject).blurred(image).withView { view in
      sums.indices.flatMap { y in zip(view.values(ofRow: y), sums[y]).map { abs($0 - $1) } }
    }
    let worst = errors.max() ?? 0
    guard worst > allowed else { return }
    let levels = worst / subject.format.fullScale * 255
    throw Violation("mask \(value): the result differs by \(levels.inLevels) from the mixture of two blurs")
  }

  /// Checks that pixels do not change where the mask is 0, even if the mask has large values next to them.
  func leavesZeros() throws -> Finding? {
    let layout = try ImageLayout(subject.format, width: 24, height: 21)
    let image = try TestImage.noise.image(layout, seed: 6)
    func isZero(_ x: Int, _ y: Int) -> Bool { (x / 5 + y / 4) % 3 != 0 }
    let mask = try Image.painted(ImageLayout(.gray8, width: 24, height: 21)) { x, y, _ in
      isZero(x, y) ? 0 : Double(255 - x - y)
    }
    let result = try plan(layout, mask, subject).blurred(image)
    let channels = layout.format.channels
    let kept = try [image, result].map { image in
      try image.withView { view in
        try Image.painted(layout) { x, y, c in isZero(x, y) ? view.value(x * channels + c, y) : 0 }
      }
    }
    try expectSame(kept[0], kept[1], "pixels where the mask is 0, compared with the image")
    if result == image { throw Violation("the result equals the image: nothing was blurred") }
    return nil
  }

  /// Checks that padding after the rows of the mask does not change the result, for images with and without
  /// padding. The padding contains various byte values, or lies in memory that cannot be read at all.
  func ignoresMaskPadding() throws -> Finding? {
    let mask = try MaskShape.scattered.mask(width: 37, height: 21)
    let packed = try ImageLayout(subject.format, width: 37, height: 21)
    let image = try TestImage.noise.image(packed, seed: 8)
    let expected = try plan(packed, mask, subject).blurred(image)
    for (padding, more) in [(1, 0), (27, 0), (0, 5), (27, 5), (1000, 64)] {
      let padded = try mask.padded(by: padding)
      let source = try image.padded(by: more)
      let result = try plan(source.layout, padded, subject).blurred(source)
      try expectSame(
        result.withView { view throws(BlurError) in try view.image() }, expected,
        "rows of the mask padded by \(padding), rows of the image by \(more) bytes")
    }
    // This check comes last, because a kernel that reads beyond the rows of the mask ends the process.
    try readsOnlyMask()
    return nil
  }

  /// Checks that no bytes after the rows of the mask are read. Each row of the mask ends directly before an
  /// inaccessible memory page, so reading one more byte ends the process.
  private func readsOnlyMask() throws {
    let mask = try UnreadableMask(.scattered, height: 3)
    let width = mask.image.layout.width
    let image = try TestImage.noise.image(ImageLayout(subject.format, width: width, height: 3), seed: 9)
    let result = try withExtendedLifetime(mask) { try plan(image.layout, mask.image, subject).blurred(image) }
    let expected = try plan(image.layout, MaskShape.scattered.mask(width: width, height: 3), subject)
    try expectSame(result, expected.blurred(image), "a mask with inaccessible memory after its rows")
  }

  /// Checks that images of one colour do not change, whatever the shape of the mask.
  func leavesConstants() throws -> Finding? {
    let full = subject.format.fullScale
    // Integer formats use whole code values. Float formats also use 0.3, because a blur with slightly wrong
    // weights is unlikely to reproduce this value by chance.
    let colours = subject.format.component == .float32 ? [0, 1, 0.3] : [0, full, (0.3 * full).rounded()]
    let allowed =
      switch subject.format.component {
      case .uint8: 0.0
      // If the edge mode repeats the image, a pyramid may cause an error of one code value in each of two
      // levels, at the pixels next to the edges.
      case .uint16: 2.01 * subject.format.codeInLevels
      case .float32: 2e-5 * 255
      }
    for shape in MaskShape.allCases {
      let layout = try ImageLayout(subject.format, width: 29, height: 23)
      let planned = try plan(layout, shape.mask(width: 29, height: 23), subject)
      for colour in colours {
        let image = try Image.painted(layout) { _, _, _ in colour }
        try expectSame(
          planned.blurred(image), image, within: allowed,
          "mask \(shape), constant image with pixels \(colour)")
      }
    }
    return nil
  }

  /// Checks that the stated error holds for every possible image. The image with the largest possible error
  /// is computed from the measured weights. This image is then blurred to confirm that the error really
  /// occurs.
  func keepsCertificate() throws -> Finding? {
    try MaskShape.allCases.map { shape in
      // A mask of 16 × 16 scattered values is large enough to contain each of the 256 values.
      let certificate = try VariableCertificate(shape, side: 16, self)
      let deviation = Deviation(maxLevels: certificate.levels, x: certificate.x, y: certificate.y)
      if let violation = certificate.violation { throw Violation("mask \(shape): \(violation)", deviation) }
      return Finding("worst case over all images, mask \(shape)", deviation)
    }.worst
  }

  /// Checks that two threads can use one ``VariableBlurPlan`` at the same time. The properties that apply to
  /// all kernels cannot show this, because they wrap the plan in a ``BlurPlan``, which has its own lock.
  func canBeShared() throws -> Finding? {
    let layout = try ImageLayout(subject.format, width: 61, height: 47)
    let images = try [1, 2].map { try TestImage.noise.image(layout, seed: $0) }
    let planned = try plan(layout, MaskShape.scattered.mask(width: 61, height: 47), subject)
    let expected = try images.map { try planned.blurred($0) }
    // The scheduler may run the two threads alternately on one core. Therefore each thread blurs for longer
    // than a time slice of the scheduler, so that both threads are in the middle of a blur at the same time.
    @Sendable func isRight(_ index: Int) -> Bool {
      let end = DispatchTime.now() + .milliseconds(40)
      repeat {
        guard (try? planned.blurred(images[index])) == expected[index] else {
          return false
        }
      } while DispatchTime.now() < end
      return true
    }
    let (started, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isOtherRight = Mutex(false)
    // A new thread certainly runs at the same time as this thread. Work on a dispatch queue might have to
    // wait.
    Thread.detachNewThread {
      started.signal()
      let isRight = isRight(1)
      isOtherRight.withLock { $0 = isRight }
      ended.signal()
    }
    started.wait()
    let isOneRight = isRight(0)
    ended.wait()
    guard isOneRight, isOtherRight.withLock({ $0 }) else {
      throw Violation("a blur differs if two threads use the same plan at the same time")
    }
    return nil
  }

  private func expectSame(_ a: Image, _ b: Image, within levels: Double = 0, _ what: String) throws {
    try KernelUnderTest(kernel: Kernel(method), subject: subject).expectSame(a, b, within: levels, what)
  }
}

extension Image {
  /// Returns a copy of the image with `count` bytes of padding after each row. Every second padding byte has
  /// all bits set.
  fileprivate func padded(by count: Int) throws -> Image {
    let packed = layout
    let padded = try ImageLayout(
      packed.format, width: packed.width, height: packed.height, stride: packed.rowBytes + count)
    let garbage = (0..<padded.byteCount).map { $0 % 2 == 0 ? 255 : UInt8(truncatingIfNeeded: $0) }
    var copy = try Image(padded, copying: garbage.span.bytes)
    copy.withMutableView { $0.copyPixels(of: self) }
    return copy
  }
}
