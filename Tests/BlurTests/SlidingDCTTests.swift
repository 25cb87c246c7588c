import Testing

@testable import Blur

@Suite("Sliding DCT")
struct SlidingDCTTests {
  static let accuracies = Accuracy.allCases

  @Test("Windows are close to the Gaussian, are nowhere negative, and sum to 1", arguments: [3, 4, 7])
  func windows(cosines: Int) {
    for sigma in [0.1, 0.5, 0.9, 1.5, 2, 2.7, 6, 31, 200] {
      let window = CosineWindow(sigma: sigma, cosines: cosines)
      let weights = (-window.radius...window.radius).map { n in
        window.weights.enumerated().reduce(1 / Double(window.length)) {
          $0 + $1.element * Self.cosine(window.angle($1.offset + 1) * Double(n))
        }
      }
      #expect(weights.allSatisfy { $0 > -1e-9 }, "sigma \(sigma)")
      #expect(abs(weights.reduce(0, +) - 1) < 1e-9, "sigma \(sigma)")
      let gaussian = GaussianTaps(sigma: sigma, tail: 0)
      let reach = max(gaussian.radius, window.radius)
      let differences = (-reach...reach).map { n in
        let truth = abs(n) <= gaussian.radius ? gaussian.half[abs(n)] : 0
        return abs(truth - (abs(n) <= window.radius ? weights[n + window.radius] : 0))
      }
      #expect(abs(differences.reduce(0, +) / 2 - window.error) < 1e-9, "sigma \(sigma)")
    }
  }

  /// Compares the search, which stops as soon as the error grows, with all radii that it could have tried.
  @Test("No other radius gives a smaller error", arguments: [3, 4, 7])
  func bestRadius(cosines: Int) {
    for sigma in [0.5, 0.9, 1.3, 1.7, 2.3, 2.9, 4.1, 6, 9.7, 17] {
      let gaussian = GaussianTaps(sigma: sigma, tail: 0).half
      let narrowest = (1.8 + 0.4 * Double(cosines)) * sigma
      let radii = Int(narrowest)...max(Int(narrowest), Int((narrowest + 0.6 * sigma).rounded(.up)))
      let errors = radii.compactMap { Self.error(gaussian, radius: $0, cosines: cosines) }
      guard let least = errors.min() else { continue }
      let window = CosineWindow(sigma: sigma, cosines: cosines)
      #expect(abs(window.error - least) < 1e-12, "sigma \(sigma): \(window.error), \(least)")
    }
  }

  /// Returns the error of the best window with this radius, or nil if one of its weights is negative.
  private static func error(_ gaussian: [Double], radius: Int, cosines: Int) -> Double? {
    func tap(_ n: Int) -> Double { abs(n) < gaussian.count ? gaussian[abs(n)] : 0 }
    let (taps, length) = (-radius...radius, Double(2 * radius + 1))
    func angle(_ k: Int, _ n: Int) -> Double { cosine(2 * .pi * Double(k) * Double(n) / length) }
    let sum = taps.reduce(0) { $0 + tap($1) }
    let weights = (1...cosines).map { k in
      k > radius ? 0 : taps.reduce(0) { $0 + 2 / length * tap($1) / sum * angle(k, $1) }
    }
    let window = taps.map { n in (1...cosines).reduce(1 / length) { $0 + weights[$1 - 1] * angle($1, n) } }
    guard window.allSatisfy({ $0 > -1e-12 }) else { return nil }
    let outside = 2 * gaussian.dropFirst(radius + 1).reduce(0, +)
    return (zip(taps, window).reduce(outside) { $0 + abs($1.1 - tap($1.0)) }) / 2
  }

  @Test("For every sigma there is a window whose error leaves enough for rounding", arguments: accuracies)
  func everySigma(accuracy: Accuracy) throws {
    let sigmas = stride(from: 0, to: 12, by: 0.07).map { $0 } + [17, 33.3, 90, 271, 999, 1000]
    for format in [PixelFormat.gray8, .gray16] {
      let share = accuracy.share(for: format)
      for sigma in sigmas {
        let axis = try SlidingAxis(sigma: sigma, share: share, format)
        #expect(2 * axis.window.error <= 0.7 * share, "sigma \(sigma)")
      }
    }
  }

