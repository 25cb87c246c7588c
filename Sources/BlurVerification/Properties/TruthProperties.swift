import Blur

extension Property {
  /// Checks that the results are as accurate as the kernel promises, on every test image and in all pixels,
  /// including the pixels at the edges.
  static let truth = Property(
    "truth", "keeps its promise on every test image, including the pixels at the edges",
    scope: Scope(sigmas: [0.3, 0.7, 1, 2.5, 5, 12])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    // If the windows are far larger than the image, a smaller image is just as good a test. It takes less
    // time for kernels that use direct convolution.
    let (width, height) = max(test.sigma.x, test.sigma.y) > 8 ? (23, 17) : (37, 29)
    let worst = try TestImage.allCases.map { kind in
      let image = try test.image(kind, width, height)
      return try test.judge(test.blurred(image), of: image, "image \(kind.rawValue)")
    }.worst
    try test.skipWithoutPromise(worst)
    return worst
  }

  /// Checks blurs with a different sigma for each axis. The kernel must use the right sigma for each axis,
  /// and must not blur along an axis whose sigma is 0.
  static let axes = Property(
    "axes", "blurs each axis with its own sigma, and leaves an axis with sigma 0 unchanged"
  ) { test in
    let (x, y) = (test.sigma.x, test.sigma.y)
    let image = try test.image(.noise, 31, 23)
    let pairs = [(x, y / 3), (x / 3, y), (x, y / 1.2), (x / 1.2, y), (x, 1.09 * y), (x, 0), (0, y)]
    let sigmas = try pairs.map { try Sigma(x: $0, y: $1) }
    // A kernel may refuse some of these pairs of sigmas, for example because it does not support sigma 0.
    // Only the supported pairs are checked. If there are none, the first pair is tried anyway, so that the
    // reason for the error is reported.
    let taken = try sigmas.filter { try !test.refuses($0) }
    return try (taken.isEmpty ? sigmas : taken).map { sigma in
      let name = "sigma \(sigma.x) across, \(sigma.y) down"
      let result = try test.blurred(image, sigma: sigma)
      let finding = try test.judge(result, of: image, sigma: sigma, name)
      let transposed = try test.blurred(image.transposed(), sigma: sigma.transposed).transposed()
      try test.expectSame(result, transposed, within: test.tolerance(), of: image, "\(name), transposed")
      return finding
    }.worst
  }

  /// Checks that sigma 0 copies the image.
  static let identity = Property("identity", "sigma 0 copies the image", scope: Scope(sigmas: [0])) { test in
    let image = try test.image(.extremes, 37, 29)
    try test.expectSame(test.blurred(image, sigma: Sigma(0)), image, of: image, "sigma 0")
    try test.expectRowsFinished(image, image, sigma: Sigma(0))
    return nil
  }
}
