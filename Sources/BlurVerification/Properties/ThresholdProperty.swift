import Blur

extension Property {
  /// Checks that the thresholds of our kernels have no visible effect on the result. A threshold is a value,
  /// such as an image size, at which a kernel switches to a different method. For example, results above a
  /// certain size are written with non-temporal stores. Each threshold is set to an extreme value, so that
  /// small images are blurred in ways that are otherwise used only for large images, and vice versa.
  static let thresholds = Property(
    "thresholds",
    "keeps its promise with extreme thresholds, and gives the same bits unless the method changes",
    scope: Scope(
      sigmas: [0.7, 2.5, 5, 8, 12, 20, 50],
      images: [
        (1, 1), (3, 70), (5, 300), (70, 3), (37, 29), (64, 64), (131, 67), (300, 40), (40, 300), (257, 130),
        (90, 411), (640, 9),
      ].map { SampleImage(kind: .noise, width: $0, height: $1) },
      drawnShare: 1, timeLimit: 0.4)
  ) { test in
    guard test.isOurs else {
      throw NotApplicable("only kernels of this library have thresholds that can be set")
    }
    try test.skipDefinition(ifSigmaAbove: 2.5)
    return try test.differentWays().map { try test.blurs(with: $0) }.worst
  }
}

extension KernelUnderTest {
  /// Returns sets of thresholds with which the kernel uses different methods. The results of these methods
  /// may differ, as far as the kernel's promise allows. If the kernel makes equal plans for several sets,
  /// only the first of these sets is returned.
  fileprivate func differentWays() throws -> [Thresholds] {
    let sample = try sample
    let layout = try layout(sample.width, sample.height)
    var (ways, known): ([Thresholds], [PlanFacts]) = ([], [])
    func add(_ change: (inout Thresholds) -> Void) throws {
      var test = self
      change(&test.thresholds)
      let facts = try test.facts(layout)
      if known.contains(facts) { return }
      ways.append(test.thresholds)
      known.append(facts)
    }
    try add { _ in }
    try add { $0.cosineBlock = 32 }
    for usesCosines in [false, true] { try add { ($0.levels, $0.usesCosines) = (0, usesCosines) } }
    // On the smallest level of a pyramid, sigma must be at least 1.5 of the level's pixels. This limits the
    // number of levels, so larger numbers are not tried.
    for levels in 1...9 where min(sigma.x, sigma.y) >= 1.5 * Double(1 << levels) {
      try add { $0.levels = levels }
      for folds in [false, true] { try add { ($0.levels, $0.foldsWindows) = (levels, folds) } }
    }
    return ways
  }

  /// Checks the kernel's promise with the given thresholds. The thresholds for non-temporal stores, rolling
  /// buffers, copied columns and threads must not change any bit of the result. To check this, the image is
  /// first blurred with the smallest values of these thresholds. It is then blurred again on 3 threads, both
  /// with infinite and with the smallest values, and the results must be equal.
  fileprivate func blurs(with thresholds: Thresholds) throws -> Finding {
    var least = self
    least.thresholds = thresholds
    (least.thresholds.streamedBytes, least.thresholds.rollingBytes) = (0, 0)
    (least.thresholds.copiedColumns, least.thresholds.sharing, least.thresholds.waking) = (1, 0, 0)
    let (finding, image, expected) = try least.resultOfEveryWay()
    var most = least
    (most.thresholds.streamedBytes, most.thresholds.rollingBytes) = (.max, .max)
    (most.thresholds.copiedColumns, most.thresholds.waking) = (1 << 40, .infinity)
    try expectSame(
      most.blurred(image, threads: 3), expected, of: image,
      "result with infinite thresholds on 3 threads, compared with thresholds of zero")
    most.thresholds.sharing = .infinity
    try expectSame(
      most.blurred(image, threads: 3), expected, of: image,
      "result with infinite thresholds, blurred by one of 3 threads, compared with thresholds of zero")
    try expectSame(
      least.blurred(image, threads: 3), expected, of: image,
      "result on 3 threads with thresholds of zero, compared with one thread")
    return finding
  }
}
