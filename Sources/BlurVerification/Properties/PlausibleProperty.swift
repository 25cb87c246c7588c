import Blur
import BlurText

extension Property {
  /// Checks that the blur of a white rectangle on black looks like the Gaussian. Other properties judge the
  /// values of a result by the kernel's promise, so they accept almost any values if the kernel promises no
  /// error bound, or only a very large one. This property has limits of its own, and applies only to such
  /// kernels.
  static let plausible = Property(
    "plausible",
    "looks like a Gaussian of the requested sigma, even if the kernel promises no useful error bound",
    // All edge modes give the same result, because the rectangle is far from the edges. They are all listed
    // anyway, because a kernel may support only one of them.
    scope: Scope(sigmas: [0.7, 2.5, 7], edges: EdgeMode.allCases.map(\.name))
  ) { test in
    guard test.sigma.x > 0 || test.sigma.y > 0 else {
      throw NotApplicable("sigma 0 copies the image, which the property `identity` checks")
    }
    guard max(test.sigma.x, test.sigma.y) <= mostSigma else {
      throw NotApplicable("plausibility is only checked up to sigma \(mostSigma.threeDigits)")
    }
    return try test.expectPlausible()
  }

  /// The largest sigma that is checked. Larger sigmas need larger images, which would take too long.
  private static let mostSigma = 50.0

  /// A kernel that promises an error of at most this many levels does not need to be checked for
  /// plausibility. Not even a single box blur could keep such a promise, because its error at sigma 2 and
  /// above is larger.
  private static let tellingLevels = 12.0

  /// Returns whether `promise` is so weak that a kernel could keep it with a result that does not look like a
  /// Gaussian. Returns false if the kernel promises to equal another definition, or declares that it is not a
  /// Gaussian.
  static func saysLittle(_ promise: Promise) -> Bool {
    switch promise {
    case .nothing: true
    case .specification, .notGaussian: false
    case .exact, .approximation:
      PixelFormat.allCases.contains { !(promise.bound(for: $0) ?? 0 <= tellingLevels) }
    }
  }
}

extension KernelUnderTest {
  /// Blurs a white rectangle on black, and throws a violation if the result cannot be a Gaussian of this
  /// sigma, not even a rough one.
  fileprivate func expectPlausible() throws -> Finding {
    let (across, down) = (BlurredBar(sigma.x), BlurredBar(sigma.y))
    let layout = try layout(across.source.count, down.source.count)
    func image(_ blurred: KeyPath<BlurredBar, [Double]>) throws -> Image {
      let (row, column) = (across[keyPath: blurred], down[keyPath: blurred])
      return try .painted(layout) { x, y, _ in row[x] * column[y] * format.fullScale }
    }
    let (source, expected) = (try image(\.source), try image(\.gaussian))
    // The edge gets the colour of the background, so that it does not change the image.
    let edge = if case .constant = subject.edge { EdgeMode.constant(.zero) } else { subject.edge }
    let result = try blurred(source, edge: edge)
    func error(_ image: Image) -> Deviation { .between(image, expected) }
    let (deviation, box, rough) = (error(result), error(try image(\.box)), error(try image(\.rough)))
    var faults = result.withView { self.faults($0, across, down) }
    let isSmall = min(sigma.x, sigma.y) < BlurredBar.smallSigma
    let limit = max(isSmall ? Self.smallSigmaLevels : Self.fewLevels, box.maxLevels, rough.maxLevels)
    if !(deviation.maxLevels <= limit) {
      let other = limit > box.maxLevels ? "allowed at small sigmas" : "the error of a single box"
      faults.append("the error is \(deviation.description), above \(limit.inLevels), \(other)")
    }
    guard !faults.isEmpty else {
      let profiles = result.withView { self.profiles($0, channel: 0) }
      let (x, y) = (across.achievedSigma(profiles.columns), down.achievedSigma(profiles.rows))
      let achieved = x.threeDigits == y.threeDigits ? x.threeDigits : "\(x.threeDigits)x\(y.threeDigits)"
      return Finding("white rectangle: achieved sigma \(achieved) instead of \(sigma.spelled)", deviation)
    }
    throw Violation(
      "white rectangle: unlike a Gaussian with sigma \(sigma.spelled): " + faults.joined(separator: "; "),
      deviation, FailureImages(source: source, result: result, expected: expected, around: deviation))
  }

  /// The largest overshoot that a plausible blur may have, in levels. Errors up to this size are always
  /// allowed, too.
  private static var fewLevels: Double { 8 }
  /// The largest allowed relative change of the mean. In 8-bit formats, several passes that round down can
  /// darken the image by up to 4 %.
  private var meanShare: Double { format.component == .uint8 ? 0.05 : 0.01 }
  /// The error, in levels, that is always accepted at small sigmas. At other sigmas, the limit is the error
  /// of a blur with a single box, but at small sigmas, a box has too small an error to be a useful limit.
  private static var smallSigmaLevels: Double { 64 }

