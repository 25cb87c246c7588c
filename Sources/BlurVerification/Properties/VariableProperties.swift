import Blur

extension Property {
  /// What is true of blurs of variable sigma alone.
  public static let variableOnly: [Property] = [
    ofVariable("variable-truth", "within its stated error of the Gaussian of each pixel") {
      try $0.isNearTruth()
    },
    ofVariable("variable-definition", "equal to its own definition, but for rounding") {
      try $0.isAsDefined()
    },
    ofVariable("variable-uniform", "the plain blur where the mask is 255 everywhere") { try $0.isPlain() },
    ofVariable("variable-zero", "leaves the image's own bits where the mask is 0") { try $0.leavesZeros() },
    ofVariable(
      "variable-constant", "a picture of one colour stays as it is",
      edges: ["clamp", "mirror", "reflect", "wrap"]
    ) { try $0.leavesConstants() },
    ofVariable(
      "variable-certificate", "within its stated error for the worst of all images, by its weights",
      formats: [.grayf32], sigmas: [0.8, 4], edges: ["clamp", "mirror", "wrap", "constant"]
    ) { try $0.keepsCertificate() },
  ]

  /// What is true of blurs of variable sigma: those, and what is true of every blur that runs.
  static let variable = variableOnly + [threads, guards, strides, crops, repeatable]

  /// Whether the property says something about a kernel: blurs of variable sigma are no convolutions, and
  /// have properties of their own.
  public func applies(to kernel: Kernel) -> Bool {
    kernel.variableMethod == nil
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
        throw NotApplicable("a mask goes with one sigma for both axes")
      }
      return try check(VariableUnderTest(method, test.subject))
    }
  }
}

extension VariableUnderTest {
  /// Within the error that the plan states, edges included. Where none is stated, it is measured.
  func isNearTruth() throws -> Finding? {
    // What is stated may be no more than what the method promises, beside the blurs' error and a rounding.
    if case .approximation(let levels) = Kernel(method).promise {
      let layout = try ImageLayout(subject.format, width: 25, height: 19)
      let planned = try plan(layout, MaskShape.scattered.mask(width: 25, height: 19), subject)
      if let error = planned.error, error + 2 > levels {
        throw Violation("states \(error.inLevels) and promises \(levels.inLevels) with the blurs' own error")
      }
    }
    return try check(against: nil) { planned in planned.error.map { $0 + allowance } }
  }

  /// What it mixes, and how much of each.
  func isAsDefined() throws -> Finding? { try check(against: method) { _ in allowance } }

  /// A mask that is 255 everywhere.
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
          deviation.description, deviation,
          FailureImages(source: image, result: result, truth: truth, around: deviation))
      }
      return nil
    }
    try expectSame(result, plain(image, sigma: subject.sigma.x), "the plain blur")
    for value in [90, 200] { try expectMixed(image, mask: value) }
    return nil
  }

  /// The library's choice of a blur of one sigma.
  private func plain(_ image: Image, sigma: Double) throws -> Image {
    guard sigma > 0 else { return image }
    let parameters = BlurParameters(
      sigma: try Sigma(sigma), edge: subject.edge, instructionSet: subject.instructionSet)
    var plain = try Image(image.layout)
    try BlurPlan(for: image.layout, parameters).blur(image, into: &plain)
    return plain
  }

  /// A mask of one value mixes plain blurs, or one and the image, and rounds once, to nearest.
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
    // Half a code, and what single precision takes.
    let allowed = subject.format.component == .float32 ? 2e-6 : 0.52
    let errors = try plan(layout, mask, subject).blurred(image).withView { view in
      sums.indices.flatMap { y in zip(view.values(ofRow: y), sums[y]).map { abs($0 - $1) } }
    }
    let worst = errors.max() ?? 0
    guard worst > allowed else { return }
    throw Violation("mask \(value): \(worst.inLevels) codes from the mixture of two plain blurs")
  }

  /// A mask with 0 beside large values.
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
    try expectSame(kept[0], kept[1], "the image where the mask is 0")
    if result.hasSamePixels(as: image) { throw Violation("nothing is blurred") }
    return nil
  }

  /// Pixels of one colour, with every shape of mask.
  func leavesConstants() throws -> Finding? {
    let full = subject.format.fullScale
    // Whole codes, or in floats none that sums keep by chance.
    let colours = subject.format.component == .float32 ? [0, 1, 0.3] : [0, full, (0.3 * full).rounded()]
    let allowed =
      switch subject.format.component {
      case .uint8: 0.0
      // Where edges repeat, `pyramid` rounds what is next to them by a code on each of two levels.
      case .uint16: 2.01 * subject.format.codeInLevels
      case .float32: 2e-5 * 255
      }
    for shape in MaskShape.allCases {
      let layout = try ImageLayout(subject.format, width: 29, height: 23)
      let planned = try plan(layout, shape.mask(width: 29, height: 23), subject)
      for colour in colours {
        let image = try Image.painted(layout) { _, _, _ in colour }
        try expectSame(
          planned.blurred(image), image, within: allowed, "mask \(shape), pixels of \(colour)")
      }
    }
    return nil
  }

  /// The worst of all images, which is built and blurred too.
  func keepsCertificate() throws -> Finding? {
    var worst: Finding?
    for shape in MaskShape.allCases {
      // 256 pixels: a scattered mask has every value.
      let certificate = try VariableCertificate(shape, side: 16, self)
      let deviation = Deviation(maxLevels: certificate.levels, x: certificate.x, y: certificate.y)
      if let violation = certificate.violation { throw Violation("mask \(shape): \(violation)", deviation) }
      if certificate.levels > worst?.deviation?.maxLevels ?? -1 {
        worst = Finding("worst case of any image, mask \(shape)", deviation)
      }
    }
    return worst
  }

  private func expectSame(_ a: Image, _ b: Image, within levels: Double = 0, _ what: String) throws {
    let deviation = a.withView { a in b.withView { b in Deviation.between(a, b) } }
    guard deviation.maxLevels > levels else { return }
    throw Violation(
      "\(what): \(deviation.off())", deviation,
      FailureImages(source: nil, result: a, expected: b, around: deviation))
  }
}
