import Blur
import Foundation

/// The correct result of a blur, computed in double precision directly from the definition and not rounded.
///
/// The Gaussian is g(i) ∝ exp(−i²/2σ²) at the integers |i| ≤ ⌈6σ⌉, normalised to sum 1. A sigma of 0 is the
/// identity. The edge mode determines the input beyond the edges of the image.
///
/// For an image with straight alpha, the colours of the correct result are multiplied by alpha.
public struct Truth: Sendable {
  /// The layout of the image that was blurred.
  public let layout: ImageLayout
  /// The indices of the output rows that were computed.
  public let rows: [Int]
  /// The components of the computed rows, one row after the other, in the format's own units.
  public let values: [Double]

  /// Returns the blur of `image`. If `rows` is given, only these rows of the result are computed.
  public static func of(
    _ image: Image, _ definition: Definition = .gaussian, sigma: Sigma, edge: EdgeMode, rows: [Int]? = nil
  ) -> Truth {
    guard definition.isLinear || (sigma.x == 0 && sigma.y == 0) else {
      return imageEffectBoxes(image, sigma: sigma, rows: rows ?? Array(0..<image.layout.height))
    }
    let (layout, channels) = (image.layout, image.layout.format.channels)
    let rows = rows ?? Array(0..<layout.height)
    // Columns are filtered before rows, so that computing a few rows of a large image is cheap. Without
    // rounding, the order does not change the result.
    let down = ReferenceLine(window: definition.weights(sigma.y), count: layout.height, edge: edge)
    let across = ReferenceLine(window: definition.weights(sigma.x), count: layout.width, edge: edge)
    let needed = down.pixels(for: rows)
    let lines = image.withView { view in
      (0..<layout.height).map { needed[$0] ? view.blurredValues(ofRow: $0) : [] }
    }
    let constant = layout.blurredValues(edge.constantRow(layout))
    let blurred = down.applied(to: lines, constant: constant, at: rows)
    let corner = rows.flatMap { _ in constant[..<channels] }
    let columns = across.applied(
      to: transposed(blurred, groups: channels), constant: corner, at: Array(0..<layout.width))
    let values = transposed(columns, groups: channels)
    return Truth(layout: layout, rows: rows, values: values.flatMap { $0 })
  }

  /// Returns an image with rows and columns exchanged. Each element of `lines` is one row. Each pixel
  /// consists of `groups` consecutive values, which stay together.
  private static func transposed(_ lines: [[Double]], groups: Int) -> [[Double]] {
    (0..<(lines.first?.count ?? 0) / groups).map { x in
      (0..<lines.count * groups).map { lines[$0 / groups][x * groups + $0 % groups] }
    }
  }

  /// Returns the weights of a Gaussian from left to right.
  static func gaussian(_ sigma: Double) -> [Double] {
    let radius = Int((6 * sigma).rounded(.up))
    let samples = (-radius...radius).map { $0 == 0 ? 1 : exp(-pow(Double($0) / sigma, 2) / 2) }
    let sum = samples.reduce(0, +)
    return samples.map { $0 / sum }
  }

  /// Returns the standard deviation of the weights of a Gaussian. Below a sigma of 1, it is clearly smaller
  /// than sigma, because the Gaussian is sampled only at whole numbers.
  static func deviation(_ sigma: Double) -> Double {
    let weights = gaussian(sigma)
    let squares = weights.indices.map { weights[$0] * pow(Double($0 - weights.count / 2), 2) }
    return squares.reduce(0, +).squareRoot()
  }
}