  /// Any symmetric window preserves the values of a ramp. In single precision, the running sums of a ramp
  /// drift more than those of other images, because every addition is rounded in the same direction.
  @Test("Rows and columns of 30,000 pixels do not drift", arguments: accuracies, [2.5, 20, 300])
  func longLines(accuracy: Accuracy, sigma: Double) throws {
    let count = 30_000
    let allowed = accuracy == .fine ? 1e-6 : 2.5e-4
    for (width, height) in [(count, 1), (1, count)] {
      let ramp = try GrayImages.painted(width, height) { x, y in Float(max(x, y)) / Float(count) }
      let values = GrayImages.values(try Self.blurred(ramp, accuracy, sigma: Sigma(sigma)))
      let reach = Int(6 * sigma)
      let worst = (reach..<count - reach).map { abs(Double(values[$0]) - Double($0) / Double(count)) }.max()!
      #expect(worst < allowed, "\(width)x\(height): \(worst)")
    }
  }

  @Test("A region has the same bits as the whole", arguments: accuracies, InstructionSet.available)
  func region(accuracy: Accuracy, set: InstructionSet) throws {
    // The image is wider than one block of columns, and is high enough for several blocks of rows.
    let image = try GrayImages.noise(2500, 1100, seed: 1)
    let sigma = try Sigma(x: 9, y: 4)
    let whole = GrayImages.values(try Self.blurred(image, accuracy, sigma: sigma, set: set, threads: 2))
    for region in [
      Region(x: 1999, y: 530, width: 100, height: 41), Region(x: 2100, y: 301, width: 17, height: 300),
      Region(x: 0, y: 1099, width: 2500, height: 1), Region(x: 2047, y: 0, width: 2, height: 1100),
    ] {
      let part = GrayImages.values(
        try Self.blurred(image, accuracy, sigma: sigma, set: set, region: region, threads: 3))
      let rows = region.rows.map { y in Array(whole[y * 2500 + region.x..<y * 2500 + region.x + region.width])
      }
      let expected = Array(rows.joined())
      #expect(part == expected, "\(region)")
    }
  }

  @Test("NaN and infinities spoil the pixels in their window, and no others", arguments: accuracies)
  func spoiled(accuracy: Accuracy) throws {
    let sigma = try Sigma(x: 3, y: 2)
    let clean = try GrayImages.noise(300, 280, seed: 1)
    let expected = GrayImages.values(try Self.blurred(clean, accuracy, sigma: sigma))
    let across = try SlidingAxis(sigma: sigma.x, share: accuracy.share(for: .grayf32), .grayf32).window.radius
    let down = try SlidingAxis(sigma: sigma.y, share: accuracy.share(for: .grayf32), .grayf32).window.radius
    for value in [Float.nan, .infinity, -.infinity] {
      var image = clean
      // Two pixels of the image are set to this NaN or infinite value. The filter slides a window down the
      // column, and the second pixel enters the window exactly when the first one leaves it.
      let places = [(x: 120, y: 60), (x: 120, y: 60 + 2 * down + 1)]
      image.withMutableView { view in
        for place in places { view.unsafeRow(place.y).setComponent(place.x, to: value) }
      }
      let found = GrayImages.values(try Self.blurred(image, accuracy, sigma: sigma))
      let changed = found.indices.filter { i in
        let isReached = places.contains { abs(i % 300 - $0.x) <= across && abs(i / 300 - $0.y) <= down }
        // A NaN or infinite pixel also changes how later running sums are rounded. So even the pixels that it
        // cannot reach may differ a little.
        return isReached ? !found[i].isNaN : !(abs(found[i] - expected[i]) < 2e-6)
      }
      #expect(changed.isEmpty, "\(value): \(changed.count) values, first \(changed.first ?? 0)")
    }
  }

