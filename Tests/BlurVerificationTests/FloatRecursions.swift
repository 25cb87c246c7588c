import Blur
import Foundation
import Testing

@testable import BlurVerification

/// A recursion of fourth order over one line, all of it in single precision.
protocol FloatRecursion: Sendable {
  static var promise: Promise { get }
  /// Makes the recursion for `sigma` pixels.
  init(sigma: Double)
  /// The filtered line; its ends are so far out that what happens there does not matter.
  func filtered(_ line: [Float]) -> [Float]
}

/// The kernel of a recursion whose state is single precision: right at small sigmas, and wrong at large ones,
/// where the coefficients' sum of about σ⁻⁴ is lost to rounding.
struct FloatRecursive<R: FloatRecursion>: BlurKernel {
  static var name: String { "\(R.self)" }
  static var summary: String { "deliberately in single precision" }
  static var promise: Promise { R.promise }

  private let blur: PlainBlur

  init(_ parameters: BlurParameters, layout: ImageLayout) { blur = PlainBlur(parameters, layout) }

  /// One piece: whole lines, rows and then columns.
  var phases: [Phase] { [Phase(units: 1)] }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    for c in 0..<blur.format.channels {
      let rows = (0..<blur.height).map { y in
        line((0..<blur.width).map { Float(blur.read(buffers.source, $0, y, c)) }, c, blur.sigma.x)
      }
      for x in blur.region.x..<blur.region.x + blur.region.width {
        let column = line(rows.map { $0[x] }, c, blur.sigma.y)
        for y in 0..<blur.region.height {
          blur.write(buffers.destination, x - blur.region.x, y, c, Double(column[y + blur.region.y]))
        }
      }
    }
  }

  private func line(_ samples: [Float], _ c: Int, _ sigma: Double) -> [Float] {
    guard sigma > 0 else { return samples }
    let margin = Int(20 * sigma) + 20
    let constant: Float = if case .constant(let pixel) = blur.edge { pixel[c] } else { 0 }
    let continued = (-margin..<samples.count + margin).map { position in
      blur.edge.index(of: position, count: samples.count).map { samples[$0] } ?? constant
    }
    return Array(R(sigma: sigma).filtered(continued)[margin..<margin + samples.count])
  }
}

/// van Vliet, Young and Verbeek's recursion of fourth order, single precision.
struct FloatVYV: FloatRecursion {
  static let promise = Promise.approximation(levels: 21)

  private let gain: Float
  private let feedback: [Float]

  init(sigma: Double) {
    // Their poles for sigma 2, scaled by the power 1/q; the variance is about 4q², solved for exactly.
    let poles = [(1.13228, 1.28114), (1.78534, 0.46763)]
    func denominator(_ q: Double) -> [Double] {
      poles.reduce([1]) { product, pole in
        let modulus = pow(hypot(pole.0, pole.1), -1 / q)
        return times(product, [1, -2 * modulus * cos(atan2(pole.1, pole.0) / q), modulus * modulus])
      }
    }
    // −2 (log A)″ at 0, of the denominator A as a function of the logarithm of z⁻¹.
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

  func filtered(_ line: [Float]) -> [Float] { pass(pass(line).reversed()).reversed() }

  private func pass(_ line: [Float]) -> [Float] {
    var last = [Float](repeating: line[0], count: 4)
    return line.map { sample in
      let result = zip(feedback, last).reduce(gain * sample) { $0 - $1.0 * $1.1 }
      last = [result] + last.dropLast()
      return result
    }
  }
}

/// Deriche's recursion of fourth order, single precision, its weights divided by their sum.
struct FloatDeriche: FloatRecursion {
  static let promise = Promise.approximation(levels: 1)

  private let feedforward: [Float], backward: [Float]
  private let feedback: [Float]

  init(sigma: Double) {
    // Re α e^(−λn/σ), twice for the conjugates.
    let terms = [(1.68, 3.735, 1.783, 0.6318), (-0.6803, -0.2598, 1.723, 1.997)]
    let sections = terms.map { a, b, decay, frequency in
      let modulus = exp(-decay / sigma)
      let (real, imaginary) = (modulus * cos(frequency / sigma), modulus * sin(frequency / sigma))
      return (above: [a, b * imaginary - a * real], below: [1, -2 * real, modulus * modulus])
    }
    let below = times(sections[0].below, sections[1].below)
    let left = times(sections[0].above, sections[1].below)
    let above = zip(left, times(sections[1].above, sections[0].below)).map(+)
    // The same backwards, without the sample itself.
    let after = (1...4).map { ($0 < 4 ? above[$0] : 0) - below[$0] * above[0] }
    let scale = below.reduce(0, +) / (above.reduce(0, +) + after.reduce(0, +))
    feedforward = above.map { Float($0 * scale) }
    backward = ([0] + after).map { Float($0 * scale) }
    feedback = below.dropFirst().map { Float($0) }
  }

  func filtered(_ line: [Float]) -> [Float] {
    zip(pass(line, feedforward), pass(line.reversed(), backward).reversed()).map(+)
  }

  private func pass(_ line: [Float], _ weights: [Float]) -> [Float] {
    var samples = [Float](repeating: line[0], count: weights.count)
    let steady = line[0] * weights.reduce(0, +) / (1 + feedback.reduce(0, +))
    var last = [Float](repeating: steady, count: 4)
    return line.map { sample in
      samples = [sample] + samples.dropLast()
      let sum = zip(weights, samples).reduce(0) { $0 + $1.0 * $1.1 }
      let result = zip(feedback, last).reduce(sum) { $0 - $1.0 * $1.1 }
      last = [result] + last.dropLast()
      return result
    }
  }
}

/// The product of two polynomials.
private func times(_ a: [Double], _ b: [Double]) -> [Double] {
  var product = [Double](repeating: 0, count: a.count + b.count - 1)
  for i in a.indices { for j in b.indices { product[i + j] += a[i] * b[j] } }
  return product
}

@Suite struct FloatRecursionTests {
  /// They are wrong in nothing but precision.
  @Test(arguments: [Kernel(FloatRecursive<FloatVYV>.self), Kernel(FloatRecursive<FloatDeriche>.self)])
  func singlePrecisionIsEnoughForSmallSigmas(_ kernel: Kernel) throws {
    var run = VerificationRun(kernels: [kernel], properties: [.truth, .axes, .region])
    run.formats = [.rgba8, .grayf32]
    run.sigmas = [try Sigma(2.5)]
    #expect(try run.checks().compactMap(\.outcome.failure).map(\.message) == [])
  }
}
