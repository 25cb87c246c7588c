import Foundation
import Testing

@testable import Blur

/// Tests of line filters. Their impulse responses are compared with the definitions in the papers, which are
/// written here in a simple form.
@Suite("Line filters")
struct AxisFilterTests {
  static let sigmas = [0.3, 0.7, 1, 1.7, 3, 8.3, 20]

  @Test("Stack blur has the weights of a tent", arguments: sigmas)
  func tent(sigma: Double) {
    let filter = StackFilter(sigma: sigma)
    let radius = filter.radius
    let weights = (-radius...radius).map { Double(radius + 1 - abs($0)) / pow(Double(radius + 1), 2) }
    expectSame(Line.response(filter), weights, within: 1e-14)
    // With an integer radius, the variance cannot equal that of the Gaussian. The radius is the nearest one,
    // so it differs from the ideal radius by at most 0.5.
    let ideal = (1 + 6 * Line.sampledVariance(sigma)).squareRoot() - 1
    #expect(abs(Double(radius) - ideal) <= 0.5)
  }

  @Test("Extended boxes have the requested variance, and three of them are convolved", arguments: sigmas)
  func extendedBox(sigma: Double) {
    let filter = ExtendedBoxFilter(sigma: sigma, passes: 3)
    let (radius, share) = (filter.boxRadius, filter.share)
    #expect(share >= -1e-12 && share < 1)
    let box = (-radius - 1...radius + 1).map { abs($0) <= radius ? 1 : share }
    let mean = box.map { $0 / box.reduce(0, +) }
    let response = Line.response(filter)
    expectSame(response, Line.convolved([mean, mean, mean]), within: 1e-14)
    #expect(abs(Line.variance(response) - Line.sampledVariance(sigma)) < 1e-9 * sigma * sigma)
  }

  @Test(
    "Plain boxes have an integer radius and equal weights", arguments: [(2.0, 3, 2), (5, 3, 5), (10, 5, 7)])
  func plainBox(sigma: Double, passes: Int, radius: Int) {
    // The radius is ½(√(12σ²/K + 1) − 1), rounded. These values were computed by hand.
    let filter = ExtendedBoxFilter(plainSigma: sigma, passes: passes)
    #expect(filter.boxRadius == radius)
    let box = [Double](repeating: 1 / Double(2 * radius + 1), count: 2 * radius + 1)
    expectSame(Line.response(filter), Line.convolved(Array(repeating: box, count: passes)), within: 1e-14)
  }

  @Test(
    "Stacked integrals have the published boxes at sigma 100/π, and are sums of boxes at any sigma",
    arguments: 3...5)
  func stackedIntegrals(count: Int) {
    let radii = [3: [76, 46, 23], 4: [82, 56, 37, 19], 5: [85, 61, 44, 30, 16]][count]!
    #expect(StackedIntegralsFilter(sigma: 100 / .pi, boxes: count).boxes.map(\.radius) == radii)
    // The expected radii are the published radii times π/5, rounded to the nearest integer by hand.
    let smaller = [3: [48, 29, 14], 4: [52, 35, 23, 12], 5: [53, 38, 28, 19, 10]][count]!
    #expect(StackedIntegralsFilter(sigma: 20, boxes: count).boxes.map(\.radius) == smaller)
    for sigma in Self.sigmas {
      let filter = StackedIntegralsFilter(sigma: sigma, boxes: count)
      let weights = (-filter.radius...filter.radius).map { (n: Int) -> Double in
        let boxes = filter.boxes.filter { abs(n) <= $0.radius }
        return boxes.reduce(0.0) { (sum: Double, box) -> Double in sum + box.weight }
      }
      expectSame(Line.response(filter), weights, within: 1e-14)
      let sum: Double = weights.reduce(0, +)
      #expect(abs(sum - 1) < 1e-14)
    }
  }

  @Test(
    "Undoing Alvarez and Mazorra's four implicit steps of the heat equation leaves an impulse",
    arguments: sigmas
  )
  func alvarezMazorra(sigma: Double) {
    let variance = Line.sampledVariance(sigma)
    let factor = 1 + (0.3165 * 4 + 0.5695) / pow(4.7818, 2)
    let lambda = variance * factor * factor / 8
    let step = [-lambda, 1 + 2 * lambda, -lambda]
    let response = Line.response(RecursiveCascade(heatOf: sigma))
    let undone = Line.convolved([response, step, step, step, step])
    expectSame(undone, [1], within: 1e-12 * pow(1 + 4 * lambda, 4))
    // The response is never negative, just as heat is not.
    #expect(response.allSatisfy { $0 > -1e-15 })
  }

