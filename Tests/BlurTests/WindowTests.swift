import Testing

@testable import Blur

@Suite("Windows of weights")
struct WindowTests {
  @Test("Taps are a Gaussian that sums to 1 and omits no more than allowed", arguments: [0.5, 1, 3.3, 40])
  func taps(sigma: Double) {
    let taps = GaussianTaps(sigma: sigma, tail: 1e-4)
    #expect(abs(taps.window.reduce(0, +) - 1) < 1e-14)
    let full = GaussianTaps(sigma: sigma, tail: 0)
    let leftOut = 2 * full.half.dropFirst(taps.half.count).reduce(0, +)
    #expect(leftOut <= 1e-4)
    #expect(leftOut + 2 * full.half[taps.radius] > 1e-4, "the window is wider than it needs to be")
    // For a Gaussian, the ratio of neighbouring weights is g(i + 1) / g(i) = exp(−(2i + 1) / 2σ²), so the
    // ratios of successive ratios are constant.
    let ratios = zip(taps.half, taps.half.dropFirst()).map { $1 / $0 }
    for (first, second) in zip(ratios, ratios.dropFirst()) {
      #expect(abs(second / first / (ratios[0] * ratios[0]) - 1) < 1e-9)
    }
  }

  @Test("Integer taps sum to 1, fit into 16 bits, and state their error", arguments: [0.5, 2, 9, 60])
  func fixedTaps(sigma: Double) throws {
    let taps = GaussianTaps(sigma: sigma, tail: 4e-4)
    let fixed = try #require(IntegerTaps(taps.half, .products))
    #expect(fixed.half[0] + 2 * fixed.half.dropFirst().reduce(0, +) == 1 << 15)
    #expect(fixed.half.allSatisfy { (0...32767).contains($0) })
    let unit = Double(1 << 15)
    let positive = zip(fixed.half, taps.half).enumerated().map { k, pair in
      (k == 0 ? 1 : 2) * max(0, Double(pair.0) / unit - pair.1)
    }
    #expect(positive.reduce(0, +) <= fixed.error + 1e-12)
    #expect(IntegerTaps([1], .products) == nil, "a weight of 1 does not fit")
  }

  @Test(
    "Integer taps for averages of neighbours sum to 1, and state at least their error",
    arguments: [0.8, 2, 7.7])
  func pairedTaps(sigma: Double) throws {
    let taps = GaussianTaps(sigma: sigma, tail: 1e-4)
    let paired = try #require(IntegerTaps(taps.half, .averages))
    #expect(paired.half.reduce(0, +) == 1 << 16)
    // In the worst image, a pixel is 1 where its weight was rounded up, and 0 elsewhere.
    let errors = zip(paired.half, taps.half).enumerated().map { k, pair in
      Double(pair.0) / Double(1 << 16) - (k == 0 ? 1 : 2) * pair.1
    }
    #expect(errors.reduce(0) { $0 + max(0, $1) } <= paired.error + 1e-12)
    #expect(IntegerTaps([1], .averages) == nil, "a weight of 1 does not fit")
  }

  @Test("Sums of averages fit into 16 bits for the windows in use, but not for every window")
  func largestSums() throws {
    for sigma in [1.0, 8, 50, 200, 1000] {
      let taps = try #require(IntegerTaps(GaussianTaps(sigma: sigma, tail: 1e-3).half, .averages))
      #expect(AveragesFilter.fits(across: taps, down: taps), "sigma \(sigma)")
    }
    // Returns a window with `count` equal products, whose weights are exact in 16 bits. For a white image the
    // sum is 65280, but rounding each product can add up to half a unit to it.
    func even(_ count: Int) throws -> IntegerTaps {
      let weight = 1 / Double(count)
      return try #require(
        IntegerTaps([weight] + [Double](repeating: weight / 2, count: count - 1), .averages))
    }
    let (long, short) = (try even(256), try even(128))
    #expect(long.largestSum(of: 65280, products: 256) == 65280 + 128)
    #expect(short.largestSum(of: 65280 + 128, products: 127) + 128 == 65599)
    #expect(!AveragesFilter.fits(across: short, down: long))
  }

  @Test("Box sizes follow the W3C formula")
  func boxSizes() {
    // The expected box sizes were computed by hand, with the formula d = ⌊σ · 1.87997 + ½⌋ of the W3C
    // specification. If d is even, two boxes have d pixels and the third one has d + 1 pixels.
    for (sigma, twice, once) in [
      (0.0, 1, 1), (0.2, 1, 1), (0.5, 1, 1), (1.0, 2, 3), (1.5, 3, 3), (2.0, 4, 5), (10.0, 19, 19),
    ] {
      let sizes = BoxSizes(sigma: sigma)
      #expect((sizes.twice, sizes.once) == (twice, once), "sigma \(sigma)")
    }
  }
}
