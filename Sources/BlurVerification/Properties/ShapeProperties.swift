import Blur

extension Property {
  /// Checks images of every width up to 130 pixels and every height up to 40 pixels.
  static let shapes = Property(
    "shapes",
    "keeps its promise on every image size up to 130x40, with inaccessible memory next to the rows",
    scope: Scope(
      sigmas: [0.3, 0.6, 1, 1.7, 2.5, 3.4, 5, 8, 12, 18, 50, 130],
      images: (1...130).flatMap { width in
        (1...40).map { SampleImage(kind: $0 % 3 == 0 ? .extremes : .noise, width: width, height: $0) }
      },
      drawnShare: 1.0 / 3, timeLimit: 1)
  ) { try $0.blursEveryWay() }

  /// Checks images with long lines or many pixels. Kernels divide such images into many blocks, or blur much
  /// coarser versions of them.
  static let large = Property(
    "large", "keeps its promise on images with long lines or many pixels, at any sigma",
    scope: Scope(sigmas: largeSigmas, images: largeImages, drawnShare: 1, timeLimit: 0.8)
  ) { try $0.blursEveryWay() }

  /// Checks images of one row or one column, which are difficult for a pyramid. A pyramid computes coarser
  /// versions (levels) of the image, and most pixels of these levels lie outside such a thin image. Edge
  /// modes that repeat the image amplify the rounding errors of these pixels.
  static let thin = Property(
    "thin", "keeps its promise on images of one row or one column, with every edge mode",
    scope: Scope(
      formats: [.gray8, .rgba16, .rgbaf32], sigmas: [12, 50],
      images: [(2040, 1), (1, 2040)].map { SampleImage(kind: .noise, width: $0, height: $1) })
  ) { try $0.blursEveryWay() }

  private static let largeSigmas: [Double] = [0, 1e-3, 0.5, 1, 2.5, 4.2, 7, 12, 20, 50, 130, 1000]

  private static let largeImages: [SampleImage] =
    [
      (513, 9), (9, 513), (2049, 5), (5, 2049), (4100, 3), (3, 4100), (300, 260), (211, 333), (141, 563),
      (700, 90), (90, 700), (1024, 33), (33, 1024), (70_000, 1), (1, 70_000),
    ].map { SampleImage(kind: .noise, width: $0, height: $1) }
}

extension KernelUnderTest {
  /// Blurs the subject's test image in several ways. The blur of the whole image is compared with three
  /// things: what the kernel promises, the blurs with other instruction sets, and the blur of a part of the
  /// image.
  func blursEveryWay() throws -> Finding { try resultOfEveryWay().finding }

  /// Blurs and compares in the same way as ``blursEveryWay()``, but also returns the image and its blur.
  func resultOfEveryWay() throws -> (finding: Finding, image: Image, result: Image) {
    let sample = try sample
    let layout = try layout(sample.width, sample.height)
    try expectAffordable(layout)
    // The plan is made before the test image, so that no time is spent on making the image if the kernel
    // refuses the conditions of the check.
    let plan = try plan(layout)
    let image = try image(sample.kind, sample.width, sample.height, seed: SampleImage.seed)
    let even = (sample.width + sample.height) % 2 == 0
    let source = try UnreadableFrame(image, even ? .after : .before)
    let target = try UnreadableFrame(format, sample.width, sample.height, even ? .after : .before)
    try plan.blur(source.view.readOnly, into: target.view)
    let result = try target.image()
    try expectUntouched(source.image(), image)
    let finding = try judgeQuickly(result, of: image)
    let known = known.otherResults(image, subject, thresholds, result)
    for other in try known.isEmpty ? resultsOfNarrowerSets(image) : known {
      try expectSame(
        result, other.result, within: tolerance(to: other.subject, image), of: image,
        "result with \(subject.instructionSet.name) compared with \(other.subject.instructionSet.name)")
    }
    if known.isEmpty { try expectIntegers(result, of: image) }
    try blursPart(image, of: result, even ? .before : .after)
    return (finding, image, result)
  }

  /// Throws a violation if the blur has changed its source.
  private func expectUntouched(_ source: Image, _ image: Image) throws {
    guard source != image else { return }
    let deviation = Deviation.between(source, image)
    throw Violation(
      "the kernel has changed its source image", nil,
      FailureImages(source: nil, result: source, expected: image, around: deviation),
      cause: "writes to its source")
  }

  /// Blurs the image with all narrower instruction sets, and returns the results. This is needed only if a
  /// check runs alone. In a run of several checks, the results of earlier checks are available instead.
  private func resultsOfNarrowerSets(_ image: Image) throws -> [SharedWork.SubjectResult] {
    let sets = kernel.instructionSets.filter(\.isAvailable).prefix { $0 != subject.instructionSet }
    return try sets.map { set in
      var other = self
      other.subject.instructionSet = set
      return (other.subject, try other.blurred(image))
    }
  }

