import Blur

/// A classification of kernels by whether they are linear, and whether they can be split into a filter along
/// rows and a filter along columns. A kernel is classified by blurring test images.
public enum Linearity: String, Sendable, Codable {
  /// The kernel consists of one linear filter along rows and one along columns.
  case separable
  /// The kernel is linear but not separable: it cannot be split into a filter along rows and a filter along
  /// columns.
  case planar
  /// The blur of a sum of images differs from the sum of their blurs.
  case nonlinear
  /// Blurring the same image again gives a different result.
  case stateful
}

/// A test that determines whether a kernel is linear. Its test images contain structures of all sizes.
struct LinearityTest {
  let test: KernelUnderTest
  let side: Int

  /// The largest error, in levels, that rounding inside the kernel may cause. The rounding of the final
  /// result is not included.
  private var slack: Double {
    switch test.format.component {
    case .uint8: 0.5
    case .uint16: 0.05
    case .float32: 1e-5 * 255
    }
  }

  /// Determines whether the kernel is separable, linear but not separable, nonlinear, or stateful.
  ///
  /// - Parameter operators: The kernel's measured weights along rows and along columns.
  /// - Returns: The classification, and the largest difference, in levels, between blurred test images and
  ///   the results that the weights predict.
  func classified(_ operators: (x: LineOperator, y: LineOperator)) throws -> (Linearity, residual: Double) {
    let blocks = try cells(coarse, seed: 2)
    let first = try test.blurred(blocks)
    let residual = try residual(operators)
    // The residual is computed from the difference between two blurred images. Rounding may have changed each
    // of them by up to half a code value.
    let rounding = test.format.codeInLevels
    var kind = Linearity.separable
    if residual > rounding + slack {
      let isLinear =
        try superposes(cells(1, seed: 1), blocks) && superposes(blocks, cells(sigma, seed: 3))
      kind = isLinear ? .planar : .nonlinear
    }
    let change = Self.change(first, try test.blurred(blocks))
    return (change > 0 ? .stateful : kind, residual)
  }

  /// The side length, in pixels, of the largest squares in the test images.
  private var coarse: Int { max(2, side / 16) }
  /// The side length, in pixels, of the medium-sized squares in the test images. It is one sigma, because the
  /// blur then halves the contrast between neighbouring squares.
  private var sigma: Int { Int(max(1, max(test.sigma.x, test.sigma.y))) }

  private static func change(_ a: Image, _ b: Image) -> Double {
    Deviation.between(a, b).maxLevels
  }

  // MARK: Rows and columns

  /// Returns the largest difference, in levels, between blurred test images and the blurred images that the
  /// measured weights predict.
  private func residual(_ operators: (x: LineOperator, y: LineOperator)) throws -> Double {
    // The values range from an eighth to seven eighths of full scale, so that the overshoots of a kernel are
    // not cut off.
    let (low, high) = (share(1.0 / 8), share(7.0 / 8))
    let images =
      try [1, sigma, coarse].enumerated().map { seed, cell in
        try cells(cell, seed: UInt64(seed), low, high)
      } + [2 * sigma, 3 * sigma, 4 * sigma].map { try diamonds($0, low, high) }
    let flat = try test.blurred(Image.painted(test.layout(side, side)) { _, _, _ in low })
    return try images.map { try residual($0, low, flat, operators) }.max() ?? 0
  }

  private func residual(
    _ image: Image, _ base: Double, _ flat: Image, _ operators: (x: LineOperator, y: LineOperator)
  ) throws -> Double {
    let blurred = try test.blurred(image)
    let lines = image.withView { view in (0..<side).map { view.values(ofRow: $0).map { $0 - base } } }
    var largest = 0.0
    for y in [0, 1, side / 3, side / 2, side / 2 + 1, side - 1] {
      let predicted = predicted(operators.x, operators.y.row(y), lines)
      let (measured, offset) = (
        blurred.withView { $0.values(ofRow: y) }, flat.withView { $0.values(ofRow: y) }
      )
      for i in predicted.indices {
        let error = abs(measured[i] - offset[i] - predicted[i])
        // NaN counts as an infinite error.
        largest = max(largest, error.isNaN ? .infinity : error)
      }
    }
    return largest / test.format.fullScale * 255
  }

  /// Predicts one row of the blurred image. The function adds up the rows of the image (`lines`), each
  /// multiplied by its weight, and filters the sum with `across`.
  private func predicted(
    _ across: LineOperator, _ weights: ArraySlice<Double>, _ lines: [[Double]]
  ) -> [Double] {
    let channels = test.format.channels
    var sums = [Double](repeating: 0, count: side * channels)
    for (line, weight) in zip(lines, weights) where weight != 0 {
      for i in sums.indices { sums[i] += weight * line[i] }
    }
    var row = sums
    for c in 0..<channels {
      let line = across.applied(to: stride(from: c, to: sums.count, by: channels).map { sums[$0] })
      for x in 0..<side { row[x * channels + c] = line[x] }
    }
    return row
  }

  // MARK: Sums

  /// Returns whether the blur of the sum of two images equals the sum of their blurs, apart from rounding
  /// errors. Each component of the two images is either a quarter or half of full scale, so that the sum
  /// stays below full scale.
  private func superposes(_ a: Image, _ b: Image) throws -> Bool {
    let base = share(1.0 / 4)
    let sum = try a.withView { a in
      try b.withView { b in
        try Image.painted(a.layout) { x, y, c in
          let i = x * a.layout.format.channels + c
          return a.value(i, y) + b.value(i, y) - base
        }
      }
    }
    let flat = try test.blurred(Image.painted(a.layout) { _, _, _ in base })
    let (whole, left, right) = try (test.blurred(sum), test.blurred(a), test.blurred(b))
    var largest = 0.0
    for y in 0..<side {
      let rows = [whole, flat, left, right].map { $0.withView { $0.values(ofRow: y) } }
      for i in rows[0].indices {
        let error = abs(rows[0][i] + rows[1][i] - rows[2][i] - rows[3][i])
        largest = max(largest, error.isNaN ? .infinity : error)
      }
    }
    return largest / test.format.fullScale * 255 <= 3 * slack + 2 * test.format.codeInLevels
  }

  // MARK: Images

  /// Returns a fraction of full scale, rounded to a value that the format can hold.
  private func share(_ share: Double) -> Double {
    let value = test.format.fullScale * share
    return test.format.component == .float32 ? value : value.rounded(.down)
  }

  private func cells(_ side: Int, seed: UInt64) throws -> Image {
    try cells(side, seed: seed, share(1.0 / 4), 2 * share(1.0 / 4))
  }

  /// Returns an image of squares. Each channel of a square has the value `low` or `high`, chosen at random.
  private func cells(_ cell: Int, seed: UInt64, _ low: Double, _ high: Double) throws -> Image {
    var random = SplitMix64(seed: seed)
    let (channels, across) = (test.format.channels, (side + cell - 1) / cell)
    let values = (0..<across * across * channels).map { _ in random.next() & 1 == 0 ? low : high }
    return try .painted(test.layout(side, side)) { x, y, c in
      values[(y / cell * across + x / cell) * channels + c]
    }
  }

  /// Returns a checkerboard that is rotated by 45 degrees. Its blur reveals whether a kernel is not
  /// separable.
  private func diamonds(_ cell: Int, _ low: Double, _ high: Double) throws -> Image {
    try .painted(test.layout(side, side)) { x, y, _ in
      ((x + y) / cell + (x - y + side) / cell) % 2 == 0 ? low : high
    }
  }
}