  @Test("Deriche's recursive filters have the weights of his sum of exponentials", arguments: 2...4, sigmas)
  func deriche(order: Int, sigma: Double) {
    let terms: [(alpha: Complex, lambda: Complex)] = [
      2: [
        (Complex(0.48145, 0.971), Complex(1.26, 0.8448)), (Complex(0.48145, -0.971), Complex(1.26, -0.8448)),
      ],
      3: [
        (Complex(-0.44645, 0.5105), Complex(1.512, 1.475)),
        (Complex(-0.44645, -0.5105), Complex(1.512, -1.475)),
        (Complex(1.898, 0), Complex(1.556, 0)),
      ],
      4: [
        (Complex(0.84, 1.8675), Complex(1.783, 0.6318)), (Complex(0.84, -1.8675), Complex(1.783, -0.6318)),
        (Complex(-0.34015, -0.1299), Complex(1.723, 1.997)),
        (Complex(-0.34015, 0.1299), Complex(1.723, -1.997)),
      ],
    ][order]!
    let filter = DericheFilter(sigma: sigma, order: order, isNormalized: false)
    let weights = (-filter.radius...filter.radius).map { n in
      terms.reduce(0.0) { sum, term in
        sum + (term.alpha * (term.lambda * Complex(-Double(abs(n)) / sigma, 0)).exponential).real
      } / (sigma * (2 * Double.pi).squareRoot())
    }
    expectSame(Line.response(filter), weights, within: 2e-12)
    let normalized = Line.response(DericheFilter(sigma: sigma, order: order, isNormalized: true))
    let sum = weights.reduce(0, +)
    expectSame(normalized, weights.map { $0 / sum }, within: 2e-12)
  }

  @Test(
    "Van Vliet's recursive filters are the product of his poles, scaled to the variance",
    arguments: 3...5, sigmas)
  func vanVliet(order: Int, sigma: Double) {
    let published: [Complex] = [
      3: [Complex(1.4165, 1.00829), Complex(1.4165, -1.00829), Complex(1.86543, 0)],
      4: [
        Complex(1.13228, 1.28114), Complex(1.13228, -1.28114), Complex(1.78534, 0.46763),
        Complex(1.78534, -0.46763),
      ],
      5: [
        Complex(0.8643, 1.45389), Complex(0.8643, -1.45389), Complex(1.61433, 0.83134),
        Complex(1.61433, -0.83134), Complex(1.87504, 0),
      ],
    ][order]!
    let variance = Line.sampledVariance(sigma)
    let designed = max(variance, 0.49)
    // The published poles are raised to the power 1/q, which scales the filter. Bisection finds the q for
    // which the response has the required variance. The response is computed by applying the poles one after
    // the other.
    var (low, high) = (designed.squareRoot() / 4, 2 * designed.squareRoot())
    for _ in 0..<50 {
      let q = (low + high) / 2
      if Line.variance(Line.product(published, q)) < designed { low = q } else { high = q }
    }
    let share = variance / designed
    var weights = Line.product(published, high).map { $0 * share }
    weights[weights.count / 2] += 1 - share
    let response = Line.response(VanVlietYoungVerbeekFilter(sigma: sigma, order: order))
    expectSame(response, weights, within: 1e-9)
    #expect(abs(Line.variance(response) - variance) < 1e-8 * max(1, variance))
  }

  /// Returns all line filters for a given sigma.
  static func filters(_ sigma: Double) -> [any AxisFilter] {
    [
      StackFilter(sigma: sigma), ExtendedBoxFilter(sigma: sigma, passes: 3),
      StackedIntegralsFilter(sigma: sigma, boxes: 3), RecursiveCascade(heatOf: sigma),
      DericheFilter(sigma: sigma, order: 2, isNormalized: true),
      DericheFilter(sigma: sigma, order: 3, isNormalized: true),
      DericheFilter(sigma: sigma, order: 4, isNormalized: true),
      VanVlietYoungVerbeekFilter(sigma: sigma, order: 3), VanVlietYoungVerbeekFilter(sigma: sigma, order: 4),
      VanVlietYoungVerbeekFilter(sigma: sigma, order: 5),
    ]
  }

