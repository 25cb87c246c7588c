import Blur

/// One kernel on one subject: what the properties are written with.
struct KernelUnderTest: Sendable {
  let kernel: Kernel
  var subject: Subject
  /// What is known from other subjects.
  var known = SharedWork()

  /// Whether it is a kernel of the library: a plug-in is called from one thread.
  var isOurs: Bool { Registry.kernels.contains { $0.name == kernel.name } }

  var format: PixelFormat { subject.format }
  var sigma: Sigma { subject.sigma }

  /// Taps to each side in the definition of truth, along a row and along a column.
  var radius: (x: Int, y: Int) {
    (Int((6 * sigma.x).rounded(.up)), Int((6 * sigma.y).rounded(.up)))
  }

  /// A packed layout of the subject's format.
  func layout(_ width: Int, _ height: Int) throws -> ImageLayout {
    try ImageLayout(format, width: width, height: height)
  }

  /// A test image of that size.
  func image(_ kind: TestImage = .noise, _ width: Int, _ height: Int, seed: UInt64 = 1) throws -> Image {
    try known.image(kind, layout(width, height), seed: seed)
  }

  /// A plan of the kernel for the subject, but for what is given here.
  func plan(
    _ layout: ImageLayout, sigma: Sigma? = nil, edge: EdgeMode? = nil, region: Region? = nil,
    threads: Int? = nil
  ) throws -> BlurPlan {
    let parameters = BlurParameters(
      sigma: sigma ?? subject.sigma, edge: edge ?? subject.edge, region: region,
      instructionSet: subject.instructionSet)
    return try BlurPlan(kernel, for: layout, parameters, threads: threads ?? subject.threads)
  }

  /// What the kernel's plan says of itself, for the subject or another instruction set.
  func facts(_ layout: ImageLayout, set: InstructionSet? = nil) throws -> PlanFacts {
    try plainPlan(layout, set: set).facts
  }

  /// The kernel's own plan, for the subject or another instruction set.
  func plainPlan(_ layout: ImageLayout, set: InstructionSet? = nil) throws -> any Plan {
    let parameters = BlurParameters(
      sigma: subject.sigma, edge: subject.edge, instructionSet: set ?? subject.instructionSet)
    return try kernel.plan(parameters, for: layout, threads: 1)
  }

  /// Skips what takes the definition minutes: a whole window for each pixel.
  func skipDefinition(ifSigmaAbove most: Double) throws {
    guard kernel.isDefinition, sigma.x > most else { return }
    throw NotApplicable("kernel \(kernel.name) is the definition, which takes too long for this")
  }

  /// The blurred image, or the part of it in `region`.
  func blurred(
    _ image: Image, sigma: Sigma? = nil, edge: EdgeMode? = nil, region: Region? = nil, threads: Int? = nil
  ) throws -> Image {
    let plan = try plan(image.layout, sigma: sigma, edge: edge, region: region, threads: threads)
    var result = try Image(layout(plan.region.width, plan.region.height))
    try plan.blur(image, into: &result)
    return result
  }

  /// Whether the kernel takes one of these formats.
  func supports(_ formats: [PixelFormat]) throws -> Bool {
    try formats.contains { try accepts(subject.edge, ImageLayout($0, width: 64, height: 64)) }
  }

  /// Whether the kernel takes that edge mode.
  func supports(_ edge: EdgeMode) throws -> Bool { try accepts(edge, layout(64, 64)) }

  /// Whether the kernel says that it does not support that sigma.
  func refuses(_ sigma: Sigma) throws -> Bool {
    let parameters = BlurParameters(sigma: sigma, edge: subject.edge, instructionSet: subject.instructionSet)
    if case .unsupported = kernel.planningError(of: parameters, for: try layout(64, 64)) { return true }
    return false
  }

  private func accepts(_ edge: EdgeMode, _ layout: ImageLayout) -> Bool {
    kernel.planningError(of: BlurParameters(sigma: subject.sigma, edge: edge), for: layout) == nil
  }

