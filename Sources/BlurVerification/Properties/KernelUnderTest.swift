import Blur

/// A kernel together with the conditions under which it is checked, such as the format, sigma and edge mode.
/// The checks of all properties are written in terms of this type.
struct KernelUnderTest: Sendable {
  let kernel: Kernel
  var subject: Subject
  /// The test images, correct results and blurs that other checks have already computed.
  var known = SharedWork()
  /// The thresholds, such as image sizes, at which the kernels of this library switch to a different method.
  var thresholds = Thresholds()

  /// The test image that the subject specifies.
  ///
  /// - Throws: ``NotApplicable`` if the subject specifies no image.
  var sample: SampleImage {
    get throws {
      guard let image = subject.image else {
        throw NotApplicable("the property needs a test image: name one with --size and --image")
      }
      return image
    }
  }

  /// Whether the kernel is one of this library's kernels, and not a plug-in. A plug-in must be called from
  /// one thread only.
  var isOurs: Bool { Registry.kernels.contains { $0.name == kernel.name } }

  /// Whether the subject's instruction set is the widest one that the kernel and this CPU have.
  var isWidest: Bool { subject.instructionSet == kernel.instructionSet(upTo: .best) }

  var format: PixelFormat { subject.format }
  var sigma: Sigma { subject.sigma }

  /// The radius of the Gaussian's window in pixels, along a row and along a column. The window ends at six
  /// sigmas.
  var radius: (x: Int, y: Int) {
    (Int((6 * sigma.x).rounded(.up)), Int((6 * sigma.y).rounded(.up)))
  }

  /// Returns a layout without padding in the subject's format.
  func layout(_ width: Int, _ height: Int) throws -> ImageLayout {
    try ImageLayout(format, width: width, height: height)
  }

  /// Returns a test image of the given size in the subject's format.
  func image(_ kind: TestImage = .noise, _ width: Int, _ height: Int, seed: UInt64 = 1) throws -> Image {
    try known.image(kind, layout(width, height), seed: seed)
  }

  /// Returns a plan. If `sigma`, `edge` or `threads` is nil, the plan uses the subject's value. If `region`
  /// is nil, the plan blurs the whole image.
  func plan(
    _ layout: ImageLayout, sigma: Sigma? = nil, edge: EdgeMode? = nil, region: Region? = nil,
    threads: Int? = nil, downscaled: Int = 1
  ) throws -> BlurPlan {
    var parameters = parameters(sigma: sigma, edge: edge, region: region)
    parameters.downscaled = downscaled
    return try BlurPlan(kernel, for: layout, parameters, threads: threads ?? subject.threads)
  }

  /// Returns the parameters of a blur. If `sigma` or `edge` is nil, the subject's value is used. If `region`
  /// is nil, the whole image is blurred.
  func parameters(sigma: Sigma? = nil, edge: EdgeMode? = nil, region: Region? = nil) -> BlurParameters {
    var parameters = BlurParameters(
      sigma: sigma ?? subject.sigma, edge: edge ?? subject.edge, region: region,
      instructionSet: subject.instructionSet)
    parameters.thresholds = thresholds
    return parameters
  }

  /// Returns what the kernel's plan states about itself, such as the amount of scratch memory that it needs.
  /// If `set` is nil, the plan uses the subject's instruction set.
  func facts(_ layout: ImageLayout, set: InstructionSet? = nil, threads: Int = 1) throws -> PlanFacts {
    var parameters = parameters()
    parameters.instructionSet = set ?? subject.instructionSet
    return try kernel.plan(parameters, for: layout, threads: threads).facts
  }

  /// Returns how many threads work in each phase of a blur if up to `threads` threads are available.
  func threadsInPhases(_ layout: ImageLayout, _ threads: Int) throws -> [Int] {
    try facts(layout, threads: threads).threadsInPhases(of: threads)
  }

  /// Returns the factor by which the kernel shrinks the image internally, or 1 if it does not shrink the
  /// image. Each pixel of the shrunken image stands for a square block of image pixels, and the factor is the
  /// width of this block. If a part of an image begins at a multiple of the factor, the part is divided into
  /// the same blocks as the whole image.
  func grid(_ layout: ImageLayout) throws -> Int { try 1 << plan(layout).halvings }

  /// Returns a distance, in pixels, beyond which a pixel no longer influences the result. Exact kernels read
  /// pixels up to six sigmas away. The weights of recursive filters decrease more slowly, so 20 sigmas are
  /// assumed for all other kernels.
  func reach(_ sigma: Double) -> Int {
    Int(((kernel.promise.isExact ? 6 : 20) * sigma).rounded(.up)) + 2
  }