  /// In the vertical pass, a sigma of 0 leaves all values unchanged. In the horizontal pass, the plain sum
  /// over the window is 2 · 10³⁸, which is finite. But a sum that is weighted with cosines is more than three
  /// times as large, which is infinite in single precision.
  @Test(
    "A sum of cosines that overflows affects only pixels near it", arguments: InstructionSet.available,
    [10, 58])
  func overflow(set: InstructionSet, column: Int) throws {
    let sigma = try Sigma(x: 0.5, y: 0)
    let image = try GrayImages.painted(60, 3) { x, y in x == column && y == 1 ? 2e38 : 0.5 }
    let found = GrayImages.values(try Self.blurred(image, .standard, sigma: sigma, set: set))
    let radius = try SlidingAxis(sigma: sigma.x, share: 1e-3, .grayf32).window.radius
    for (i, value) in found.enumerated() {
      let isNear = i / 60 == 1 && abs(i % 60 - column) <= radius
      #expect(isNear ? value.isNaN : abs(value - 0.5) < 1e-5, "x \(i % 60), y \(i / 60): \(value)")
    }
  }

  @Test(
    "The largest sigma, many times the image's size, is accurate in every edge mode", arguments: accuracies)
  func hugeWindow(accuracy: Accuracy) throws {
    let image = try GrayImages.noise(13, 9, seed: 1)
    for edge in EdgeMode.allCases {
      let sigma = try Sigma(x: 1000, y: 700)
      let found = GrayImages.values(try Self.blurred(image, accuracy, sigma: sigma, edge: edge))
      let parameters = BlurParameters(sigma: sigma, edge: edge)
      var truth = try Image(image.layout)
      try BlurPlan(Kernel(Separable()), for: image.layout, parameters).blur(image, into: &truth)
      let worst = zip(found, GrayImages.values(truth)).map { abs($0 - $1) }.max()!
      #expect(Double(worst) < accuracy.share(for: .grayf32), "\(edge.name)")
    }
  }

  @Test(
    "Blocks of rows cover the image evenly, and none is longer than rounding permits",
    arguments: [1, 255, 512, 1080, 2160, 5000, 30_000], [0, 34, 380, 4000])
  func blocks(height: Int, radius: Int) {
    let longest = Thresholds().cosineBlock
    let block = SlidingAxis.blockOfRows(height, radius: radius, longest: longest)
    #expect(block % 32 == 0 && block <= longest)
    let count = (height + block - 1) / block
    #expect(height <= 1024 || count > 1 || radius > height / 2, "one block cannot be shared by threads")
    #expect(height < 192 || count > 1 || 4 * radius > height / 2, "nor a low one where that costs little")
    #expect(block >= min(height, 96))
  }
}

extension SlidingDCTTests {
  private static func blurred(
    _ image: Image, _ accuracy: Accuracy, sigma: Sigma, edge: EdgeMode = .clamp, set: InstructionSet = .best,
    region: Region? = nil, threads: Int = 1
  ) throws -> Image {
    let parameters = BlurParameters(sigma: sigma, edge: edge, region: region, instructionSet: set)
    let kernel = Kernel(SlidingDCT(accuracy))
    let plan = try BlurPlan(kernel, for: image.layout, parameters, threads: threads)
    var result = try Image(.grayf32, width: plan.region.width, height: plan.region.height)
    try plan.blur(image, into: &result)
    return result
  }

  /// Returns the cosine from a Taylor series, so that this check shares no library function with the tested
  /// code.
  private static func cosine(_ angle: Double) -> Double {
    let reduced = angle.remainder(dividingBy: 2 * Double.pi)
    var (term, sum) = (1.0, 1.0)
    for k in 1...14 {
      let divisor = 2 * k * (2 * k - 1)
      term *= -reduced * reduced / Double(divisor)
      sum += term
    }
    return sum
  }
}
