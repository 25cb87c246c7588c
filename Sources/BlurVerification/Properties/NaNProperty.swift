import Blur

extension Property {
  /// Checks that NaN, infinite and huge pixels affect only the pixels whose window contains them, and only
  /// their own channel.
  static let nanLocal = Property(
    "nan-local",
    "NaN and infinities affect only their own channel, in pixels whose window contains them (float formats)",
    scope: Scope(
      formats: PixelFormat.allCases.filter { $0.component == .float32 }, sigmas: [0.7, 2.5, 5, 20, 45])
  ) { test in
    guard test.format.component == .float32 else { throw NotApplicable("format \(test.format) has no NaN") }
    try test.skipDefinition(ifSigmaAbove: 1)
    for (width, height) in test.sizesForNaN {
      let clean = try test.image(.noise, width, height)
      let expected = try test.blurred(clean)
      let windows = test.windows(width, height)
      for spot in test.spots(width, height) {
        let spoiled = try clean.spoiled(spot)
        try test.expectLocal(test.blurred(spoiled), of: spoiled, spot, windows, as: expected)
      }
    }
    return nil
  }
}

/// A small part of a test image. All values in it are replaced by one value, which is NaN, infinite or huge.
private struct Spot {
  let value: Double
  let region: Region
  /// The channel whose values are replaced, or nil for all channels.
  var channel: Int?

  init(_ value: Double, _ x: Int, _ y: Int, side: Int = 1, channel: Int? = nil) {
    self.value = value
    region = Region(x: x, y: y, width: side, height: side)
    self.channel = channel
  }

  /// A short description of the spot for error messages, such as "one pixel of nan".
  var name: String {
    guard let channel else { return "\(region.width == 1 ? "one pixel" : "nine pixels") of \(value)" }
    return "one value of \(value) in channel \(channel) at x \(region.x), y \(region.y)"
  }

  /// Returns whether the spot replaces the value of channel `c` in the pixel at column `x` and row `y`.
  func contains(_ x: Int, _ y: Int, _ c: Int) -> Bool {
    region.columns.contains(x) && region.rows.contains(y) && c == channel ?? c
  }
}

extension Image {
  /// Returns a copy of the image in which the values at the spot are replaced by the value of the spot.
  fileprivate func spoiled(_ spot: Spot) throws -> Image {
    let channels = layout.format.channels
    return try withView { view in
      try Image.painted(layout) { x, y, c in
        spot.contains(x, y, c) ? spot.value : view.value(x * channels + c, y)
      }
    }
  }
}

extension KernelUnderTest {
  /// The sizes of the test images. In long images, the windows of some pixels do not contain the spot, which
  /// is the part with NaN, infinite or huge values. At large sigmas, there are also images that are shorter
  /// than the windows. Some kernels treat such images differently: they fold the windows into the image or
  /// compute sums of cosines.
  fileprivate var sizesForNaN: [(Int, Int)] {
    let long = (2 * radius.x + 16, sigma.x > 10 ? 60 : 9)
    let high = (long.1, 2 * radius.y + 16)
    guard sigma.x > 10 else { return [long, high] }
    // To save time, long images are blurred only in gray formats with clamped edges.
    let isPlain = subject.edge == .clamp && format.channels == 1 && sigma.x <= 20
    return (isPlain ? [long, high] : []) + [(61, 37), (29, 70)]
  }

  /// Returns the spots that are tried, one after the other, in an image of this size. Spots in only one
  /// channel are at random places, so that all checks together cover every position within a vector.
  fileprivate func spots(_ width: Int, _ height: Int) -> [Spot] {
    let (x, y) = (width / 7, height / 7)
    var random = SplitMix64(seed: UInt64(width * 1009 + height + subject.edgeName.count))
    let single = (0..<5).map { turn in
      Spot(
        [Double.nan, .infinity, -.infinity][turn % 3], random.next(below: width), random.next(below: height),
        channel: turn % format.channels)
    }
    // Huge pixels are finite, but their weighted sum may overflow to infinity. A kernel that keeps a running
    // sum must not turn this infinity into NaN for the rest of the line.
    return single + [
      Spot(.nan, x, y), Spot(.infinity, x, y), Spot(-.infinity, x, y), Spot(.nan, width - 1, height - 1),
      Spot(1.5e38, x, y, side: 3), Spot(3e38, x, y, side: 3),
    ]
  }

