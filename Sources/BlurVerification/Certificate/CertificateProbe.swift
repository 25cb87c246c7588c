import Blur

extension Certificate {
  /// Why a certificate is not made.
  public enum Refusal: Error, CustomStringConvertible {
    /// It would take more seconds than allowed.
    case tooLong(seconds: Double)
    /// The operator would not fit in memory.
    case tooLarge(sigma: Double)
    /// Rounding hides the weights.
    case tooSmall(sigma: Double)

    /// One line for a person.
    public var description: String {
      switch self {
      case .tooLong(let seconds): "the certificate would take about \(Int(seconds.rounded(.up))) s"
      case .tooLarge(let sigma):
        "the certificate for sigma \(sigma) needs too large images; certificates are made up to sigma 290"
      case .tooSmall(let sigma):
        "8 bits hide the weights of sigma \(sigma): certificates of 8-bit formats are made from sigma 0.5 on"
      }
    }
  }

  /// Certifies `kernel` for a format, sigma, edge mode and instruction set.
  ///
  /// - Parameters:
  ///   - isPrecise: whether 8-bit formats are measured on larger images, for a quarter of the uncertainty.
  ///   - limit: seconds it may take, by an estimate from one blur.
  /// - Throws: ``Refusal``, and ``Blur/BlurError`` for what the kernel refuses or fails at.
  public static func of(
    _ kernel: Kernel, _ subject: Subject, isPrecise: Bool = true, limit: Double = .infinity
  ) throws -> Certificate {
    let trial = Trial(kernel: kernel, subject: subject)
    return try CertificateProbe(trial, isPrecise: isPrecise).certificate(limit: limit)
  }
}

/// Measures a certificate.
struct CertificateProbe {
  let trial: Trial
  let side: Int

  static let largestSide = 4096
  static let least8BitSigma = 0.5
  /// What sums of some hundred terms in single precision may be off, in levels.
  static let floatRounding = 2e-6 * 255

  init(_ trial: Trial, isPrecise: Bool) throws {
    self.trial = trial
    let smallest = [trial.sigma.x, trial.sigma.y].filter { $0 > 0 }.min() ?? 1
    guard trial.format.component != .uint8 || smallest >= Self.least8BitSigma else {
      throw Certificate.Refusal.tooSmall(sigma: smallest)
    }
    let least = LineProbe.side(for: trial.sigma)
    let precise = least <= 256 ? max(256, 2 * least) : least
    side = isPrecise && trial.format.component == .uint8 ? precise : least
    guard side <= Self.largestSide else {
      throw Certificate.Refusal.tooLarge(sigma: max(trial.sigma.x, trial.sigma.y))
    }
  }

  private init(_ trial: Trial, side: Int) {
    self.trial = trial
    self.side = side
  }

  func certificate(limit: Double) throws -> Certificate {
    try expectQuick(limit)
    let found = try weights()
    let specified = specification.map { pair(found, wanted($0)) }
    return try certificate(pair(found, wanted(.gaussian)), specified)
  }

  /// After how many pixels the kernel repeats along both axes.
  private func periods() throws -> (x: Int, y: Int) {
    let pair = pair(try weights(), wanted(.gaussian))
    return (AxisFigures.period(of: pair.x), AxisFigures.period(of: pair.y))
  }

  private func certificate(_ pair: SeparablePair, _ specified: SeparablePair?) throws -> Certificate {
    let (kind, residual) = try LinearityTest(trial: trial, side: side)
      .classified((pair.x.found, pair.y.found))
    let period = (x: AxisFigures.period(of: pair.x), y: AxisFigures.period(of: pair.y))
    let found = try worst(pair, kind, period)
    return Certificate(
      kernel: trial.kernel, subject: trial.subject, side: side, linearity: kind, residual: residual,
      across: AxisFigures(pair.x, period: period.x, sigma: trial.sigma.x, edge: trial.subject.edge),
      down: AxisFigures(pair.y, period: period.y, sigma: trial.sigma.y, edge: trial.subject.edge),
      worst: found.worst, specified: kind == .separable ? specified?.worst(period: period) : nil,
      adversary: try adversary(found, pair, residual), note: found.note)
  }

  // MARK: Lines

  /// The outputs that no edge reaches, along rows and along columns.
  private var interiors: [Range<Int>] {
    [trial.reach.x, trial.reach.y].map { $0 + 1..<side - $0 - 1 }
  }

  /// A definition's operators.
  private func wanted(_ definition: Truth.Definition) -> [LineOperator] {
    [trial.sigma.x, trial.sigma.y].map {
      LineOperator(definition, sigma: $0, edge: trial.subject.edge, count: side)
    }
  }

  private typealias Weights = (found: LineOperator, noise: [Double])