  /// Returns one sentence for each measured value of `result` that is outside its limits. The measured values
  /// are the achieved sigma along rows and along columns, the mean, and the overshoot.
  private func faults(_ result: ImageView, _ across: BlurredBar, _ down: BlurredBar) -> [String] {
    let values = (0..<result.layout.height).flatMap { y in
      result.values(ofRow: y).map { $0 / format.fullScale * 255 }
    }
    let most = values.map { $0 > 127.5 ? $0 - 255 : -$0 }.max() ?? 0
    let faults = most > Self.fewLevels ? ["the blur overshoots by \(most.inLevels)"] : []
    for channel in 0..<format.channels {
      let (columns, rows) = profiles(result, channel: channel)
      let (before, after) = (
        255 * across.mean * down.mean, rows.reduce(0, +) / Double(columns.count * rows.count)
      )
      var found: [String] = []
      if !(abs(after - before) <= meanShare * before) {
        found.append("the mean changes from \(before.threeDigits) to \(after.inLevels)")
      }
      for (name, bar, line) in [("rows", across, columns), ("columns", down, rows)] {
        let achieved = bar.achievedSigma(line)
        if !(abs(achieved - bar.sigma) <= max(bar.sigma / 3, Self.sigmaSlack)) {
          let figure = achieved.isFinite ? achieved.threeDigits : "not a number"
          found.append(
            "the achieved sigma along \(name) is \(figure) instead of \(bar.sigma.threeDigits)")
        }
      }
      if !found.isEmpty { return faults + found }
    }
    return faults
  }

  /// Returns the sum of each column and of each row of one channel, in levels.
  private func profiles(_ result: ImageView, channel: Int) -> (columns: [Double], rows: [Double]) {
    var columns = [Double](repeating: 0, count: result.layout.width)
    let rows = (0..<result.layout.height).map { y in
      let row = result.values(ofRow: y)
      let levels = columns.indices.map { row[$0 * format.channels + channel] / format.fullScale * 255 }
      for (x, value) in levels.enumerated() { columns[x] += value }
      return levels.reduce(0, +)
    }
    return (columns, rows)
  }

  /// The difference, in pixels, that is always allowed between the requested and the achieved sigma. It must
  /// be at least 0.8: a box is a whole number of pixels wide, so up to sigma 0.8, a box kernel simply copies
  /// the image.
  private static var sigmaSlack: Double { 0.8 }
}

/// A line of pixels that is white in the middle and black elsewhere, and the blurs of this line. White is 1.
private struct BlurredBar {
  let sigma: Double
  let source: [Double]
  /// The line blurred with the Gaussian, with a single box of the same standard deviation, and with the
  /// roughest blur that is accepted at this sigma.
  let gaussian: [Double], box: [Double], rough: [Double]

  /// The sigma below which even an unchanged line is accepted as a rough blur. At such sigmas, several boxes
  /// whose widths are whole numbers can be farther from the Gaussian than a single box whose width is not a
  /// whole number.
  static let smallSigma = 2.4

  init(_ sigma: Double) {
    self.sigma = sigma
    let (white, margin) = (2 * Int((2 * sigma).rounded(.up)) + 2, Int((5 * sigma).rounded(.up)) + 8)
    source = (0..<white + 2 * margin).map { (margin..<margin + white).contains($0) ? 1 : 0 }
    gaussian = Self.blurred(source, Truth.gaussian(sigma))
    box = Self.blurred(source, Self.box(sigma))
    rough = sigma < Self.smallSigma ? source : box
  }

  var mean: Double { source.reduce(0, +) / Double(source.count) }

  /// Returns the standard deviation of the blur that has turned this bar into `line`. A factor by which all
  /// values of `line` are multiplied does not matter. A blur adds its own variance to the variance of the
  /// bar, so the result is the square root of the increase. The result is NaN if the variance has decreased,
  /// because no blur can cause this.
  func achievedSigma(_ line: [Double]) -> Double {
    let added = Self.variance(line) - Self.variance(source)
    // If the line is hardly blurred, rounding to code values can lower the variance a little. Sigma then
    // counts as 0.
    return added < 0 && added > -0.25 ? 0 : added.squareRoot()
  }

  private static func variance(_ line: [Double]) -> Double {
    let sum = line.reduce(0, +)
    func moment(_ power: (Double) -> Double) -> Double {
      line.indices.reduce(0) { $0 + line[$1] * power(Double($1 - line.count / 2)) } / sum
    }
    let mean = moment { $0 }
    return moment { $0 * $0 } - mean * mean
  }

  private static func blurred(_ line: [Double], _ weights: [Double]) -> [Double] {
    let radius = weights.count / 2
    return line.indices.map { x in
      weights.indices.reduce(0) { sum, i in
        let place = x + i - radius
        return line.indices.contains(place) ? sum + weights[i] * line[place] : sum
      }
    }
  }

  /// Returns the weights of a single box with the standard deviation `sigma`. All weights are equal except
  /// the two outermost ones, which are smaller, because the width of the box is not a whole number.
  private static func box(_ sigma: Double) -> [Double] {
    let variance = sigma * sigma
    var radius = 0
    // A box of 2r + 1 equal weights has the variance r(r + 1)/3.
    while Double((radius + 1) * (radius + 2)) / 3 <= variance { radius += 1 }
    let (count, end) = (Double(2 * radius + 1), Double(radius + 1))
    // The outer weight w, relative to the others, solves (count·r(r + 1)/3 + 2w·end²) / (count + 2w) = σ².
    let outer = count * (variance - Double(radius * (radius + 1)) / 3) / (2 * (end * end - variance))
    let weights = [outer] + [Double](repeating: 1, count: 2 * radius + 1) + [outer]
    return weights.map { $0 / (count + 2 * outer) }
  }
}
