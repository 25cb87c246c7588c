import Blur

/// What kind of operator a kernel is, found out by blurring.
public enum Linearity: String, Sendable, Codable {
  /// Rows and columns are blurred by one line operator each.
  case separable
  /// Sums and multiples of images are blurred to sums and multiples, but not by rows and columns.
  case planar
  /// The blur of a sum is not the sum of the blurs.
  case nonlinear
  /// The same image gives different results.
  case stateful
}

/// Tests a kernel for linearity with images that have structure of all sizes.
struct LinearityTest {
  let trial: Trial
  let side: Int

  /// How far results may be off by rounding inside the kernel, beyond that of the result, in levels.
  private var slack: Double {
    switch trial.format.component {
    case .uint8: 1
    case .uint16: 0.05
    case .float32: 1e-5 * 255
    }
  }

  /// Classifies the kernel.
  ///
  /// - Parameter operators: what was measured along both axes.
  /// - Returns: what it is, and how far in levels results are from what the operators predict.
  func classified(_ operators: (x: LineOperator, y: LineOperator)) throws -> (Linearity, residual: Double) {
    let noise = try image(cell: 1, seed: 1)
    let blocks = try image(cell: max(2, side / 16), seed: 2)
    let sigma = Int(max(1, max(trial.sigma.x, trial.sigma.y)))
    let middling = try image(cell: sigma, seed: 3)
    let first = try trial.blurred(blocks)
    let residual = try max(
      residual(noise, operators), residual(blocks, operators), residual(middling, operators))
    // The flat image's results are rounded too.
    let rounding = trial.format.codeInLevels
    var kind = Linearity.separable
    if residual > rounding + slack {
      let isLinear = try superposes(noise, blocks) && superposes(blocks, middling)
      kind = isLinear ? .planar : .nonlinear
    }
    let again = try trial.blurred(blocks)
    let change = Self.change(first, again)
    return (change > 0 ? .stateful : kind, residual)
  }

  private static func change(_ a: Image, _ b: Image) -> Double {
    a.withView { a in b.withView { b in Deviation.between(a, b).maxLevels } }
  }

  /// Cells of random values from a quarter to half of full scale, all channels different: even if the kernel
  /// overshoots, nothing is cut off.
  private func image(cell: Int, seed: UInt64) throws -> Image {
    var random = SplitMix64(seed: seed)
    let (channels, across) = (trial.format.channels, (side + cell - 1) / cell)
    let values = (0..<across * across * channels).map { _ in random.next() & 1 == 0 ? base : 2 * base }
    return try .painted(trial.layout(side, side)) { x, y, c in
      values[(y / cell * across + x / cell) * channels + c]
    }
  }

  /// A quarter of full scale.
  private var base: Double {
    let quarter = trial.format.fullScale / 4
    return trial.format.component == .float32 ? quarter : quarter.rounded(.down)
  }

  private func flat() throws -> Image { try .painted(trial.layout(side, side)) { _, _, _ in base } }

  /// The largest difference, in levels, between a blurred image and what the operators predict, on some rows.
  private func residual(_ image: Image, _ operators: (x: LineOperator, y: LineOperator)) throws -> Double {
    let (flat, blurred) = (try trial.blurred(flat()), try trial.blurred(image))
    let lines = image.withView { view in (0..<side).map { view.values(ofRow: $0).map { $0 - base } } }
    var largest = 0.0
    for y in [0, 1, side / 3, side / 2, side / 2 + 1, side - 1] {
      let predicted = predicted(operators.x, operators.y.row(y), lines)
      let (found, offset) = (blurred.withView { $0.values(ofRow: y) }, flat.withView { $0.values(ofRow: y) })
      for i in predicted.indices {
        let error = abs(found[i] - offset[i] - predicted[i])
        // NaN counts as infinitely far.
        largest = max(largest, error.isNaN ? .infinity : error)
      }
    }
    return largest / trial.format.fullScale * 255
  }

  /// The row of a result that these weights of the image's rows make.
  private func predicted(
    _ across: LineOperator, _ weights: ArraySlice<Double>, _ lines: [[Double]]
  ) -> [Double] {
    let channels = trial.format.channels
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

  /// Whether blurring the sum of two images gives the sum of the blurred ones, but for rounding.
  private func superposes(_ a: Image, _ b: Image) throws -> Bool {
    let sum = try a.withView { a in
      try b.withView { b in
        try Image.painted(a.layout) { x, y, c in
          let i = x * a.layout.format.channels + c
          return a.value(i, y) + b.value(i, y) - base
        }
      }
    }
    let blank = try trial.blurred(flat())
    let (whole, left, right) = try (trial.blurred(sum), trial.blurred(a), trial.blurred(b))
    var largest = 0.0
    for y in 0..<side {
      let rows = [whole, blank, left, right].map { $0.withView { $0.values(ofRow: y) } }
      for i in rows[0].indices {
        let error = abs(rows[0][i] + rows[1][i] - rows[2][i] - rows[3][i])
        largest = max(largest, error.isNaN ? .infinity : error)
      }
    }
    return largest / trial.format.fullScale * 255 <= 3 * slack + 2 * trial.format.codeInLevels
  }
}
