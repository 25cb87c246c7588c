import Blur

/// A window filter in whole numbers once more: a sum at a time, without vectors, strips or lines, and with an
/// edge rule of its own. The weights are the plan's; that they are right, the truth says.
struct ScalarWindow {
  private let weights: IntegerWeights
  private let edge: EdgeMode

  /// The filter of those weights.
  init(_ weights: IntegerWeights, _ edge: EdgeMode) { (self.weights, self.edge) = (weights, edge) }

  /// The blurred image, of 8 bits for averages and of 16 for products.
  func blurred(_ image: Image) throws(BlurError) -> Image {
    let layout = image.layout
    let (channels, width, height) = (layout.format.channels, layout.width, layout.height)
    let constant = edge.constantRow(layout).map { value($0) }
    let rows = image.withView { view in
      (0..<height).map { y in view.values(ofRow: y).map { value($0) } }
    }
    let blurred = sums(of: rows, constant, weights.down, isLast: false)
    let columns = (0..<width).map { x in blurred.flatMap { $0[x * channels..<(x + 1) * channels] } }
    let corner = rows.flatMap { _ in constant[..<channels] }
    let results = sums(of: columns, corner, weights.across, isLast: true)
    return try Image.painted(layout) { x, y, c in Double(results[x][y * channels + c]) }
  }

  /// A component as it is summed: 256 times a byte, or signed.
  private func value(_ component: Double) -> Int {
    weights.arithmetic == .averages ? 256 * Int(component) : Int(component) - 32_768
  }

  /// The weighted sums of neighbouring lines, rounded; `half` are the weights from the centre on.
  private func sums(of lines: [[Int]], _ constant: [Int], _ half: [Int], isLast: Bool) -> [[Int]] {
    let continued = ReferenceLine.continued(lines.count, edge)
    let isAverage = weights.arithmetic == .averages
    return lines.indices.map { centre in
      func line(_ distance: Int) -> [Int] { continued(centre + distance).map { lines[$0] } ?? constant }
      var sums = lines[centre].map { isAverage ? (half[0] * $0) >> 16 : half[0] * $0 }
      for (distance, weight) in half.enumerated().dropFirst() {
        let (before, after) = (line(-distance), line(distance))
        for i in sums.indices {
          let both = before[i] + after[i]
          sums[i] += isAverage ? (weight * ((both + 1) >> 1)) >> 16 : weight * both
        }
      }
      return sums.map { rounded($0, radius: half.count - 1, isLast: isLast) }
    }
  }

  /// What becomes of a sum. Averages make up for half a unit that each product loses; sums of products are
  /// rounded to nearest.
  private func rounded(_ sum: Int, radius: Int, isLast: Bool) -> Int {
    switch weights.arithmetic {
    case .averages: isLast ? (sum + radius / 2 + 128) >> 8 : sum + (radius + 1) / 2
    case .products: ((sum + 1 << 14) >> 15) + (isLast ? 32_768 : 0)
    }
  }
}
