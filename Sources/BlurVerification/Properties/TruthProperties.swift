import Blur

extension Property {
  /// The promise, edges included, on every test image.
  static let truth = Property(
    "truth", "keeps its promise on every test image, up to the edges",
    scope: Scope(sigmas: [0.3, 0.7, 1, 2.5, 5, 12])
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 2.5)
    // Windows far larger than the image are as good a test on a smaller one, and direct convolution is slow.
    let (width, height) = max(test.sigma.x, test.sigma.y) > 8 ? (23, 17) : (37, 29)
    return try TestImage.allCases.map { kind in
      let image = try test.image(kind, width, height)
      return try test.judge(test.blurred(image), of: image, "image \(kind.rawValue)")
    }.worst
  }

  /// Sigma by axis: the right axis gets the right one, and 0 leaves an axis as it is.
  static let axes = Property("axes", "a sigma for each axis, 0 among them, blurs that axis") { test in
    let (x, y) = (test.sigma.x, test.sigma.y)
    let image = try test.image(.noise, 31, 23)
    let pairs = [(x, y / 3), (x / 3, y), (x, y / 1.2), (x / 1.2, y), (x, 1.09 * y), (x, 0), (0, y)]
    let sigmas = try pairs.map { try Sigma(x: $0, y: $1) }
    // A kernel may refuse small sigmas, or 0; where it refuses all pairs, the first says why.
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

  /// Sigma 0 copies.
  static let identity = Property("identity", "sigma 0 gives the image itself", scope: Scope(sigmas: [0])) {
    test in
    let image = try test.image(.extremes, 37, 29)
    try test.expectSame(test.blurred(image, sigma: Sigma(0)), image, of: image, "sigma 0")
    try test.expectRowsFinished(image, image, sigma: Sigma(0))
    return nil
  }
}