  @Test(
    "A line of any length is continued as the edge mode requires",
    arguments: EdgeMode.allCases + [.constant(SIMD4(0.75, -2, 9, 0.5))], [1, 2, 3, 7, 40])
  func edges(edge: EdgeMode, count: Int) {
    for sigma in [0.4, 2, 9] {
      for filter in Self.filters(sigma) {
        let weights = Line.response(filter)
        let found = Line.blurred(count, sigma: sigma, edge: edge, filter)
        for lane in 0..<Lanes.scalarCount {
          for i in 0..<count {
            var expected = 0.0
            for (k, weight) in weights.enumerated() {
              let index = edge.index(of: i + k - weights.count / 2, count: count)
              let outside = Double(edge.constant(lane % 4, in: .rgbaf32))
              expected += weight * (index.map { Line.sample($0, lane) } ?? outside)
            }
            #expect(abs(found[i][lane] - expected) < 1e-9, "\(filter) sigma \(sigma), lane \(lane) of \(i)")
          }
        }
      }
    }
  }

  @Test("The order of a filter determines its name, its promise and its result")
  func orders() throws {
    #expect(try Registry.kernel(named: "vyv-5").promise == VanVlietYoungVerbeek(order: 5).promise)
    #expect(VanVlietYoungVerbeek(order: 4).promise != VanVlietYoungVerbeek(order: 5).promise)
    let layout = try ImageLayout(.grayf32, width: 31, height: 1)
    var image = try Image(layout)
    image.withMutableView { $0.unsafeRow(0).setComponent(15, to: Float(1)) }
    let kernels = (2...4).map { Kernel(Deriche(order: $0)) }
    let results = try kernels.map { kernel in
      var result = try Image(layout)
      try BlurPlan(kernel, for: layout, BlurParameters(sigma: Sigma(2))).blur(image, into: &result)
      return result.withView { view in (0..<31).map { view.unsafeRow(0).component($0, as: Float.self) } }
    }
    #expect(kernels.map(\.name) == ["deriche-2", "deriche-3", "deriche-4"])
    #expect(Set(results).count == 3)
  }

  @Test(
    "A NaN spreads as far as the Gaussian's window, which is six sigma to either side",
    arguments: ["stack", "extended-box", "sii", "deriche-3", "vyv-4", "fft"], [1, 2.5, 4])
  func notANumber(name: String, sigma: Double) throws {
    let (length, middle, reach) = (83, 41, Int((6 * sigma).rounded(.up)))
    for (width, height) in [(length, 1), (1, length)] {
      let image = try GrayImages.painted(width, height) { x, y in max(x, y) == middle ? .nan : 0.5 }
      let parameters = BlurParameters(sigma: try Sigma(sigma), edge: .clamp)
      let plan = try BlurPlan(Registry.kernel(named: name), for: image.layout, parameters)
      var result = try Image(image.layout)
      try plan.blur(image, into: &result)
      let spoiled = GrayImages.values(result).indices(where: \.isNaN)
      #expect(spoiled == RangeSet(middle - reach..<middle + reach + 1), "\(width)x\(height)")
    }
  }

  /// Filters a long line, because the response to a single impulse does not show how rounding errors
  /// accumulate.
  @Test("A constant line stays constant at any sigma", arguments: [0.01, 0.1, 1, 30, 1000])
  func constants(sigma: Double) {
    for filter in Self.filters(sigma) {
      let length = max(1000, 2 * filter.radius + 9)
      let result = Line.filtered([Lanes](repeating: Lanes(repeating: 255), count: length), filter)
      let own = result[filter.constantRadius..<length - filter.constantRadius]
      #expect(own.allSatisfy { abs($0[0] - 255) < 1e-6 }, "\(filter)")
    }
  }
}

private func expectSame(
  _ found: [Double], _ expected: [Double], within tolerance: Double,
  at location: SourceLocation = #_sourceLocation
) {
  let reach = max(found.count, expected.count) / 2
  func weight(_ weights: [Double], _ n: Int) -> Double {
    abs(n) <= weights.count / 2 ? weights[n + weights.count / 2] : 0
  }
  let worst = (-reach...reach).map { abs(weight(found, $0) - weight(expected, $0)) }.max()!
  #expect(worst <= tolerance, sourceLocation: location)
}
