import Blur

extension Certificate {
  /// The reasons why a certificate cannot be made.
  public enum Obstacle: Error, CustomStringConvertible {
    /// Making the certificate would take longer than the limit. The value is the estimated time in seconds.
    case tooLong(seconds: Double)
    /// The sigma is so large that the kernel's weights could only be measured on images of more than 4096
    /// pixels per side, which would take too much memory.
    case tooLarge(sigma: Double)
    /// The sigma is so small that 8-bit rounding hides the weights.
    case tooSmall(sigma: Double)
    /// The kernel has returned NaN or infinity for an image in which all values are finite.
    case notFinite

    /// A Boolean value that indicates whether the kernel itself is to blame for the obstacle.
    public var isFailure: Bool { if case .notFinite = self { true } else { false } }

    /// The reason why there is no certificate, as one line of text.
    public var description: String {
      switch self {
      case .tooLong(let seconds): "the certificate would take about \(Int(seconds.rounded(.up))) s"
      case .tooLarge(let sigma):
        "the certificate for sigma \(sigma) would need images that are too large; the largest possible sigma "
          + "is about 290"
      case .tooSmall(let sigma):
        "rounding to 8 bits hides the weights of sigma \(sigma); the smallest sigma that can be certified in "
          + "8-bit formats is 0.5"
      case .notFinite: "the blur of a finite image contains NaN or infinity, so there is no certificate"
      }
    }
  }

  /// Measures `kernel` for a format, sigma, edge mode and instruction set, and makes its certificate.
  ///
  /// - Parameters:
  ///   - isPrecise: Whether 8-bit formats are measured on larger images, which reduces the uncertainty of the
  ///     result to about a quarter.
  ///   - limit: The time in seconds that the certificate may take. The time is estimated from one blur.
  /// - Throws: ``Obstacle`` if no certificate can be made, and ``Blur/BlurError`` if the kernel fails or does
  ///   not support the format, sigma, edge mode or instruction set.
  public static func of(
    _ kernel: Kernel, _ subject: Subject, isPrecise: Bool = true, limit: Double = .infinity
  ) throws -> Certificate {
    let test = KernelUnderTest(kernel: kernel, subject: subject)
    return try CertificateProbe(test, isPrecise: isPrecise).certificate(limit: limit)
  }
}

/// Measures the weights of a kernel and computes its certificate from them.
private struct CertificateProbe {
  let test: KernelUnderTest
  let side: Int

  static let largestSide = 4096
  static let least8BitSigma = 0.5
  /// The largest rounding error, in levels, that occurs when a few hundred terms are added up in single
  /// precision.
  static let floatRounding = 2e-6 * 255

  init(_ test: KernelUnderTest, isPrecise: Bool) throws {
    self.test = test
    let smallest = [test.sigma.x, test.sigma.y].filter { $0 > 0 }.min() ?? 1
    guard test.format.component != .uint8 || smallest >= Self.least8BitSigma else {
      throw Certificate.Obstacle.tooSmall(sigma: smallest)
    }
    let least = LineProbe.side(for: test.sigma)
    let precise = least <= 256 ? max(256, 2 * least) : least
    side = isPrecise && test.format.component == .uint8 ? precise : least
    guard side <= Self.largestSide else {
      throw Certificate.Obstacle.tooLarge(sigma: max(test.sigma.x, test.sigma.y))
    }
  }

  private init(_ test: KernelUnderTest, side: Int) {
    self.test = test
    self.side = side
  }

  func certificate(limit: Double) throws -> Certificate {
    try expectQuick(limit)
    let measured = try weights()
    let specified = specification.map { pair(measured, reference($0)) }
    return try certificate(pair(measured, reference(.gaussian)), specified)
  }

  /// Returns the number of pixels after which the kernel's weights repeat, along rows and along columns.
  private func periods() throws -> (x: Int, y: Int) {
    let pair = pair(try weights(), reference(.gaussian))
    return (AxisFigures.period(of: pair.x), AxisFigures.period(of: pair.y))
  }

  private func certificate(_ pair: SeparablePair, _ specified: SeparablePair?) throws -> Certificate {
    let (kind, residual) = try LinearityTest(test: test, side: side)
      .classified((pair.x.measured, pair.y.measured))
    guard residual.isFinite else { throw Certificate.Obstacle.notFinite }
    let period = (x: AxisFigures.period(of: pair.x), y: AxisFigures.period(of: pair.y))
    let result = try worst(pair, kind, period)
    return Certificate(
      kernel: test.kernel, subject: test.subject, side: side, linearity: kind, residual: residual,
      across: AxisFigures(pair.x, period: period.x, sigma: test.sigma.x, edge: test.subject.edge),
      down: AxisFigures(pair.y, period: period.y, sigma: test.sigma.y, edge: test.subject.edge),
      worst: result.worst, specified: kind == .separable ? specified?.worst(period: period) : nil,
      adversary: try adversary(result, pair, residual), note: result.note)
  }

  // MARK: Weights along rows and columns

  /// The ranges of output pixels, along a row and along a column, whose Gaussian windows do not reach beyond
  /// the image.
  private var interiors: [Range<Int>] {
    [test.radius.x, test.radius.y].map { $0 + 1..<side - $0 - 1 }
  }

  /// Returns the exact weights that a blur definition prescribes: one matrix for blurring along rows, and one
  /// for blurring along columns.
  private func reference(_ definition: Truth.Definition) -> [LineOperator] {
    [test.sigma.x, test.sigma.y].map {
      LineOperator(definition, sigma: $0, edge: test.subject.edge, count: side)
    }
  }

  private typealias Weights = (measured: LineOperator, noise: [Double])

