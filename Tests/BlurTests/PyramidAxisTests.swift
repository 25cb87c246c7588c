import Testing

@testable import Blur

/// Tests of `PyramidAxis.repeated`. If the edge mode repeats the image, the coarsest level of a pyramid may
/// repeat itself as well, so its pixels beyond the image need not be computed. The predictions are compared
/// with levels that are computed pixel by pixel.
@Suite("Ends of a pyramid's levels")
struct PyramidAxisTests {
  /// Sequences of filter orders. Each sequence has one to three elements, one for each level of a pyramid.
  private static let orders: [[Int]] = {
    func longer(_ sequences: [[Int]], by orders: [Int]) -> [[Int]] {
      sequences.flatMap { sequence in orders.map { sequence + [$0] } }
    }
    let one = [[2], [3], [4], [5]]
    return one + longer(one, by: [2, 3, 4, 5]) + longer(longer([[3], [4]], by: [3, 4]), by: [3, 4])
  }()

  @Test("The coarsest level continues exactly as predicted", arguments: [EdgeMode.mirror, .reflect, .wrap])
  func repeats(edge: EdgeMode) throws {
    var found = 0
    for length in [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 20, 24, 25] {
      for orders in Self.orders {
        let level = Self.coarsest(orders, length, edge)
        guard let repeated = PyramidAxis.repeated(edge, length, orders) else {
          // `PyramidAxis.repeated` predicts that this coarsest level does not repeat itself. So the level
          // must differ from its mirror image about pixel 0 or, with the edge mode `wrap`, from itself
          // shifted by `count` pixels. A level of fewer than four pixels is skipped, because it may repeat by
          // chance.
          let count = length >> orders.count
          #expect(count < 4 || level(-1) != level(edge == .wrap ? count - 1 : 1), "\(length) \(orders)")
          continue
        }
        let count = repeated.count ?? 1000
        let beyond = Array(-20..<0) + (repeated.count == nil ? [] : Array(count..<count + 20))
        for pixel in beyond {
          let same = try #require(repeated.edge.index(of: pixel, count: count))
          #expect(level(pixel) == level(same), "\(length) \(orders) \(pixel)")
        }
        if repeated.count != nil { found += 1 }
      }
    }
    #expect(found > 20)
  }

  /// Returns a function that computes the pixel of the coarsest level at any position, for a fixed test
  /// image. Its sums are exact.
  private static func coarsest(_ orders: [Int], _ length: Int, _ edge: EdgeMode) -> (Int) -> Double {
    var level: (Int) -> Double = { position in
      let pixel = edge.index(of: position, count: length)!
      return Double((pixel * pixel * 37 + pixel * 101 + 13) % 251)
    }
    for order in orders {
      let finer = level
      let taps = (0..<order).reduce([1.0]) { (row: [Double], _) -> [Double] in
        zip(row + [0], [0] + row).map { (a: Double, b: Double) -> Double in (a + b) / 2 }
      }
      level = { pixel in
        let first = 2 * pixel - (order + 1) / 2
        return taps.indices.reduce(0.0) { sum, tap in sum + taps[tap] * finer(first + tap) }
      }
    }
    return level
  }
}
