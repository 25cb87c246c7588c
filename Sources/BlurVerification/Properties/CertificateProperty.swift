import Blur

extension Property {
  /// Checks the kernel's promise for all possible images at once. The check measures the weights that the
  /// kernel uses for each pixel, and computes from them the largest error that any image can cause.
  static let certificate = Property(
    "certificate", "keeps its promise for every possible image, as computed from its measured weights",
    // Sigma 16 is the largest sigma that can be certified with lines of 256 pixels, because there must be
    // pixels whose windows do not reach either end of the line. Larger sigmas need lines of at least 512
    // pixels, which takes eight times as long. The results of the narrower instruction sets are compared with
    // the results of the widest one by two other properties, `shapes` and `large`.
    scope: Scope(
      sigmas: [1, 2.8, 16], edges: ["clamp", "mirror", "reflect", "wrap", "constant"],
      includesNarrowSets: { _ in false })
  ) { test in
    // Sigmas above 2 are certified because some errors occur only in wide windows. Such errors are the same
    // in all channels, so it is enough to certify one gray format. A format with 16 bits is best, because
    // 8-bit rounding can hide such errors. The errors are also the same in all edge modes, so the slow
    // certificates for sigmas above 8 are made only with clamped edges.
    if test.sigma.x > 2 {
      let formats = [.gray16, .grayf32, .gray8] + PixelFormat.allCases
      guard test.sigma.x <= 8 || test.subject.edge == .clamp,
        try test.format == formats.first(where: { try test.supports([$0]) })
      else {
        throw NotApplicable(
          "above sigma 2, only one gray format is certified, and above sigma 8 only with clamped edges")
      }
    }
    try test.skipDefinition(ifSigmaAbove: 1)
    if test.kernel.isDefinition, test.format.channels > 1 {
      throw NotApplicable(
        "kernel \(test.kernel.name) is the plain definition, which is certified only in gray formats")
    }
    let measured: Certificate
    do {
      measured = try Certificate.of(test.kernel, test.subject, isPrecise: false, limit: certificateLimit)
    } catch let obstacle as Certificate.Obstacle where !obstacle.isFailure {
      let remedy =
        if case .tooLong = obstacle { "; `blurbench certify --limit SECONDS` allows more" } else { "" }
      throw NotApplicable(obstacle.description + remedy)
    }
    let deviation = measured.worst.map { Deviation(maxLevels: $0.levels, x: $0.x, y: $0.y) }
    let finding = Finding("worst case over all images", deviation, CertificateRow(measured))
    if let violation = measured.violation { throw Violation(finding.saying(violation)) }
    try test.skipWithoutPromise(finding)
    if let adversary = measured.adversary, let predicted = adversary.predicted, !adversary.agrees {
      throw Violation(
        finding.saying(
          "the worst-case image has an error of \(adversary.measured.inLevels), but the weights predict "
            + predicted.inLevels))
    }
    if measured.linearity == .nonlinear { throw NotApplicable("kernel \(test.kernel.name) is not linear") }
    guard measured.worst != nil || measured.specified != nil else {
      throw NotApplicable(measured.note ?? "no certificate")
    }
    return finding
  }

  /// The time in seconds that one certificate may take within `verify`.
  private static let certificateLimit = 20.0
}