  /// Measures the kernel's weights along rows and along columns. In the result, `noise` holds the typical
  /// error of the measured weights of each output pixel.
  private func weights() throws -> [Weights] {
    try zip(Axis.allCases, reference(.gaussian)).map { axis, reference in
      let probe = LineProbe(test, axis, count: side)
      let measured = try probe.measured()
      guard measured.weights.allSatisfy(\.isFinite) else { throw Certificate.Obstacle.notFinite }
      // In float formats, the results are precise enough to measure even very small weights. The noise is
      // therefore set to 0, so that no small weight is mistaken for noise and discarded.
      guard probe.isDithered else { return (measured, [Double](repeating: 0, count: side)) }
      let noise = (0..<side).map { max(measured.noise($0, outside: reference), probe.expectedNoise) }
      return (measured.cleaned(of: noise, least: probe.leastWeight, outside: reference), noise)
    }
  }

  private func pair(_ weights: [Weights], _ reference: [LineOperator]) -> SeparablePair {
    let pairs = [0, 1].map {
      AxisPair(
        measured: weights[$0].measured, reference: reference[$0], interior: interiors[$0],
        noise: weights[$0].noise)
    }
    return SeparablePair(x: pairs[0], y: pairs[1])
  }

  /// The blur definition that the kernel promises to equal. It is nil if the kernel does not promise this, or
  /// if the definition is unknown or cannot be described by weights.
  private var specification: Truth.Definition? {
    guard case .specification(let name) = test.kernel.promise else { return nil }
    return Truth.Definition(specification: name).flatMap { $0.isLinear ? $0 : nil }
  }

  // MARK: The worst-case image

  private typealias PlanarResult = (worst: WorstCase?, planar: PlanarResponses?, note: String?)

  private func worst(_ pair: SeparablePair, _ kind: Linearity, _ period: (x: Int, y: Int)) throws
    -> PlanarResult
  {
    switch kind {
    case .separable: return (pair.worst(period: period), nil, nil)
    case .nonlinear, .stateful:
      return (nil, nil, "there is no worst-case image, because the kernel is \(kind.rawValue)")
    case .planar: break
    }
    guard test.format.component != .float32 else { return try planarWorst(test, period) }
    var subject = test.subject
    subject.format = test.format.with(.float32)
    let floating = KernelUnderTest(kernel: test.kernel, subject: subject)
    do {
      let result = try planarWorst(floating, CertificateProbe(floating, side: side).periods())
      return (
        result.worst, result.planar,
        result.note.map { "\($0); the weights were measured in format \(subject.format)" }
      )
    } catch BlurError.unsupported {
      return (nil, nil, "rounding hides single impulses in format \(test.format)")
    }
  }

  private func planarWorst(_ test: KernelUnderTest, _ period: (x: Int, y: Int)) throws -> PlanarResult {
    let planar = PlanarResponses(test: test, side: side, period: period)
    guard planar.impulses <= PlanarResponses.mostImpulses else {
      return (
        nil, nil,
        "too many impulses would be needed, because the weights repeat only after \(planar.period) pixels"
      )
    }
    return (
      try planar.worst(), planar,
      "only the interior was certified, because the kernel does not work by rows and columns"
    )
  }

  /// Builds the worst-case image from the measured weights, and blurs it to measure the actual error.
  private func adversary(
    _ weights: PlanarResult, _ pair: SeparablePair, _ residual: Double
  ) throws -> Certificate.Adversary? {
    guard weights.worst != nil || weights.planar == nil else { return nil }
    let worst = weights.worst ?? pair.worst(period: (1, 1))
    let isExcess = try weights.planar?.excess(at: worst)
    let white = { (k: Int, l: Int) in
      (isExcess.map { $0[l * side + k] } ?? pair.isExcess(worst, k, l)) == worst.isBright
    }
    let full = test.format.fullScale
    let image = try Image.painted(test.layout(side, side)) { x, y, _ in white(x, y) ? full : 0 }
    let result = try test.blurred(image)
    let truth = Truth.of(image, sigma: test.sigma, edge: test.subject.edge, rows: [worst.y])
    let pixel = worst.x * test.format.channels..<(worst.x + 1) * test.format.channels
    let errors = result.withView { view in
      pixel.map { (view.value($0, worst.y) - truth.values[$0]) / full * 255 }
    }
    let byWeights = worst.isBright ? worst.levels : -worst.levels
    let predicted = weights.planar == nil ? pair.predicted(worst, white) : byWeights
    // The prediction assumes that the kernel blurs all channels alike. A kernel might blur one channel
    // differently, so the measured error is taken from the channel that deviates most from the prediction.
    let measured = errors.max { abs($0 - predicted) < abs($1 - predicted) } ?? errors[0]
    guard measured.isFinite else { throw Certificate.Obstacle.notFinite }
    return Certificate.Adversary(
      predicted: weights.worst == nil ? nil : predicted, measured: measured,
      allowance: Self.floatRounding + worst.uncertainty + 2 * residual)
  }

  // MARK: Time

  /// Throws ``Certificate/Obstacle/tooLong(seconds:)`` if the certificate would take longer than `limit`
  /// seconds. The time is estimated from one blur. Because even one blur of a whole image may take long, a
  /// few rows are timed first.
  private func expectQuick(_ limit: Double) throws {
    let count = Double(2 * LineProbe(test, .across, count: side).imageCount)
    for rows in [min(16, side), side] {
      let image = try test.image(.noise, side, rows)
      let plan = try test.plan(image.layout)
      var result = try Image(image.layout)
      let blur = try ContinuousClock().measure { try plan.blur(image, into: &result) } / .seconds(1)
      let seconds = count * (blur + 1.5e-9 * Double(image.layout.rowComponents * rows))
      if seconds > limit { throw Certificate.Obstacle.tooLong(seconds: seconds * Double(side / rows)) }
    }
  }
}