  /// Checks a kernel that adds up integers: its result must have the same bits as the result of a plain
  /// implementation of these sums.
  private func expectIntegers(_ result: Image, of image: Image) throws {
    guard truthSteps(image.layout) < Self.quickSteps,
      let weights = try facts(image.layout).integerWeights
    else { return }
    let expected = try ScalarWindow(weights, subject.edge).blurred(image)
    try expectSame(
      result, expected, of: image, "result compared with a plain computation of the same integer sums")
  }

  /// Blurs a random region of the image with a ``PoisonedPlan``, and compares the result with the same region
  /// of `whole`. One in 16 blurs uses three threads, and all others use one. If the kernel does not support
  /// regions, the whole image is blurred.
  private func blursPart(_ image: Image, of whole: Image, _ side: UnreadableMemory.Side) throws {
    let layout = image.layout
    var random = SplitMix64(seed: UInt64(layout.width * 1009 + layout.height))
    var region = Self.region(of: layout, &random)
    let threads = random.next(below: 16) == 0 ? 3 : 1
    let hostile: (BlurPlan, PoisonedPlan)
    do {
      hostile = try hostilePlan(layout, region: region, threads: threads)
    } catch BlurError.unsupported {
      region = layout.bounds
      hostile = try hostilePlan(layout, threads: 1)
    }
    let (plan, surroundings) = hostile
    // Only the pixels that the plan declares in `reads` are in accessible memory. Reading any other pixel
    // ends the process.
    let source = try UnreadableFrame(image.cropped(to: plan.reads), side)
    let target = try UnreadableFrame(format, region.width, region.height, side)
    surroundings.spoilShared()
    // As soon as the kernel has finished a row, half of the bits in the row are inverted. Inverting these
    // bits once more after the blur gives the correct result, unless the kernel has changed or read a row
    // that it had already finished.
    try plan.blur(tile: source.view.readOnly, into: target.view, epilogue: ShuffledRows())
    ShuffledRows().finish(0..<region.height, in: target.view)
    try expectSame(
      target.image(), whole.cropped(to: region), within: regionTolerance(layout),
      of: image.cropped(to: region),
      "region \(region.width)x\(region.height)+\(region.x)+\(region.y), threads \(threads)")
  }

  /// Returns a random region of an image. One region in four is at a corner of the image.
  private static func region(of layout: ImageLayout, _ random: inout SplitMix64) -> Region {
    let (x, y) = (random.next(below: layout.width), random.next(below: layout.height))
    let width = 1 + random.next(below: layout.width - x)
    let height = 1 + random.next(below: layout.height - y)
    guard random.next(below: 4) == 0 else { return Region(x: x, y: y, width: width, height: height) }
    let (isRight, isLow) = (random.next(below: 2) == 1, random.next(below: 2) == 1)
    return Region(
      x: isRight ? layout.width - width : 0, y: isLow ? layout.height - height : 0, width: width,
      height: height)
  }

  /// Throws ``NotApplicable`` if the blur would take too long.
  ///
  /// The size limit is lower for approximations than for exact kernels, because approximations extend even
  /// short lines by a whole window. The plain definition of the blur adds up a two-dimensional window for
  /// each pixel, so it has its own limit.
  func expectAffordable(_ layout: ImageLayout) throws {
    let values = Double(layout.pixelCount * format.channels)
    let (x, y) = (Double(2 * radius.x + 1), Double(2 * radius.y + 1))
    let most = kernel.promise.isExact ? 4e9 : 5e8
    if values * (x + y) > most {
      throw NotApplicable("the combination of this image size and this sigma would take too long")
    }
    if kernel.isDefinition, values * x * y > 2e7 {
      throw NotApplicable(
        "kernel \(kernel.name) is the plain definition, which would take too long for this check")
    }
  }
}

extension KernelUnderTest {
  /// The number of multiplications that the reference implementation performs in about ten milliseconds.
  private static let quickSteps = 1e7

  /// Compares a result with what the kernel promises. If computing the correct result of the whole image
  /// would take a long time, only some rows or columns are compared, including the first and the last one. In
  /// that case, the middle of the image is checked differently: ``expectSameInPart(_:of:)`` compares it with
  /// a second result of the same kernel.
  func judgeQuickly(_ result: Image, of image: Image) throws -> Finding {
    if truthSteps(image.layout) > Self.quickSteps { try expectSameInPart(result, of: image) }
    return try judgeSome(result, of: image)
  }

