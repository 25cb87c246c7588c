import Testing

@testable import Blur

@Suite("Fourier transform")
struct FourierTests {
  /// By definition, the transform at a frequency is the sum over all samples, each rotated by the frequency
  /// times its index.
  @Test(
    "The transform equals the plain sum, and contains each frequency once", arguments: [1, 2, 4, 8, 64, 256])
  func plainSum(length: Int) {
    let transform = FourierTransform(largest: 256)
    var line = Self.noise(length)
    let samples = line
    line.withUnsafeMutableBufferPointer { transform.forward($0.baseAddress!, length) }
    let turns = transform.frequencies.prefix(length)
    #expect(turns.sorted() == (0..<length).map { Double($0) / Double(length) })
    for (place, turn) in turns.enumerated() {
      for lane in 0..<4 {
        var (real, imaginary) = (0.0, 0.0)
        for (j, sample) in samples.enumerated() {
          let (c, s) = Self.cosineAndSine(turns: turn * Double(j))
          real += sample[lane] * c - sample[lane + 4] * s
          imaginary += sample[lane] * s + sample[lane + 4] * c
        }
        #expect(abs(line[place][lane] - real) < 1e-11)
        #expect(abs(line[place][lane + 4] - imaginary) < 1e-11)
      }
    }
  }

  @Test(
    "Transforming forwards and backwards multiplies the samples by their number", arguments: [1, 2, 32, 1024])
  func roundTrip(length: Int) {
    let transform = FourierTransform(largest: length)
    var line = Self.noise(length)
    let samples = line
    line.withUnsafeMutableBufferPointer {
      transform.forward($0.baseAddress!, length)
      transform.backward($0.baseAddress!, length)
    }
    for (found, sample) in zip(line, samples) {
      for lane in 0..<8 { #expect(abs(found[lane] / Double(length) - sample[lane]) < 1e-13) }
    }
  }

  /// The filter is made for lines of up to 300 samples. A line that is shorter is filtered with shorter
  /// transforms.
  @Test("The filter equals the plain convolution", arguments: [0.3, 1, 4.7], [40, 100, 300])
  func convolution(sigma: Double, count: Int) {
    let taps = GaussianTaps(sigma: sigma, tail: 0)
    let filter = FourierFilter(taps, longest: 300)
    #expect(filter.radius == taps.radius)
    let length = count + 2 * filter.radius
    var line = Self.noise(length)
    let samples = line
    var scratch = [Lanes](repeating: Lanes(repeating: .nan), count: filter.scratchCount(length))
    line.withUnsafeMutableBufferPointer { line in
      scratch.withUnsafeMutableBufferPointer { filter.filter(line.baseAddress!, length, $0.baseAddress!) }
    }
    for i in filter.radius..<filter.radius + count {
      for lane in 0..<8 {
        let expected = (-filter.radius...filter.radius).reduce(0.0) {
          $0 + taps.half[abs($1)] * samples[i + $1][lane]
        }
        #expect(abs(line[i][lane] - expected) < 1e-13)
      }
    }
  }

  @Test("The length of a transform is the next power of two")
  func lengths() {
    for (count, length) in [(1, 1), (2, 2), (3, 4), (64, 64), (65, 128), (2047, 2048), (2049, 4096)] {
      #expect(FourierTransform.length(for: count) == length)
    }
  }

  private static func noise(_ count: Int) -> [Lanes] {
    var state: UInt64 = 3
    return (0..<count).map { _ in
      var lanes = Lanes.zero
      for lane in 0..<8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        lanes[lane] = Double(state >> 40) / Double(1 << 24) - 0.5
      }
      return lanes
    }
  }

  /// Returns the cosine and the sine from a Taylor series, so that this check shares no library function with
  /// the tested code.
  private static func cosineAndSine(turns: Double) -> (Double, Double) {
    let angle = turns.remainder(dividingBy: 1) * 2 * Double.pi
    var (cosine, sine, term) = (0.0, 0.0, 1.0)
    for k in 0..<40 {
      switch k % 4 {
      case 0: cosine += term
      case 1: sine += term
      case 2: cosine -= term
      default: sine -= term
      }
      term *= angle / Double(k + 1)
    }
    return (cosine, sine)
  }
}
