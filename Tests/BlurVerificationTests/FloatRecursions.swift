import Blur
import Foundation
import Testing

@testable import BlurVerification

/// The samples of eight lines, which are filtered at once.
typealias FloatLanes = SIMD8<Float>

/// A recursive filter of fourth order for a line, computed entirely in single precision.
protocol FloatRecursion: Sendable {
  static var promise: Promise { get }
  /// Makes a recursive filter for a Gaussian with a sigma of `sigma` pixels.
  init(sigma: Double)
  /// Filters the line. The ends of the line are so far away that their treatment does not matter.
  func filter(_ line: inout [FloatLanes])
}

/// A kernel with a recursive filter whose state is in single precision. It is right at small sigmas and wrong
/// at large ones, because the sum of the coefficients is only about σ⁻⁴, and rounding errors are then as
/// large as the sum.
struct FloatRecursive<R: FloatRecursion>: BlurKernel {
  var name: String { "\(R.self)" }
  let summary = "deliberately in single precision"
  var promise: Promise { R.promise }

  func plan(_ problem: BlurProblem) -> any Plan { FloatRecursivePlan<R>(problem) }
}

private final class FloatRecursivePlan<R: FloatRecursion>: Plan {
  private let blur: PlainBlur

  /// The single unit is the whole image. Its rows are filtered first, and then its columns.
  let facts = PlanFacts(phases: [Phase(units: 1)])

  init(_ problem: BlurProblem) { blur = PlainBlur(problem) }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let (width, height, region) = (blur.width, blur.height, blur.region)
    var plane = [Float](repeating: 0, count: width * height)
    for c in 0..<blur.format.channels {
      for i in plane.indices { plane[i] = Float(blur.read(buffers.source, i % width, i / width, c)) }
      filter(&plane, count: width, step: 1, lines: height, apart: width, c, blur.sigma.x)
      filter(&plane, count: height, step: width, lines: width, apart: 1, c, blur.sigma.y)
      for y in 0..<region.height {
        for x in 0..<region.width {
          blur.write(
            buffers.destination, x, y, c, Double(plane[(y + region.y) * width + x + region.x]))
        }
      }
    }
  }

  /// Filters `lines` lines of `count` samples each, eight lines at a time.
  private func filter(
    _ plane: inout [Float], count: Int, step: Int, lines: Int, apart: Int, _ c: Int, _ sigma: Double
  ) {
    guard sigma > 0 else { return }
    let recursion = R(sigma: sigma)
    let margin = Int(8 * sigma) + 20
    let constant = blur.edge.constant(c, in: blur.format)
    let samples = (-margin..<count + margin).map { blur.edge.index(of: $0, count: count) }
    for first in stride(from: 0, to: lines, by: 8) {
      let used = first..<min(first + 8, lines)
      var line = samples.map { sample in
        var lanes = FloatLanes(repeating: constant)
        if let sample { for i in used { lanes[i - first] = plane[i * apart + sample * step] } }
        return lanes
      }
      recursion.filter(&line)
      for k in 0..<count { for i in used { plane[i * apart + k * step] = line[margin + k][i - first] } }
    }
  }
}

/// The recursive filter of fourth order by van Vliet, Young and Verbeek, in single precision.
struct FloatVYV: FloatRecursion {
  static let promise = Promise.approximation(levels: 21)

  private let gain: Float
  private let feedback: [Float]

  init(sigma: Double) {
    // The published poles for sigma 2 are raised to the power 1/q. The variance is about 4q², and bisection
    // finds the q whose variance is exact.
    let poles = [(1.13228, 1.28114), (1.78534, 0.46763)]
    func denominator(_ q: Double) -> [Double] {
      poles.reduce([1]) { product, pole in
        let modulus = pow(hypot(pole.0, pole.1), -1 / q)
        return times(product, [1, -2 * modulus * cos(atan2(pole.1, pole.0) / q), modulus * modulus])
      }
    }
    // Returns the variance of the filter. It is −2 (log A)″ at 0, where the denominator A is regarded as a
    // function of the logarithm of z⁻¹.
    func variance(_ a: [Double]) -> Double {
      let moments = (0...2).map { power in
        a.enumerated().reduce(0) { $0 + pow(Double($1.offset), Double(power)) * $1.element }
      }
      return 2 * (pow(moments[1] / moments[0], 2) - moments[2] / moments[0])
    }
    var (low, high) = (sigma / 4, 2 * sigma + 1)
    for _ in 0..<80 {
      let q = (low + high) / 2
      if variance(denominator(q)) < sigma * sigma { low = q } else { high = q }
    }
    let a = denominator(high)
    gain = Float(a.reduce(0, +))
    feedback = a.dropFirst().map { Float($0) }
  }

