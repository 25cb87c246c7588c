import Blur

extension Truth {
  /// Returns the correct result of a blur with a variable sigma. At each pixel, the standard deviation of the
  /// Gaussian is `sigma` times the mask value divided by 255.
  ///
  /// - Parameters:
  ///   - sigma: The standard deviation in pixels where the mask is 255.
  ///   - mask: A gray8 image of the same size as `image`.
  ///   - rows: The output rows to compute, or nil for all rows.
  ///   - method: If not nil, the function returns the exact result of this approximation method instead of
  ///     the ideal blur.
  public static func of(
    _ image: Image, sigma: Double, mask: Image, edge: EdgeMode, rows: [Int]? = nil,
    method: VariableMethod? = nil
  ) -> Truth {
    let rows = rows ?? Array(0..<image.layout.height)
    let reference = VariableReference(image, sigma: sigma, mask: mask, edge: edge)
    let lines = concurrentMap(rows, isSerial: image.layout.pixelCount < 2000) { y in
      method == .twoPass ? reference.twoPasses(y) : reference.mixture(y, method)
    }
    return Truth(layout: image.layout, rows: rows, values: lines.flatMap { $0 })
  }
}

/// The reference implementation of blurs with a variable sigma. It computes one output row at a time in
/// double precision.
///
/// Each method mixes several blurs according to a rule, which determines the blurs and the share of each.
/// These rules are implemented here a second time, independently of the code under test.
struct VariableReference: Sendable {
  private let layout: ImageLayout
  private let sigma: Double
  private let edge: EdgeMode
  private let pixels: [[Double]], masks: [[Int]]
  private let constant: [Double]

  private typealias Column = [Double]

  init(_ image: Image, sigma: Double, mask: Image, edge: EdgeMode) {
    (layout, self.sigma, self.edge) = (image.layout, sigma, edge)
    let height = layout.height
    pixels = image.withView { view in (0..<height).map { view.blurredValues(ofRow: $0) } }
    masks = mask.withView { view in (0..<height).map { view.values(ofRow: $0).map { Int($0) } } }
    constant = Array(layout.blurredValues(edge.constantRow(layout)).prefix(layout.format.channels))
  }

  /// Returns row `y` of the mixture of Gaussian blurs that `method` prescribes. If `method` is nil, each
  /// pixel is blurred with a single Gaussian that has the sigma of this pixel.
  func mixture(_ y: Int, _ method: VariableMethod?) -> [Double] {
    let channels = layout.format.channels
    var row = [Double](repeating: 0, count: layout.rowComponents)
    for value in Set(masks[y]) {
      let outputs = (0..<layout.width).filter { masks[y][$0] == value }
      for part in Self.recipe(method, sigma, mask: value) {
        let window = Truth.gaussian(part.sigma)
        let across = ReferenceLine(window: window, count: layout.width, edge: edge)
        var columns: [Int: Column] = [:]
        for x in outputs {
          let terms = across.terms(of: x)
          for (i, weight) in terms.inside {
            let column = columns[i] ?? down(window, x: i, y: y) { pixels[$0] }
            columns[i] = column
            for c in 0..<channels { row[x * channels + c] += part.share * weight * column[c] }
          }
          for c in 0..<channels { row[x * channels + c] += part.share * terms.constant * constant[c] }
        }
      }
    }
    return row
  }

  /// Returns row `y` of a blur in two passes. The first pass blurs along rows, and the second one along
  /// columns. Both passes compute each pixel with that pixel's own sigma.
  func twoPasses(_ y: Int) -> [Double] {
    (0..<layout.width).flatMap { x in
      down(window(x, y), x: x, y: y) { row in across(x, row) }
    }
  }

  /// Computes pixel (x, y) of the blur along rows. Returns a whole row, because `down` needs one, but all
  /// other pixels of the row are 0.
  private func across(_ x: Int, _ y: Int) -> [Double] {
    let channels = layout.format.channels
    let terms = ReferenceLine(window: window(x, y), count: layout.width, edge: edge).terms(of: x)
    var row = [Double](repeating: 0, count: layout.rowComponents)
    for c in 0..<channels {
      row[x * channels + c] = terms.inside.reduce(terms.constant * constant[c]) {
        $0 + $1.weight * pixels[y][$1.pixel * channels + c]
      }
    }
    return row
  }

  /// Returns, for each channel, a weighted sum of the pixels of column `x` around row `y`. The closure `line`
  /// returns the values of a row.
  private func down(_ window: [Double], x: Int, y: Int, _ line: (Int) -> [Double]) -> Column {
    let channels = layout.format.channels
    let terms = ReferenceLine(window: window, count: layout.height, edge: edge).terms(of: y)
    var sums = constant.map { $0 * terms.constant }
    for (row, weight) in terms.inside {
      let values = line(row)
      for c in 0..<channels { sums[c] += weight * values[x * channels + c] }
    }
    return sums
  }

  private func window(_ x: Int, _ y: Int) -> [Double] { Truth.gaussian(sigma * Double(masks[y][x]) / 255) }

  /// Returns the Gaussian blurs that the method mixes in pixels where the mask has the value `mask`. For each
  /// blur, the function returns its standard deviation and its share in the mixture.
  static func recipe(
    _ method: VariableMethod?, _ sigma: Double, mask: Int
  ) -> [(sigma: Double, share: Double)] {
    let (share, wanted) = (Double(mask) / 255, sigma * Double(mask) / 255)
    var steps = [0.0]
    switch method {
    case nil, .twoPass: return [(wanted, 1)]
    case .crossFade: return [(0, 1 - share), (sigma, share)]
    case .layers: steps += (1...8).map { sigma * Double($0) / 8 }
    case .levels:
      var next = 0.4
      while next < sigma {
        steps.append(next)
        next *= 1.1
      }
      steps.append(sigma)
    }
    guard let upper = steps.firstIndex(where: { $0 >= wanted }), upper > 0 else { return [(wanted, 1)] }
    let (low, high) = (variance(steps[upper - 1]), variance(steps[upper]))
    let upperShare = high > low ? (variance(wanted) - low) / (high - low) : 1
    return [(steps[upper - 1], 1 - upperShare), (steps[upper], upperShare)].filter { $0.1 != 0 }
  }

  /// Returns the variance of the sampled Gaussian, computed from its weights.
  private static func variance(_ sigma: Double) -> Double {
    let window = Truth.gaussian(sigma)
    return window.enumerated().reduce(0) { sum, tap in
      let distance = Double(tap.offset - window.count / 2)
      return sum + tap.element * distance * distance
    }
  }
}