  /// Compares `result`, the blur of the image with the spot, with `expected`, the blur of the image without
  /// the spot.
  ///
  /// A weight in a window counts as large if it is at least 0.001, or at least half of the largest weight.
  /// Approximations may ignore pixels far from the centre of the window. For them, only weights of at least
  /// half of the largest weight count as large.
  ///
  /// If the value of the spot is NaN or infinite, this method throws a violation in two cases:
  /// - A result that the spot must not affect has changed by more than the tolerance. Such results are the
  ///   pixels whose window does not contain the spot, and the channels whose values the spot does not
  ///   replace.
  /// - The spot has a large weight in the window of a pixel, but the result for this pixel is finite.
  ///
  /// If the value of the spot is huge but finite, the method throws a violation only if a result that the
  /// spot must not affect is infinite or NaN.
  fileprivate func expectLocal(
    _ result: Image, of source: Image, _ spot: Spot, _ windows: (across: LineWindows, down: LineWindows),
    as expected: Image
  ) throws {
    let (channels, allowed) = (format.channels, try tolerance(ofTails: true) / 255)
    let across = windows.across.influence(of: spot.region.columns)
    let down = windows.down.influence(of: spot.region.rows)
    let half = (across.weights.max() ?? 0) * (down.weights.max() ?? 0) / 2
    let least = if case .approximation = kernel.promise { half } else { min(1e-3, half) }
    for y in 0..<result.layout.height {
      let found = result.withView { $0.values(ofRow: y) }
      let clean = expected.withView { $0.values(ofRow: y) }
      for (i, value) in found.enumerated() {
        let (x, c) = (i / channels, i % channels)
        let error: String? =
          if c == spot.channel ?? c, across.isReached[x], down.isReached[y] {
            !spot.value.isFinite && value.isFinite && across.weights[x] * down.weights[y] >= least
              ? "the result is \(value), although its window contains the spot" : nil
          } else if spot.value.isFinite {
            value.isFinite ? nil : "the result is \(value), although its window does not contain the spot"
          } else if abs(value - clean[i]) <= allowed {
            nil
          } else {
            (c == spot.channel ?? c ? "pixels outside of its window have" : "another channel has")
              + " changed: \(value) instead of \(clean[i])"
          }
        guard let error else { continue }
        let cause = c == spot.channel ?? c ? nil : "a NaN or infinity spreads to another channel"
        let place = Deviation(maxLevels: .infinity, x: x, y: y, channel: c)
        throw Violation(
          "\(spot.name): \(error) at x \(x), y \(y), channel \(c)", place,
          FailureImages(source: source, result: result, expected: expected, around: place), cause: cause)
      }
    }
  }

  /// Returns the windows of the columns and of the rows of an image of this size.
  fileprivate func windows(_ width: Int, _ height: Int) -> (across: LineWindows, down: LineWindows) {
    func windows(_ sigma: Double, _ count: Int) -> LineWindows {
      func terms(_ window: [Double]) -> [[ReferenceLine.Term]] {
        let line = ReferenceLine(window: window, count: count, edge: subject.edge)
        return (0..<count).map { line.terms(of: $0).inside }
      }
      // A kernel may read one pixel more on each side than the window of the Gaussian contains. The window
      // ends at 6 sigmas, so adding 1/6 to sigma makes it one pixel wider on each side.
      return LineWindows(
        reach: terms(Truth.gaussian(sigma + 1 / 6)),
        weights: terms(kernel.promise.definition.weights(sigma)))
    }
    return (windows(sigma.x, width), windows(sigma.y, height))
  }
}

/// The windows of all output pixels along one axis.
private struct LineWindows {
  /// For each output pixel, the input pixels that are allowed to affect it.
  let reach: [[ReferenceLine.Term]]
  /// For each output pixel, the input pixels that must contribute to it, with their weights.
  let weights: [[ReferenceLine.Term]]

  /// Returns, for each output pixel, whether any input pixel in `spot` may affect it, and the total weight of
  /// the input pixels in `spot`.
  func influence(of spot: Range<Int>) -> (isReached: [Bool], weights: [Double]) {
    (
      reach.map { terms in terms.contains { spot.contains($0.pixel) } },
      weights.map { terms in terms.reduce(0) { $0 + (spot.contains($1.pixel) ? $1.weight : 0) } }
    )
  }
}