  /// By how many levels two results may differ that are the same in exact arithmetic: one stored step, or a
  /// share of full scale, for values up to that. An approximation, too, is the same from both sides, but for
  /// the tails of recursions beyond the window.
  ///
  /// Throws ``NotApplicable`` where it promises nothing.
  func tolerance(ofTails: Bool = false) throws -> Double {
    guard kernel.promise != .nothing else {
      throw NotApplicable("kernel \(kernel.name) promises nothing")
    }
    return toleranceOfAny(ofTails: ofTails)
  }

  /// The same for an image that is turned, which any blur keeps to, even one that promises nothing.
  var toleranceOfMirrors: Double { toleranceOfAny(ofTails: false) }

  private func toleranceOfAny(ofTails: Bool) -> Double {
    let share: Double =
      switch kernel.promise {
      case .exact: kernel.promise.bound(for: format) ?? 0
      case .approximation(let levels) where isOnGrid: 2 * levels
      case .approximation(let levels) where ofTails: min(levels, Self.levelsOfTails)
      case .approximation, .specification, .nothing: Judge.specifiedShare * 255
      }
    return max(format.codeInLevels, share)
  }

  /// What recursions may leave beyond six sigmas: far less than is seen, more than rounding.
  private static let levelsOfTails = 0.25

  /// Whether the kernel stands on a grid of blocks of pixels that begins at the left and the top. It is
  /// another from the right and below, and leaves blocks out that the image has a part of only.
  var isOnGrid: Bool { kernel.name == "dual-kawase" }

  /// Holds `result`, or the rows `rows` of it, to the kernel's promise for a blur of `image`.
  func judge(
    _ result: Image, of image: Image, sigma: Sigma? = nil, rows: [Int]? = nil, _ what: String
  ) throws -> Finding {
    let judge = known.judge(image, sigma ?? subject.sigma, subject.edge, rows: rows)
    let judgement = result.withView { judge.judge($0, by: kernel) }
    if let violation = judgement.violation {
      throw Violation(
        "\(what): \(violation)", judgement.deviation, judge.failureImages(of: result, by: kernel))
    }
    return Finding(what, judgement.deviation)
  }

  /// Throws unless `a` and `b` differ by at most `levels`; 0 means the same bits, but for the sign of zero.
  ///
  /// - Parameter source: what `a` is a blur of, for a picture.
  func expectSame(
    _ a: Image, _ b: Image, within levels: Double = 0, of source: @autoclosure () throws -> Image? = nil,
    _ what: String
  ) throws {
    if a.hasSamePixels(as: b) { return }
    let deviation = a.withView { a in b.withView { b in Deviation.between(a, b) } }
    guard deviation.maxLevels > levels else { return }
    throw Violation(
      "\(what): \(deviation.off())", deviation,
      FailureImages(source: try source(), result: a, expected: b, around: deviation))
  }
}

/// The direction of a line.
enum Axis: CaseIterable { case across, down }

extension Sequence<Finding> {
  /// The finding with the largest deviation.
  var worst: Finding? { self.max { ($0.deviation?.maxLevels ?? 0) < ($1.deviation?.maxLevels ?? 0) } }
}

extension Image {
  /// Left and right exchanged.
  func flippedAcross() throws -> Image { try rearranged(layout) { (layout.width - 1 - $0, $1) } }

  /// Top and bottom exchanged.
  func flippedDown() throws -> Image { try rearranged(layout) { ($0, layout.height - 1 - $1) } }

  /// Rows and columns exchanged.
  func transposed() throws -> Image {
    try rearranged(ImageLayout(layout.format, width: layout.height, height: layout.width)) { ($1, $0) }
  }

  /// The pixels of a region.
  func cropped(to region: Region) throws -> Image {
    var part = try Image(ImageLayout(layout.format, width: region.width, height: region.height))
    try withView { view in
      let pixels = try view.cropped(to: region)
      part.withMutableView { $0.copyPixels(of: pixels) }
    }
    return part
  }
}

extension Sigma {
  /// The axes exchanged.
  var transposed: Sigma { get throws { try Sigma(x: y, y: x) } }
}