  /// Compares a result with what the kernel promises. If computing the whole correct result would take long,
  /// only some rows or columns are compared.
  func judgeSome(_ result: Image, of image: Image) throws -> Finding {
    let share = Self.quickSteps / truthSteps(image.layout)
    guard share < 1 else { return try judge(result, of: image, "the whole image") }
    guard image.layout.width > 2 * image.layout.height else {
      return try judge(result, of: image, rows: Self.some(image.layout.height, share), "some rows")
    }
    // The reference implementation can compute only some rows of a result, but not only some columns. To
    // compare columns, the image is therefore transposed.
    let rows = Self.some(image.layout.width, share)
    var transposed = self
    transposed.subject.sigma = try sigma.transposed
    do {
      return try transposed.judge(
        result.transposed(), of: image.transposed(), rows: rows, "some rows of the transposed image"
      ).transposed
    } catch let violation as Violation { throw Violation(violation.finding.transposed) }
  }

  /// Returns the estimated number of operations for computing the correct result. It consists of all
  /// multiplications, and of three operations per weight to find the input pixel of the weight.
  private func truthSteps(_ layout: ImageLayout) -> Double {
    let (width, height) = (Double(layout.width), Double(layout.height))
    let (x, y) = (Double(2 * radius.x + 1), Double(2 * radius.y + 1))
    return width * height * Double(format.channels) * (min(x, width) + min(y, height))
      + 3 * (width * x + height * y)
  }

  /// Returns the indices of some rows, about the fraction `share` of all `count` rows. The rows come in pairs
  /// of neighbours. The first two and the last two rows are always included.
  private static func some(_ count: Int, _ share: Double) -> [Int] {
    var random = SplitMix64(seed: UInt64(count))
    let pairs = max(2, Int(share * Double(count) / 2))
    let inner = (0..<pairs).map { _ in random.next(below: count) }
    return Set(([0, count - 2] + inner).flatMap { [max(0, $0), min($0 + 1, count - 1)] }).sorted()
  }
}

extension Finding {
  /// A copy of the finding for the transposed image, in which rows and columns are exchanged.
  fileprivate var transposed: Finding {
    var copy = self
    copy.deviation = deviation?.transposed
    copy.images = images?.transposed
    return copy
  }
}

extension KernelUnderTest {
  /// Returns a plan, and the ``PoisonedPlan`` inside it, which runs the kernel under the worst conditions
  /// that are allowed, for example with scratch memory full of garbage. By default, all threads take part in
  /// every blur, even if the image is small.
  func hostilePlan(
    _ layout: ImageLayout, region: Region? = nil, threads: Int, delays: PoisonedPlan.Delays = .none,
    spoilsScratch: Bool = true, garbage: UInt8? = nil, gate: PhaseGate? = nil,
    sharing: ThreadSharing = .always
  ) throws -> (BlurPlan, PoisonedPlan) {
    let parameters = parameters(region: region)
    let hostile = try PoisonedPlan(
      kernel.plan(parameters, for: layout, threads: threads), of: kernel, threads: threads, delays: delays,
      hasNaN: (layout.width + layout.height) % 2 == 0, spoilsScratch: spoilsScratch, garbage: garbage,
      gate: gate)
    return (
      try BlurPlan(hostile, kernel, nil, for: layout, parameters, threads: threads, sharing: sharing),
      hostile
    )
  }

  /// Returns the sizes of images of a few rows or columns. Each image ends at a boundary between two of the
  /// kernel's blocks of work, or one pixel before or after such a boundary.
  func blockSizes() throws -> [(Int, Int)] {
    let columns = try facts(layout(4100, 3)).blockColumns
    let rows = try facts(layout(3, 1100)).blockRows
    var sizes: [(Int, Int)] = []
    for more in [-1, 0, 1] {
      if columns > 1 { sizes.append((columns + more, 3)) }
      if rows > 1 { sizes.append((3, 2 * rows + more)) }
    }
    return sizes
  }

  /// Returns the largest allowed difference, in levels, between the results of two instruction sets. The
  /// results must be equal if both plans state that they use the same arithmetic.
  private func tolerance(to other: Subject, _ image: Image) throws -> Double {
    let names = try [subject, other].map { try facts(image.layout, set: $0.instructionSet).arithmetic }
    return names[0] != nil && names[0] == names[1] ? 0 : toleranceOfSums(image)
  }

  /// Returns the largest allowed difference, in levels, between two results for which the same floating-point
  /// products were added up in a different order. Rounding errors grow with the values of the image, so if
  /// the largest value is above full scale, the allowed difference is multiplied by that value divided by
  /// full scale.
  func toleranceOfSums(_ image: Image) -> Double {
    2 * max(format.codeInLevels, sharePromised * 255) * max(1, image.largestMagnitude / format.fullScale)
  }

  /// The error that an exact kernel promises, as a fraction of full scale. For all other kernels, the value
  /// is a small tolerance for rounding errors.
  private var sharePromised: Double {
    kernel.promise.isExact ? (kernel.promise.bound(for: format) ?? 0) / 255 : Judge.specifiedShare
  }
}
