import Blur
import Foundation

/// What a blur should give: its definition written plainly, in double precision. Nothing is rounded here.
///
/// The Gaussian is g(i) ∝ exp(−i²/2σ²) at the integers, |i| ≤ ⌈6σ⌉, normalised to sum 1; sigma 0 is the
/// identity; the edge mode continues the input.
public struct Truth: Sendable {
  /// The shape of the image that was blurred.
  public let layout: ImageLayout
  /// The output rows that were computed.
  public let rows: [Int]
  /// The components of those rows, one row after the other, in the format's own units.
  public let values: [Double]

  /// Blurs `image`; of the result, only the rows `rows` are computed (all by default).
  public static func of(
    _ image: Image, _ definition: Definition = .gaussian, sigma: Sigma, edge: EdgeMode, rows: [Int]? = nil
  ) -> Truth {
    guard definition.isLinear else {
      return imageEffectBoxes(image, sigma: sigma, rows: rows ?? Array(0..<image.layout.height))
    }
    let (layout, channels) = (image.layout, image.layout.format.channels)
    let (across, down) = (definition.weights(sigma.x), definition.weights(sigma.y))
    let constant = edge.constantRow(layout)
    let rows = rows ?? Array(0..<layout.height)
    let lines = concurrentMap(rows) { y in
      // Down before across, so that a few rows of a large image are cheap; without rounding it is the same.
      let line = weightedSum(down, count: constant.count) { offset in
        let row = edge.index(of: y + offset, count: layout.height)
        return row.map { row in image.withView { $0.values(ofRow: row)[...] } } ?? constant[...]
      }
      let radius = across.count / 2
      let continued = (-radius..<layout.width + radius).flatMap { x in
        edge.index(of: x, count: layout.width).map { line[$0 * channels..<($0 + 1) * channels] }
          ?? constant[..<channels]
      }
      return weightedSum(across, count: line.count) { continued[(radius + $0) * channels..<continued.count] }
    }
    return Truth(layout: layout, rows: rows, values: lines.flatMap { $0 })
  }

  /// The weights of a Gaussian from left to right.
  static func gaussian(_ sigma: Double) -> [Double] {
    let radius = Int((6 * sigma).rounded(.up))
    let samples = (-radius...radius).map { $0 == 0 ? 1 : exp(-pow(Double($0) / sigma, 2) / 2) }
    let sum = samples.reduce(0, +)
    return samples.map { $0 / sum }
  }

  /// The sum of `samples` at the offsets −radius…radius, each times its weight.
  private static func weightedSum(
    _ weights: [Double], count: Int, _ samples: (_ offset: Int) -> ArraySlice<Double>
  ) -> [Double] {
    var sums = [Double](repeating: 0, count: count)
    for (k, weight) in weights.enumerated() {
      let values = samples(k - weights.count / 2)
      for i in 0..<count { sums[i] += weight * values[values.startIndex + i] }
    }
    return sums
  }
}
