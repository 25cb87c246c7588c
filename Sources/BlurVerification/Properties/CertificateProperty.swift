import Blur

extension Property {
  /// The promise, for all images at once.
  static let certificate = Property(
    "certificate", "keeps its promise for the worst of all images, by its weights for every pixel",
    scope: Scope(sigmas: [1, 2.8], edges: ["clamp", "mirror", "reflect", "wrap", "constant"])
  ) { trial in
    if case .nothing = trial.kernel.promise {
      throw NotApplicable("kernel \(trial.kernel.name) promises nothing")
    }
    let found: Certificate
    do {
      found = try Certificate.of(trial.kernel, trial.subject, isPrecise: false, limit: certificateLimit)
    } catch let refusal as Certificate.Refusal {
      throw NotApplicable(refusal.description)
    }
    let deviation = found.worst.map { Deviation(maxLevels: $0.levels, x: $0.x, y: $0.y) }
    if let breach = found.breach { throw Violation(breach, deviation) }
    if let adversary = found.adversary, let predicted = adversary.predicted, !adversary.agrees {
      throw Violation(
        "the worst image is \(adversary.measured.inLevels) off, not \(predicted.inLevels)",
        deviation)
    }
    if found.linearity == .nonlinear { throw NotApplicable("kernel \(trial.kernel.name) is not linear") }
    guard found.worst != nil || found.specified != nil else {
      throw NotApplicable(found.note ?? "no certificate")
    }
    return Finding("worst case of any image", deviation)
  }

  /// Seconds that one certificate may take within `verify`.
  private static let certificateLimit = 20.0
}
