import Testing

@testable import Blur

@Suite("Parts of kernels")
struct PartsTests {
  @Test(
    "The pieces (blocks of units) cover all units once, and begin at multiples of the grain",
    arguments: [(1, 1), (7, 1), (30, 4), (33, 4), (3, 4), (1080, 4)], [1, 2, 3, 8])
  func pieces(phase: (units: Int, grain: Int), count: Int) {
    let phase = Phase(units: phase.units, grain: phase.grain)
    let ranges = (0..<count).map { Executor.piece($0, of: count, in: phase) }
    #expect(ranges.flatMap { Array($0) } == Array(0..<phase.units))
    #expect(ranges.allSatisfy { $0.isEmpty || $0.lowerBound % phase.grain == 0 })
  }

  @Test("One thread gets one piece, and several threads get a few pieces that repeat little work")
  func pieceCounts() {
    #expect(Executor.pieces(of: Phase(units: 1000), threads: 1) == 1)
    #expect(Executor.pieces(of: Phase(units: 1000), threads: 2) > 2)
    #expect(Executor.pieces(of: Phase(units: 1000, overlap: 200), threads: 2) == 2)
    #expect(Executor.pieces(of: Phase(units: 7, grain: 4), threads: 8) == 1)
  }

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
    let fixed = try #require(Q15Taps(taps.half))
    #expect(fixed.half[0] + 2 * fixed.half.dropFirst().reduce(0, +) == 1 << Q15Taps.bits)
    #expect(fixed.half.allSatisfy { (0...32767).contains($0) })
    let unit = Double(1 << Q15Taps.bits)
    let positive = zip(fixed.half, taps.half).enumerated().map { k, pair in
      (k == 0 ? 1 : 2) * max(0, Double(pair.0) / unit - pair.1)
    }
    #expect(positive.reduce(0, +) <= fixed.error + 1e-12)
    #expect(Q15Taps([1]) == nil, "a weight of 1 does not fit")
  }

  @Test(
    "Integer taps for averages of neighbours sum to 1, and state at least their error",
    arguments: [0.8, 2, 7.7])
  func pairedTaps(sigma: Double) throws {
    let taps = GaussianTaps(sigma: sigma, tail: 1e-4)
    let paired = try #require(Q16Taps(taps.half))
    #expect(paired.weights.reduce(0) { $0 + Int($1) } == 1 << 16)
    // In the worst image, a pixel is 1 where its weight was rounded up, and 0 elsewhere.
    let errors = zip(paired.weights, taps.half).enumerated().map { k, pair in
      Double(pair.0) / Double(1 << 16) - (k == 0 ? 1 : 2) * pair.1
    }
    #expect(errors.reduce(0) { $0 + max(0, $1) } <= paired.error + 1e-12)
    #expect(Q16Taps([1]) == nil, "a weight of 1 does not fit")
  }

  @Test("Sums of averages fit into 16 bits for the windows in use, but not for every window")
  func largestSums() throws {
    for sigma in [1.0, 8, 50, 200, 1000] {
      let taps = try #require(Q16Taps(GaussianTaps(sigma: sigma, tail: 1e-3).half))
      #expect(AveragesFilter.fits(across: taps, down: taps), "sigma \(sigma)")
    }
    // Returns a window with `count` equal products, whose weights are exact in 16 bits. For a white image the
    // sum is 65280, but rounding each product can add up to half a unit to it.
    func even(_ count: Int) throws -> Q16Taps {
      let weight = 1 / Double(count)
      return try #require(Q16Taps([weight] + [Double](repeating: weight / 2, count: count - 1)))
    }
    let (long, short) = (try even(256), try even(128))
    #expect(long.largestSum(of: 65280, products: 256) == 65280 + 128)
    #expect(short.largestSum(of: 65280 + 128, products: 127) + 128 == 65599)
    #expect(!AveragesFilter.fits(across: short, down: long))
  }

  @Test(
    "A line is continued as the edge mode requires, in every sample layout",
    arguments: [EdgeMode.clamp, .mirror, .reflect, .wrap, .constant([7, 8, 9, 10])], [1, 3, 4])
  func lines(edge: EdgeMode, channels: Int) {
    for (width, radius, start) in [(1, 5, 0), (2, 9, -3), (5, 3, 4), (40, 17, 0), (64, 200, 7)] {
      let (inside, support) = (start..<start + width, start - radius..<start + width + radius)
      for order in [SampleLayout.pixels, .pairs, .halves(odd: 0)] {
        let line = PaddedLine(support, inside: inside, edge: edge, order, channels: channels)
        var values = [Float](repeating: -1, count: line.stride)
        for x in line.columns {
          for c in 0..<channels { values[line.index(of: x, c)] = Float(4 * x + c) }
        }
        values.withUnsafeMutableBufferPointer {
          line.fill($0.baseAddress!) { edge.constant($0, of: .float32) }
        }
        for position in support {
          for c in 0..<channels {
            let column = edge.index(of: position - start, count: width)
            let wanted = column.map { Float(4 * ($0 + start) + c) } ?? edge.constant(c, of: .float32)
            #expect(values[line.index(of: position, c)] == wanted)
          }
        }
      }
    }
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
