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
    guard definition.isLinear || (sigma.x == 0 && sigma.y == 0) else {
      return imageEffectBoxes(image, sigma: sigma, rows: rows ?? Array(0..<image.layout.height))
    }
    let (layout, channels) = (image.layout, image.layout.format.channels)
    let rows = rows ?? Array(0..<layout.height)
    // Down before across, so that a few rows of a large image are cheap; without rounding it is the same.
    let down = ReferenceLine(window: definition.weights(sigma.y), count: layout.height, edge: edge)
    let across = ReferenceLine(window: definition.weights(sigma.x), count: layout.width, edge: edge)
    let needed = down.pixels(for: rows)
    let lines = image.withView { view in
      (0..<layout.height).map { needed[$0] ? view.values(ofRow: $0) : [] }
    }
    let constant = edge.constantRow(layout)
    let blurred = down.applied(to: lines, constant: constant, at: rows)
    let corner = rows.flatMap { _ in constant[..<channels] }
    let columns = across.applied(
      to: transposed(blurred, groups: channels), constant: corner, at: Array(0..<layout.width))
    let values = transposed(columns, groups: channels)
    return Truth(layout: layout, rows: rows, values: values.flatMap { $0 })
  }

  /// Rows and columns exchanged; a pixel is a group of values.
  private static func transposed(_ lines: [[Double]], groups: Int) -> [[Double]] {
    (0..<(lines.first?.count ?? 0) / groups).map { x in
      (0..<lines.count * groups).map { lines[$0 / groups][x * groups + $0 % groups] }
    }
  }

  /// The weights of a Gaussian from left to right.
  static func gaussian(_ sigma: Double) -> [Double] {
    let radius = Int((6 * sigma).rounded(.up))
    let samples = (-radius...radius).map { $0 == 0 ? 1 : exp(-pow(Double($0) / sigma, 2) / 2) }
    let sum = samples.reduce(0, +)
    return samples.map { $0 / sum }
  }
}