  /// Throws ``NotApplicable`` if the kernel is the plain definition of the blur and sigma is above `most`,
  /// because adding up a whole two-dimensional window for each pixel would take minutes.
  func skipDefinition(ifSigmaAbove most: Double) throws {
    guard kernel.isDefinition, sigma.x > most else { return }
    throw NotApplicable(
      "kernel \(kernel.name) is the plain definition, which would take too long for this check")
  }

  /// Throws ``NotApplicable`` if the edge mode is `clamp` and the kernel also supports `mirror`. Expensive
  /// properties call this method to check only one of these two edge modes.
  func skipClampIfMirrored() throws {
    guard subject.edge == .clamp, try supports(.mirror) else { return }
    throw NotApplicable("only mirrored edges are checked, because the kernel supports them")
  }

  /// Returns the blurred image. If `region` is given, only this region is blurred and returned.
  func blurred(
    _ image: Image, sigma: Sigma? = nil, edge: EdgeMode? = nil, region: Region? = nil, threads: Int? = nil
  ) throws -> Image {
    let plan = try plan(image.layout, sigma: sigma, edge: edge, region: region, threads: threads)
    var result = try Image(layout(plan.region.width, plan.region.height))
    try plan.blur(image, into: &result)
    return result
  }

  /// Plans a blur with the given number of threads, and returns the blurred image. All of these threads take
  /// part in the blur, even if the image is small.
  func blurredOnAll(_ image: Image, edge: EdgeMode? = nil, threads: Int) throws -> Image {
    let parameters = parameters(edge: edge)
    let plan = try BlurPlan(
      kernel.plan(parameters, for: image.layout, threads: threads), kernel, nil, for: image.layout,
      parameters, threads: threads, sharing: .always)
    var result = try Image(image.layout)
    try plan.blur(image, into: &result)
    return result
  }

  /// The number of threads to use: the largest number from 1 to 3 that the kernel supports.
  var threadsUpToThree: Int {
    get throws {
      let layout = try layout(64, 64)
      return [3, 2].first { kernel.planningError(of: parameters(), for: layout, threads: $0) == nil } ?? 1
    }
  }

  /// Returns whether the kernel supports at least one of the formats.
  func supports(_ formats: [PixelFormat]) throws -> Bool {
    try formats.contains { try accepts(subject.edge, ImageLayout($0, width: 64, height: 64)) }
  }

  /// Returns whether the kernel supports the edge mode.
  func supports(_ edge: EdgeMode) throws -> Bool { try accepts(edge, layout(64, 64)) }

  /// Returns whether the kernel refuses `sigma` as unsupported.
  func refuses(_ sigma: Sigma) throws -> Bool {
    let parameters = BlurParameters(sigma: sigma, edge: subject.edge, instructionSet: subject.instructionSet)
    if case .unsupported = kernel.planningError(of: parameters, for: try layout(64, 64)) { return true }
    return false
  }

  private func accepts(_ edge: EdgeMode, _ layout: ImageLayout) -> Bool {
    kernel.planningError(of: BlurParameters(sigma: subject.sigma, edge: edge), for: layout) == nil
  }

  /// Returns the largest allowed difference, in levels, between two results that would be equal in exact
  /// arithmetic, such as the blur of a flipped image and the flipped blur.
  ///
  /// The tolerance is one code value, or a small fraction of full scale if that is larger. It applies to
  /// images whose pixel values do not exceed full scale. The tolerance is not larger for a kernel that
  /// approximates the Gaussian, because its results must still agree with each other. Kernels that work on a
  /// grid of pixel blocks (``isOnGrid``) and recursive filters, whose tails extend beyond the window, may
  /// differ more.
  ///
  /// - Parameter ofTails: Whether the tails of recursive filters may contribute to the difference.
  /// - Throws: ``NotApplicable`` if the kernel promises nothing.
  func tolerance(ofTails: Bool = false) throws -> Double {
    try skipWithoutPromise()
    return toleranceOfAny(ofTails: ofTails)
  }

  /// Throws ``NotApplicable`` if the kernel promises nothing, or declares that it is not a Gaussian. Checks
  /// that judge the values of results do not apply to such a kernel.
  ///
  /// - Parameter measured: The error of the results. The report shows it, even though it is not judged.
  func skipWithoutPromise(_ measured: Finding? = nil) throws {
    guard kernel.promise.isEmpty else { return }
    let declaration = kernel.promise == .nothing ? "promises nothing" : "declares that it is not a Gaussian"
    throw NotApplicable("kernel \(kernel.name) \(declaration)", measured: measured)
  }