  func filter(_ line: inout [FloatLanes]) {
    pass(&line)
    line.reverse()
    pass(&line)
    line.reverse()
  }

  private func pass(_ line: inout [FloatLanes]) {
    var (a, b, c, d) = (line[0], line[0], line[0], line[0])
    for i in line.indices {
      let past = feedback[0] * a + feedback[1] * b + feedback[2] * c + feedback[3] * d
      (a, b, c, d) = (gain * line[i] - past, a, b, c)
      line[i] = a
    }
  }
}

/// Deriche's recursive filter of fourth order in single precision, with weights that are divided by their
/// sum.
struct FloatDeriche: FloatRecursion {
  static let promise = Promise.approximation(levels: 1)

  private let feedforward: [Float], backward: [Float]
  private let feedback: [Float]

  init(sigma: Double) {
    // Each term of the sum is Re α e^(−λn/σ), multiplied by two because of its conjugate.
    let terms = [(1.68, 3.735, 1.783, 0.6318), (-0.6803, -0.2598, 1.723, 1.997)]
    let sections = terms.map { a, b, decay, frequency in
      let modulus = exp(-decay / sigma)
      let (real, imaginary) = (modulus * cos(frequency / sigma), modulus * sin(frequency / sigma))
      return (above: [a, b * imaginary - a * real], below: [1, -2 * real, modulus * modulus])
    }
    let below = times(sections[0].below, sections[1].below)
    let left = times(sections[0].above, sections[1].below)
    let above = zip(left, times(sections[1].above, sections[0].below)).map(+)
    // The backward filter has the same weights, but it omits the sample itself.
    let after = (1...4).map { ($0 < 4 ? above[$0] : 0) - below[$0] * above[0] }
    let scale = below.reduce(0, +) / (above.reduce(0, +) + after.reduce(0, +))
    feedforward = above.map { Float($0 * scale) }
    backward = ([0] + after).map { Float($0 * scale) }
    feedback = below.dropFirst().map { Float($0) }
  }

  func filter(_ line: inout [FloatLanes]) {
    var after = Array(line.reversed())
    pass(&line, feedforward)
    pass(&after, backward)
    after.reverse()
    for i in line.indices { line[i] += after[i] }
  }

  private func pass(_ line: inout [FloatLanes], _ weights: [Float]) {
    let (ahead, back): (Float, Float) = (weights.reduce(0, +), feedback.reduce(0, +))
    let steady = line[0] * (ahead / (1 + back))
    var (a, b, c, d) = (steady, steady, steady, steady)
    var samples = [FloatLanes](repeating: line[0], count: 5)
    for i in line.indices {
      for k in (1..<5).reversed() { samples[k] = samples[k - 1] }
      samples[0] = line[i]
      var sum = FloatLanes.zero
      for k in weights.indices { sum += weights[k] * samples[k] }
      let past = feedback[0] * a + feedback[1] * b + feedback[2] * c + feedback[3] * d
      (a, b, c, d) = (sum - past, a, b, c)
      line[i] = a
    }
  }
}

/// Returns the product of two polynomials.
private func times(_ a: [Double], _ b: [Double]) -> [Double] {
  var product = [Double](repeating: 0, count: a.count + b.count - 1)
  for i in a.indices { for j in b.indices { product[i + j] += a[i] * b[j] } }
  return product
}

@Suite struct FloatRecursionTests {
  /// Shows that the low precision of the tested kernels is their only mistake.
  @Test(
    "Single precision is enough for small sigmas",
    arguments: [Kernel(FloatRecursive<FloatVYV>()), Kernel(FloatRecursive<FloatDeriche>())])
  func singlePrecisionIsEnoughForSmallSigmas(_ kernel: Kernel) throws {
    var run = VerificationRun(kernels: [kernel], properties: [.truth, .axes, .region])
    run.formats = [.rgba8, .grayf32]
    run.sigmas = [try Sigma(2.5)]
    #expect(try run.checks().compactMap(\.outcome.failure).map(\.message) == [])
  }
}