  /// What is measured along rows and along columns, and how sure it is.
  private func weights() throws -> [Weights] {
    try zip(Axis.allCases, wanted(.gaussian)).map { axis, wanted in
      let probe = LineProbe(trial, axis, count: side)
      let found = try probe.measured()
      // Single precision is fine enough to show all weights there are, far ones too.
      guard probe.scale.isDithered else { return (found, [Double](repeating: 0, count: side)) }
      let noise = (0..<side).map { max(found.noise($0, outside: wanted), probe.expectedNoise) }
      return (found.cleaned(of: noise, least: probe.scale.leastWeight, outside: wanted), noise)
    }
  }

  private func pair(_ weights: [Weights], _ wanted: [LineOperator]) -> SeparablePair {
    let pairs = [0, 1].map {
      AxisPair(
        found: weights[$0].found, wanted: wanted[$0], interior: interiors[$0], noise: weights[$0].noise)
    }
    return SeparablePair(x: pairs[0], y: pairs[1])
  }

  /// The definition that the kernel promises, if it is not the Gaussian, and has weights.
  private var specification: Truth.Definition? {
    guard case .specification(let name) = trial.kernel.promise else { return nil }
    return Truth.Definition(specification: name).flatMap { $0.isLinear ? $0 : nil }
  }

  // MARK: The plane

  private typealias Found = (worst: WorstCase?, planar: PlanarResponses?, note: String?)

  private func worst(_ pair: SeparablePair, _ kind: Linearity, _ period: (x: Int, y: Int)) throws -> Found {
    switch kind {
    case .separable: return (pair.worst(period: period), nil, nil)
    case .nonlinear, .stateful: return (nil, nil, "no image is the worst: the kernel is \(kind.rawValue)")
    case .planar: break
    }
    guard trial.format.component != .float32 else { return try planarWorst(trial, period) }
    var subject = trial.subject
    subject.format = trial.format.channels == 4 ? .rgbaf32 : .grayf32
    let floating = Trial(kernel: trial.kernel, subject: subject)
    do {
      let found = try planarWorst(floating, CertificateProbe(floating, side: side).periods())
      return (found.worst, found.planar, found.note.map { "\($0); by the weights of \(subject.format)" })
    } catch BlurError.unsupported {
      return (nil, nil, "single impulses are lost to rounding in \(trial.format)")
    }
  }

  private func planarWorst(_ trial: Trial, _ period: (x: Int, y: Int)) throws -> Found {
    let planar = PlanarResponses(trial: trial, side: side, period: period)
    guard planar.impulses <= PlanarResponses.mostImpulses else {
      return (nil, nil, "the kernel repeats after \(planar.period) pixels only: too many impulses")
    }
    return (try planar.worst(), planar, "interior only: the kernel does not work by rows and columns")
  }

  /// Builds the worst image and blurs it; for a kernel that is not linear, the image that looks worst.
  private func adversary(
    _ found: Found, _ pair: SeparablePair, _ residual: Double
  ) throws -> Certificate.Adversary? {
    guard found.worst != nil || found.planar == nil else { return nil }
    let worst = found.worst ?? pair.worst(period: (1, 1))
    let isExcess = try found.planar?.excess(at: worst)
    let white = { (k: Int, l: Int) in
      (isExcess.map { $0[l * side + k] } ?? pair.isExcess(worst, k, l)) == worst.isBright
    }
    let full = trial.format.fullScale
    let image = try Image.painted(trial.layout(side, side)) { x, y, _ in white(x, y) ? full : 0 }
    let result = try trial.blurred(image)
    let truth = Truth.of(image, sigma: trial.sigma, edge: trial.subject.edge, rows: [worst.y])
    let i = worst.x * trial.format.channels
    let error = result.withView { $0.value(i, worst.y) } - truth.values[i]
    let byWeights = worst.isBright ? worst.levels : -worst.levels
    let predicted = found.planar == nil ? pair.predicted(worst, white) : byWeights
    return Certificate.Adversary(
      predicted: found.worst == nil ? nil : predicted, measured: error / full * 255,
      allowance: Self.floatRounding + worst.uncertainty + 2 * residual)
  }

  // MARK: Time

  /// Throws if all the blurs together would take longer than `limit` seconds.
  private func expectQuick(_ limit: Double) throws {
    let image = try trial.image(.noise, side, side)
    let plan = try trial.plan(image.layout)
    var result = try Image(image.layout)
    let clock = ContinuousClock()
    let blur = try clock.measure { try plan.blur(image, into: &result) } / .seconds(1)
    let painting = 1.5e-9 * Double(image.layout.rowComponents * side)
    let seconds = Double(2 * LineProbe(trial, .across, count: side).imageCount) * (blur + painting)
    if seconds > limit { throw Certificate.Refusal.tooLong(seconds: seconds) }
  }
}
