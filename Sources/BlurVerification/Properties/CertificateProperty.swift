import Blur

extension Property {
  /// The promise, for all images at once.
  static let certificate = Property(
    "certificate", "keeps its promise for the worst of all images, by its weights for every pixel",
    // 16 is the largest sigma that lines of 256 pixels have an interior for; the next ones take eight times
    // as long.
    scope: Scope(sigmas: [1, 2.8, 16], edges: ["clamp", "mirror", "reflect", "wrap", "constant"])
  ) { test in
    // What only wide windows show, integer weights among it, is the same in all channels, edges and sets; 8
    // bits promise too little to show it, and are taken where the kernel has no others.
    let isWidest = test.subject.instructionSet == test.kernel.instructionSet(upTo: .best)
    let isPrecise = try test.format != .gray8 || !test.supports([.gray16, .grayf32])
    let isGray = try test.format.channels == 1 || !test.supports([.gray8, .gray16, .grayf32])
    let showsIt = isGray && isPrecise && isWidest
    if test.sigma.x > 8, test.subject.edge != .clamp || !showsIt {
      throw NotApplicable(
        "at large sigmas, precise gray with clamped edges and the widest vectors stands for all")
    }
    // `shapes` and `large` hold the other sets to their results.
    guard test.sigma.x <= 2 || isWidest else {
      throw NotApplicable("above sigma 2, the widest vectors stand for all")
    }
    try test.skipDefinition(ifSigmaAbove: 1)
    if test.kernel.isDefinition, test.format.channels > 1 {
      throw NotApplicable("kernel \(test.kernel.name) is the definition: gray stands for all")
    }
    let measured: Certificate
    do {
      measured = try Certificate.of(test.kernel, test.subject, isPrecise: false, limit: certificateLimit)
    } catch let obstacle as Certificate.Obstacle where !obstacle.isFailure {
      let remedy = if case .tooLong = obstacle { ": `blurbench certify --limit` allows it" } else { "" }
      throw NotApplicable(obstacle.description + remedy)
    }
    let deviation = measured.worst.map { Deviation(maxLevels: $0.levels, x: $0.x, y: $0.y) }
    let finding = Finding("worst case of any image", deviation, CertificateRow(measured))
    if let violation = measured.violation { throw Violation(finding.saying(violation)) }
    if let adversary = measured.adversary, let predicted = adversary.predicted, !adversary.agrees,
      test.kernel.promise != .nothing
    {
      throw Violation(
        finding.saying("the worst image is \(adversary.measured.inLevels) off, not \(predicted.inLevels)"))
    }
    if measured.linearity == .nonlinear { throw NotApplicable("kernel \(test.kernel.name) is not linear") }
    guard measured.worst != nil || measured.specified != nil else {
      throw NotApplicable(measured.note ?? "no certificate")
    }
    return finding
  }

  /// Seconds that one certificate may take within `verify`.
  private static let certificateLimit = 20.0
}
