import Blur

extension Certificate {
  /// Why a certificate is not made.
  public enum Obstacle: Error, CustomStringConvertible {
    /// It would take more seconds than allowed.
    case tooLong(seconds: Double)
    /// The operator would not fit in memory.
    case tooLarge(sigma: Double)
    /// Rounding hides the weights.
    case tooSmall(sigma: Double)
    /// A blur of finite values gave others.
    case notFinite

    /// Whether it is the kernel's fault.
    public var isFailure: Bool { if case .notFinite = self { true } else { false } }

    /// One line of text.
    public var description: String {
      switch self {
      case .tooLong(let seconds): "the certificate would take about \(Int(seconds.rounded(.up))) s"
      case .tooLarge(let sigma):
        "the certificate for sigma \(sigma) needs too large images; certificates are made up to sigma 290"
      case .tooSmall(let sigma):
        "8 bits hide the weights of sigma \(sigma): certificates of 8-bit formats are made from sigma 0.5 on"
      case .notFinite: "a blur gives NaN or infinity: nothing can be certified"
      }
    }
  }

  /// Certifies `kernel` for a format, sigma, edge mode and instruction set.
  ///
  /// - Parameters:
  ///   - isPrecise: whether 8-bit formats are measured on larger images, for a quarter of the uncertainty.
  ///   - limit: seconds it may take, by an estimate from one blur.
  /// - Throws: ``Obstacle``, and ``Blur/BlurError`` for what the kernel refuses or fails at.
  public static func of(
    _ kernel: Kernel, _ subject: Subject, isPrecise: Bool = true, limit: Double = .infinity
  ) throws -> Certificate {
    let test = KernelUnderTest(kernel: kernel, subject: subject)
    return try CertificateProbe(test, isPrecise: isPrecise).certificate(limit: limit)
  }
}

/// Measures a certificate.
struct CertificateProbe {
  let test: KernelUnderTest
  let side: Int

  static let largestSide = 4096
  static let least8BitSigma = 0.5
  /// What sums of some hundred terms in single precision may be off, in levels.
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

  /// After how many pixels the kernel repeats along both axes.
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

  // MARK: Lines

  /// The outputs that no edge reaches, along rows and along columns.
  private var interiors: [Range<Int>] {
    [test.radius.x, test.radius.y].map { $0 + 1..<side - $0 - 1 }
  }

  /// A definition's operators.
  private func reference(_ definition: Truth.Definition) -> [LineOperator] {
    [test.sigma.x, test.sigma.y].map {
      LineOperator(definition, sigma: $0, edge: test.subject.edge, count: side)
    }
  }

  private typealias Weights = (measured: LineOperator, noise: [Double])

  /// What is measured along rows and along columns, and how sure it is.
  private func weights() throws -> [Weights] {
    try zip(Axis.allCases, reference(.gaussian)).map { axis, reference in
      let probe = LineProbe(test, axis, count: side)
      let measured = try probe.measured()
      guard measured.weights.allSatisfy(\.isFinite) else { throw Certificate.Obstacle.notFinite }
      // Single precision is fine enough to show all weights there are, far ones too.
      guard probe.scale.isDithered else { return (measured, [Double](repeating: 0, count: side)) }
      let noise = (0..<side).map { max(measured.noise($0, outside: reference), probe.expectedNoise) }
      return (measured.cleaned(of: noise, least: probe.scale.leastWeight, outside: reference), noise)
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

  /// The definition that the kernel promises, if it is not the Gaussian, and has weights.
  private var specification: Truth.Definition? {
    guard case .specification(let name) = test.kernel.promise else { return nil }
    return Truth.Definition(specification: name).flatMap { $0.isLinear ? $0 : nil }
  }

  // MARK: The plane

  private typealias PlanarResult = (worst: WorstCase?, planar: PlanarResponses?, note: String?)

  private func worst(_ pair: SeparablePair, _ kind: Linearity, _ period: (x: Int, y: Int)) throws
    -> PlanarResult
  {
    switch kind {
    case .separable: return (pair.worst(period: period), nil, nil)
    case .nonlinear, .stateful: return (nil, nil, "no image is the worst: the kernel is \(kind.rawValue)")
    case .planar: break
    }
    guard test.format.component != .float32 else { return try planarWorst(test, period) }
    var subject = test.subject
    subject.format = test.format.with(.float32)
    let floating = KernelUnderTest(kernel: test.kernel, subject: subject)
    do {
      let result = try planarWorst(floating, CertificateProbe(floating, side: side).periods())
      return (result.worst, result.planar, result.note.map { "\($0); by the weights of \(subject.format)" })
    } catch BlurError.unsupported {
      return (nil, nil, "single impulses are lost to rounding in \(test.format)")
    }
  }

  private func planarWorst(_ test: KernelUnderTest, _ period: (x: Int, y: Int)) throws -> PlanarResult {
    let planar = PlanarResponses(test: test, side: side, period: period)
    guard planar.impulses <= PlanarResponses.mostImpulses else {
      return (nil, nil, "the kernel repeats after \(planar.period) pixels only: too many impulses")
    }
    return (try planar.worst(), planar, "interior only: the kernel does not work by rows and columns")
  }

  /// Builds the worst image and blurs it; for a kernel that is not linear, the image that looks worst.
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
    // Of the channels the one that differs most from what weights predict: they are those of the first.
    let measured = errors.max { abs($0 - predicted) < abs($1 - predicted) } ?? errors[0]
    guard measured.isFinite else { throw Certificate.Obstacle.notFinite }
    return Certificate.Adversary(
      predicted: weights.worst == nil ? nil : predicted, measured: measured,
      allowance: Self.floatRounding + worst.uncertainty + 2 * residual)
  }

  // MARK: Time

  /// Throws if all the blurs together would take longer than `limit` seconds: first by a few rows, for a
  /// whole blur may take long itself.
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
