import Foundation
import Testing

@testable import Blur

@Suite("Windows longer than the image")
struct FoldingTests {
  /// Returns a line blurred with a window, computed separately for each position.
  private func blurred(_ line: [Double], _ taps: GaussianTaps, _ edge: EdgeMode) -> [Double] {
    line.indices.map { x in
      (-taps.radius...taps.radius).reduce(0) { sum, k in
        let value = edge.index(of: x + k, count: line.count).map { line[$0] } ?? 0.3
        return sum + taps.half[abs(k)] * value
      }
    }
  }

  @Test("A folded window gives the same result, with any edge mode", arguments: [1, 2, 3, 4, 7, 10, 31])
  func same(count: Int) {
    let line = (0..<count).map { Double($0 * 37 % 11) / 10 }
    for edge in EdgeMode.allCases {
      for sigma in [0.3, 1, 2.5, 9, 40] {
        let taps = GaussianTaps(sigma: sigma, tail: 1e-6)
        let folded = taps.folded(edge, count)
        #expect(abs(folded.window.reduce(0, +) - 1) < 1e-12 && folded.half.allSatisfy { $0 >= 0 })
        #expect(folded.radius <= max(1, count))
        for (a, b) in zip(blurred(line, taps, edge), blurred(line, folded, edge)) {
          #expect(abs(a - b) < 1e-12, "\(edge.name), \(count) pixels, sigma \(sigma)")
        }
      }
    }
  }

  @Test("A window that fits into the image stays the same")
  func fits() {
    let taps = GaussianTaps(sigma: 3, tail: 1e-4)
    for edge in EdgeMode.allCases { #expect(taps.folded(edge, 200) == taps) }
  }

  @Test(
    "If the edge mode repeats the image, a smaller sigma gives the same blur", arguments: [1, 2, 3, 8, 25])
  func sigmas(count: Int) throws {
    let line = (0..<count).map { Double($0 * 37 % 11) / 10 }
    let layout = try ImageLayout(.gray8, width: count, height: 4)
    for edge in [EdgeMode.mirror, .reflect, .wrap] {
      for sigma in [20.0, 1000] {
        let least = try Sigma(sigma).folded(edge, layout).x
        #expect(least <= 0.9 * Double(2 * count) && least > 0)
        let (a, b) = (GaussianTaps(sigma: sigma, tail: 0), GaussianTaps(sigma: least, tail: 0))
        for (x, y) in zip(blurred(line, a, edge), blurred(line, b, edge)) {
          #expect(abs(x - y) < 4e-7, "\(edge.name), \(count) pixels: \(sigma) as \(least)")
        }
      }
    }
    for edge in [EdgeMode.clamp, .transparent] {
      #expect(try Sigma(1000).folded(edge, layout) == Sigma(1000))
    }
  }
}
