import Blur
import Foundation

/// What a blur should give: the definition written plainly, in double precision, for all or some rows.
///
/// The Gaussian is g(i) ∝ exp(−i²/2σ²) at the integers, |i| ≤ ⌈6σ⌉, normalised to sum 1; sigma 0 is the
/// identity. Nothing is rounded: ``deviation(of:)`` rounds when it compares.
public struct Truth: Sendable {
  /// Which blur is meant.
  public enum Definition: String, CaseIterable, Sendable {
    case gaussian
    case tripleBox = "triple-box"
  }

  /// The shape of the image that was blurred.
  public let layout: ImageLayout
  /// The output rows that were computed.
  public let rows: [Int]
  /// Their components one after the other, in the format's own units, unrounded.
  public let values: [Double]

  /// Blurs the rows `rows` of `image` (all by default), whose edge mode is applied to the input alone.
  public static func of(
    _ image: Image, _ definition: Definition = .gaussian, sigma: Sigma, edge: EdgeMode, rows: [Int]? = nil
  ) -> Truth {
    let across = weights(definition, sigma.x)
    let down = weights(definition, sigma.y)
    let rows = rows ?? Array(0..<image.layout.height)
    let lines = concurrentMap(rows) { y in
      // Down first, so that a few rows of a large image are cheap; in exact arithmetic the order is nothing.
      image.withView { blurredAcross(blurredDown($0, y, down, edge), $0.layout, across, edge) }
    }
    return Truth(layout: image.layout, rows: rows, values: lines.flatMap { $0 })
  }

  private static func blurredDown(_ image: ImageView, _ y: Int, _ w: [Double], _ edge: EdgeMode) -> [Double] {
    var sums = [Double](repeating: 0, count: image.layout.rowComponents)
    for k in w.indices {
      let row = edge.index(of: y + k - w.count / 2, count: image.layout.height)
      let values = row.map(image.values(ofRow:)) ?? edge.constantRow(image.layout)
      for i in sums.indices { sums[i] += w[k] * values[i] }
    }
    return sums
  }

  private static func blurredAcross(
    _ row: [Double], _ layout: ImageLayout, _ w: [Double], _ edge: EdgeMode
  ) -> [Double] {
    let (channels, radius) = (layout.format.channels, w.count / 2)
    let constant = edge.constantRow(layout)
    let padded = (-radius..<layout.width + radius).flatMap { position in
      edge.index(of: position, count: layout.width).map { row[$0 * channels..<($0 + 1) * channels] }
        ?? constant[..<channels]
    }
    var sums = [Double](repeating: 0, count: row.count)
    for k in w.indices { for i in sums.indices { sums[i] += w[k] * padded[i + k * channels] } }
    return sums
  }
}