  /// The tolerance for blurs of flipped or transposed images. It applies even to kernels that promise
  /// nothing.
  var toleranceOfMirrors: Double { toleranceOfAny(ofTails: false) }

  private func toleranceOfAny(ofTails: Bool) -> Double {
    let share: Double =
      switch kernel.promise {
      case .exact: kernel.promise.bound(for: format) ?? 0
      case .approximation(let levels) where isOnGrid: 2 * levels
      case .approximation(let levels) where ofTails: min(levels, Self.levelsOfTails)
      case .approximation, .specification, .nothing, .notGaussian: Judge.specifiedShare * 255
      }
    return max(format.codeInLevels, share)
  }

  /// The largest allowed difference, in levels, that a recursive filter may cause because its weights at
  /// distances of more than six sigmas are not 0.
  private static let levelsOfTails = 0.25

  /// Whether results depend on a grid of pixel blocks that begins at the top left corner of the image. They
  /// do if the plan downsamples the image by a factor of 2 or more. A kernel that promises the Gaussian
  /// itself is an exception, because its promise limits the errors that the grid causes.
  ///
  /// If the image is flipped, the blocks contain different pixels, so the result changes. Blocks at the edge
  /// of the image may be incomplete. The pixels in these blocks get too little weight, so the mean of the
  /// image changes, too.
  var isOnGrid: Bool {
    guard !kernel.promise.isExact, let plan = try? plan(layout(64, 64)) else { return false }
    return plan.halvings > 0
  }

  /// Checks whether `result`, a blur of `image`, is as accurate as the kernel promises. If `rows` is given,
  /// only these rows are checked.
  ///
  /// - Parameter what: A description of the image, for messages.
  /// - Returns: The measured deviation.
  /// - Throws: ``Violation`` if the promise is broken.
  func judge(
    _ result: Image, of image: Image, sigma: Sigma? = nil, edge: EdgeMode? = nil, rows: [Int]? = nil,
    _ what: String
  ) throws -> Finding {
    let judge = known.judge(image, sigma ?? subject.sigma, edge ?? subject.edge, rows: rows)
    let judgement = result.withView { judge.judge($0, by: kernel) }
    if let violation = judgement.violation {
      throw Violation(
        "\(what): \(violation)", judgement.deviation, judge.failureImages(of: result, by: kernel))
    }
    return Finding(what, judgement.deviation)
  }

  /// Throws a violation unless `a` and `b` differ by at most `levels`. With 0 levels, all values must be
  /// equal, where 0 equals −0 and NaN equals NaN.
  ///
  /// - Parameters:
  ///   - source: The image that was blurred to get `a`. If the check fails, the picture of the failure shows
  ///     this image.
  ///   - cause: The kind of the failure, or nil if ``Property/fault`` describes it.
  func expectSame(
    _ a: Image, _ b: Image, within levels: Double = 0, of source: @autoclosure () throws -> Image? = nil,
    cause: String? = nil, _ what: String
  ) throws {
    if a == b { return }
    let deviation = Deviation.between(a, b)
    guard deviation.maxLevels > levels else { return }
    throw Violation(
      "\(what): \(deviation.off())", deviation,
      FailureImages(source: try source(), result: a, expected: b, around: deviation), cause: cause)
  }
}

/// The direction of a line of pixels: a row or a column.
enum Axis: CaseIterable { case across, down }

extension Sequence<Finding> {
  /// The finding with the largest deviation, or nil if there are no findings.
  var worst: Finding? { self.max { ($0.deviation?.maxLevels ?? 0) < ($1.deviation?.maxLevels ?? 0) } }
}

extension Image {
  /// Returns the image with left and right exchanged.
  func flippedAcross() throws -> Image { try rearranged(layout) { (layout.width - 1 - $0, $1) } }

  /// Returns the image with top and bottom exchanged.
  func flippedDown() throws -> Image { try rearranged(layout) { ($0, layout.height - 1 - $1) } }

  /// Returns the image with rows and columns exchanged.
  func transposed() throws -> Image {
    try rearranged(ImageLayout(layout.format, width: layout.height, height: layout.width)) { ($1, $0) }
  }

  /// Returns the pixels of a region as an image.
  func cropped(to region: Region) throws -> Image {
    try withView { try $0.cropped(to: region).image() }
  }
}

extension Sigma {
  /// The sigma with the values of both axes exchanged.
  var transposed: Sigma { get throws { try Sigma(x: y, y: x) } }
}

extension Int {
  /// Returns the smallest multiple of `block` that is not below this number.
  func roundedUp(toMultipleOf block: Int) -> Int { (self + block - 1) / block * block }
}
