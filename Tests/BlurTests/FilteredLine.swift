import Foundation

@testable import Blur

/// Functions that apply filters to lines of samples, and functions that work with weights. A list of weights
/// goes from left to right and has an odd number of elements.
enum Line {
  /// Returns the filtered line. The filter must treat the first and the last value as if they were repeated
  /// without end.
  static func filtered(_ line: [Lanes], _ filter: some AxisFilter) -> [Lanes] {
    var line = line
    var scratch = [Lanes](repeating: Lanes(repeating: .nan), count: filter.scratchCount(line.count) + 1)
    line.withUnsafeMutableBufferPointer { line in
      scratch.withUnsafeMutableBufferPointer { scratch in
        // SAFETY: neither buffer is empty, the line has `count` lanes, and the scratch memory has as many
        // lanes as the filter needs.
        filter.filter(line.baseAddress!, line.count, scratch.baseAddress!)
      }
    }
    return line
  }

  /// Returns the weights of a filter up to its radius. These are its response to an impulse in one lane,
  /// while all other lanes are zero.
  static func response(_ filter: some AxisFilter) -> [Double] {
    let middle = 2 * filter.radius + 2
    var line = [Lanes](repeating: .zero, count: 2 * middle + 1)
    line[middle][5] = 1
    let result = filtered(line, filter)
    return (middle - filter.radius...middle + filter.radius).map { result[$0][5] }
  }

  /// Returns sample `i` of the line that ``blurred(_:sigma:edge:_:)`` filters. The samples differ from lane
  /// to lane.
  static func sample(_ i: Int, _ lane: Int) -> Double {
    let code = (i * i * 37 + lane * 101 + i * lane) % 256
    return Double(code) / 255
  }

  /// Returns a line of `count` pixels with four channels, filtered with the given edge mode.
  static func blurred(_ count: Int, sigma: Double, edge: EdgeMode, _ filter: some AxisFilter) -> [Lanes] {
    let line = AxisLine(count, sigma: sigma, edge: edge, format: .rgbaf32) { _, _ in filter }
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: line.scratchBytes, alignment: 64)
    defer { scratch.deallocate() }
    // SAFETY: the scratch memory has `line.scratchBytes` bytes, as the line requires. So `pixels` points to
    // space for the `count` vectors of the line.
    let pixels = line.pixels(in: scratch)
    for i in 0..<count { for lane in 0..<Lanes.scalarCount { pixels[i][lane] = sample(i, lane) } }
    line.run(scratch, channel: 0)
    return (0..<count).map { pixels[$0] }
  }

  /// Returns the variance of a Gaussian that is sampled at the integers.
  static func sampledVariance(_ sigma: Double) -> Double {
    let radius = Int(12 * sigma) + 2
    let samples = (-radius...radius).map { exp(-pow(Double($0) / sigma, 2) / 2) }
    return variance(samples) / samples.reduce(0, +)
  }

  static func variance(_ weights: [Double]) -> Double {
    weights.enumerated().reduce(0) { $0 + $1.element * pow(Double($1.offset - weights.count / 2), 2) }
  }

  static func convolved(_ factors: [[Double]]) -> [Double] {
    factors.dropFirst().reduce(factors[0]) { a, b in
      var sums = [Double](repeating: 0, count: a.count + b.count - 1)
      for i in a.indices { for j in b.indices { sums[i + j] += a[i] * b[j] } }
      return sums
    }
  }

  /// Returns the response of the recursive filter Π (1 − p)/(1 − pz⁻¹), applied forwards and then backwards.
  /// Each element d of `poles` gives a pole p = d^(−1/q). The poles are applied one after the other with
  /// complex numbers, to a line that is so long that the response decays completely.
  static func product(_ poles: [Complex], _ q: Double) -> [Double] {
    let scaled = poles.map { ($0.logarithm * Complex(-1 / q, 0)).exponential }
    let reach = 8 + Int(40 / -log(scaled.map(\.modulus).max()!))
    var line = [Complex](repeating: Complex(0, 0), count: 2 * reach + 1)
    line[reach] = Complex(1, 0)
    for order in [Array(line.indices), line.indices.reversed()] {
      for pole in scaled {
        var last = Complex(0, 0)
        for i in order {
          last = (Complex(1, 0) - pole) * line[i] + pole * last
          line[i] = last
        }
      }
    }
    return line.map(\.real)
  }
}

/// A complex number.
struct Complex {
  var real: Double, imaginary: Double

  init(_ real: Double, _ imaginary: Double) { (self.real, self.imaginary) = (real, imaginary) }

  var modulus: Double { hypot(real, imaginary) }
  var logarithm: Complex { Complex(log(modulus), atan2(imaginary, real)) }
  var exponential: Complex { Complex(exp(real) * cos(imaginary), exp(real) * sin(imaginary)) }

  static func + (a: Complex, b: Complex) -> Complex { Complex(a.real + b.real, a.imaginary + b.imaginary) }
  static func - (a: Complex, b: Complex) -> Complex { Complex(a.real - b.real, a.imaginary - b.imaginary) }
  static func * (a: Complex, b: Complex) -> Complex {
    Complex(a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)
  }
}
