import Blur

/// A second, simple implementation of blurs that multiply pixels by integer weights. The results of kernels
/// are compared with the results of this implementation.
///
/// The implementation computes one sum at a time, without vector instructions, and continues the image beyond
/// its edges with the code of the reference implementation. The weights are taken from the kernel's plan, so
/// they are not checked here. Other checks find wrong weights by comparing results with the correct blur.
struct ScalarWindow {
  private let weights: IntegerWeights
  private let edge: EdgeMode

  /// Creates the filter with the given weights and edge mode.
  init(_ weights: IntegerWeights, _ edge: EdgeMode) { (self.weights, self.edge) = (weights, edge) }

  /// Returns the blurred image. The arithmetic of the weights determines which formats are allowed: 8-bit
  /// formats for `averages`, and 16-bit formats for `products`.
  func blurred(_ image: Image) throws(BlurError) -> Image {
    let layout = image.layout
    let (channels, width, height) = (layout.format.channels, layout.width, layout.height)
    let constant = edge.constantRow(layout).map { value($0) }
    let rows = image.withView { view in
      (0..<height).map { y in view.values(ofRow: y).map { value($0) } }
    }
    let blurred = sums(of: rows, constant, weights.down.half, isLast: false)
    let columns = (0..<width).map { x in blurred.flatMap { $0[x * channels..<(x + 1) * channels] } }
    let corner = rows.flatMap { _ in constant[..<channels] }
    let results = sums(of: columns, corner, weights.across.half, isLast: true)
    return try Image.painted(layout) { x, y, c in Double(results[x][y * channels + c]) }
  }

  /// Converts a pixel component to the integer that the kernel multiplies by its weights. A kernel with the
  /// arithmetic `averages` first multiplies its 8-bit components by 256. A kernel with the arithmetic
  /// `products` first subtracts 32,768 from its 16-bit components.
  private func value(_ component: Double) -> Int {
    weights.arithmetic == .averages ? 256 * Int(component) : Int(component) - 32_768
  }

  /// Returns, for each line, the weighted sum of the line and its neighbours, rounded in the same way as in
  /// the kernel. `half` holds the weights from the centre of the window to its end. The window is symmetric,
  /// so the other half is the same.
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

  /// Returns the sum, rounded as the kernel rounds it. In the arithmetic `averages`, which is used for 8-bit
  /// formats, each product has been truncated and has lost half a unit on average, so a correction is added.
  /// In the arithmetic `products`, which is used for 16-bit formats, the sum is rounded to nearest.
  private func rounded(_ sum: Int, radius: Int, isLast: Bool) -> Int {
    if weights.arithmetic == .averages {
      return isLast ? (sum + radius / 2 + 128) >> 8 : sum + (radius + 1) / 2
    }
    return ((sum + 1 << 14) >> 15) + (isLast ? 32_768 : 0)
  }
}
