import Testing

@testable import Blur

/// Tests of the pyramid's promise by worst-case analysis in double precision. The weights that all filters
/// together give to the input pixels are computed in a simple way, and are compared with the Gaussian for
/// every position of the output pixel relative to the coarsest level.
@Suite("Pyramids")
struct PyramidTests {
  static let sigmas = [2.7, 3, 3.5, 4.2, 5, 6, 7.7, 10, 12.1, 17, 24, 31, 50]

  @Test(
    "The worst case over all images stays below the bound", arguments: sigmas,
    [(PixelFormat.gray8, Accuracy.standard), (.gray16, .standard), (.grayf32, .standard), (.gray16, .fine)])
  func worstCase(sigma: Double, grade: (format: PixelFormat, accuracy: Accuracy)) throws {
    let bound = grade.accuracy.share(for: grade.format)
    let fixed = grade.format.component == .uint8 ? Arithmetic.averages : .products
    for arithmetic in [fixed, .float] {
      let both = try Sigma(sigma)
      let design = try Self.design(both, bound, arithmetic, width: 2000, height: 1500)
      let room = design.room(bound, arithmetic)
      guard design.levels > 0, room > 0,
        let window = design.shortestWindow(sigma: both, room: room, arithmetic)
      else { continue }
      let worst = Self.worst(sigma, design.orders, window.across)
      // The blur filters along both axes, and the errors of the two axes add up. The rounding of weights and
      // pixels adds a further error. The sum must stay below the promised bound.
      #expect(2 * worst + arithmetic.rounding(levels: design.levels) < bound, "\(design.orders)")
    }
  }

  @Test(
    "A plan reports how often it halves the image: more often for a larger sigma, and 0 without a pyramid")
  func halvings() throws {
    let layout = try ImageLayout(.rgba8, width: 1920, height: 1080)
    func halvings(_ kernel: String, _ sigma: Double) throws -> Int {
      let parameters = BlurParameters(sigma: try Sigma(sigma), instructionSet: .baseline)
      return try BlurPlan(Registry.kernel(named: kernel), for: layout, parameters).halvings
    }
    let counts = try [0, 0.5, 5, 20, 60].map { try halvings("pyramid", $0) }
    #expect(counts.prefix(2) == [0, 0] && counts[2] > 0 && counts[4] > counts[2])
    #expect(counts == counts.sorted())
    #expect(try halvings("simd", 20) == 0 && halvings("dual-kawase", 20) > 0)
  }

  /// The image is white wherever the kernel's weight is larger than the true weight. No image causes a larger
  /// error at that pixel.
  @Test(
    "The result for the worst image is within one level", arguments: [3.0, 3.2, 4.6, 6, 12.3], [false, true])
  func worstImage(sigma: Double, inverted: Bool) throws {
    let side = Int(14 * sigma) / 2 * 2 + 40
    let layout = try ImageLayout(.gray8, width: side, height: side)
    let both = try Sigma(sigma)
    let design = try Self.design(both, 1 / 255, .averages, width: side, height: side)
    #expect(design.levels > 0)
    let room = design.room(1 / 255, .averages)
    let half = try #require(design.shortestWindow(sigma: both, room: room, .averages)).across
    let truth = GaussianTaps(sigma: sigma, tail: 0).half
    for pixel in [side / 2, side / 2 + 1] {
      let weights = Self.weights(of: pixel, design.orders, half)
      let found = (0..<side).map { weights[$0] ?? 0 }
      let wanted = (0..<side).map { abs($0 - pixel) < truth.count ? truth[abs($0 - pixel)] : 0 }
      var image = try Image(layout)
      var result = try Image(layout)
      var exact = 0.0
      image.withMutableView { view in
        for y in 0..<side {
          for x in 0..<side where (found[x] * found[y] > wanted[x] * wanted[y]) != inverted {
            view.unsafeRow(y).storeBytes(of: 255, toByteOffset: x, as: UInt8.self)
            exact += 255 * wanted[x] * wanted[y]
          }
        }
      }
      try BlurPlan(Kernel(Pyramid(.standard)), for: layout, BlurParameters(sigma: both))
        .blur(image, into: &result)
      let level = result.withView { $0.unsafeRow(pixel).load(fromByteOffset: pixel, as: UInt8.self) }
      #expect(abs(Double(level) - exact.rounded()) <= 1, "\(level) for \(exact)")
    }
  }

  @Test("Aliasing is no worse than the design claims", arguments: PyramidDesign.errors.indices)
  func aliasing(index: Int) {
    let (order, constant, least) = PyramidDesign.errors[index]
    for ratio in [least, least * 1.2, least * 1.5, least * 2, least * 3, least * 4] {
      for count in 1...3 {
        let sigma = ratio * Double(1 << count)
        let orders = [Int](repeating: order, count: count)
        let claimed = (1...count).reduce(0.0) {
          $0 + constant * Self.power(sigma / Double(1 << $1), -order)
        }
        let window = WindowSpectrum(PyramidDesign(orders: orders, aliasing: claimed), sigma).half()
        let half = GaussianTaps.cut(window, tail: 1e-9).half
        #expect(
          Self.worst(sigma, orders, half) < claimed + 1e-8, "order \(order), ρ \(ratio), \(count)")
      }
    }
  }

  @Test("Halving and doubling in 16 bits round by no more than the design allows", arguments: [2, 3, 4])
  func rounding(order: Int) {
    // A hash of the position gives nearly all combinations of the last four bits of neighbours.
    let count = 50_000
    let fine = (0..<2 * (count + 2 * Self.beyond)).map { i in
      let mixed = UInt32(i) &* 2_654_435_761
      return UInt16(1000 + ((mixed ^ mixed >> 15) &* 2_246_822_519) >> 28)
    }
    func value(_ i: Int) -> Double { Double(fine[i + 2 * Self.beyond]) }
    func worst(_ found: [UInt16], _ weights: ([Int: Double]) -> [Int: Double]) -> Double {
      (0..<count).map { i in
        abs(Double(found[i]) - weights([i: 1]).reduce(0) { $0 + $1.value * value($1.key) })
      }.max()!
    }
    // The allowed rounding error covers both axes, so the error along one axis may be only half as large.
    // `gain` is the factor by which the blur windows amplify the error of halving the image.
    func allowed(_ gain: Double) -> Double { Arithmetic.averages.rounding(levels: 1, gain: gain) * 65280 }
    let down = worst(Self.halved(fine, order, count)) { Self.downsampledFrom($0, order) }
    #expect(down >= [2: 0.75, 3: 1.25, 4: 1.18][order]!, "\(down)")
    #expect(2 * down <= allowed(1) - allowed(0) + 1e-9, "\(down)")
    let up = worst(Self.doubled(fine, order, count)) { Self.upsampledFrom($0, order) }
    #expect(up >= 0.5 && 2 * up <= allowed(0) + 1e-9, "\(up)")
  }

  @Test(
    "Moving a tap changes the result by no more than the design claims",
    arguments: PyramidDesign.errors.map { $0.order })
  func moves(order: Int) throws {
    let claimed = try #require(PyramidDesign.moves[order])
    for finer in [[], [2], [3], [4], [3, 5], [4, 6], [8, 8]] {
      let orders = finer + [order]
      let pixel = 1 << orders.count
      let worst = (0..<pixel).map { phase in
        let weights = Self.weights(of: phase, orders, [1])
        let all = Set(weights.keys).union(weights.keys.map { $0 + pixel })
        return all.reduce(0.0) { $0 + abs((weights[$1] ?? 0) - (weights[$1 - pixel] ?? 0)) / 2 }
      }.max()!
      #expect(worst < claimed + 1e-6, "\(orders)")
      if finer.isEmpty { #expect(worst > claimed - 1e-6) }
    }
  }

  @Test("Large sigmas halve the image, and small ones do not")
  func levels() throws {
    func levels(_ sigma: Double, _ side: Int = 2000) throws -> Int {
      try Self.design(Sigma(sigma), 1 / 255, .averages, width: side, height: side).levels
    }
    #expect(try levels(2) == 0)
    #expect(try levels(3.5) == 1)
    #expect(try levels(50) >= 4)
    #expect(try levels(5, 4) == 0, "a tiny image costs less as it is")
    let flat = try Self.design(Sigma(x: 50, y: 0), 1 / 255, .averages, width: 99, height: 99)
    #expect(flat.levels == 0, "an axis without blur cannot be resampled")
  }

  @Test(
    "If the windows of a few levels do not fit into 16 bits, there are more levels",
    arguments: EdgeMode.allCases)
  func moreLevels(edge: EdgeMode) throws {
    let layout = try ImageLayout(.gray8, width: 300, height: 1000)
    for sigma in [100.0, 300, 1000] {
      for set in InstructionSet.allCases {
        let problem = BlurProblem(
          layout, sigma: try Sigma(sigma), edge: edge, instructionSet: set)
        let choice = PyramidChoice(
          problem, Accuracy.standard.share(for: .gray8), SIMDSeparable(.standard).cost(problem))
        #expect(choice?.arithmetic == .averages, "sigma \(sigma), \(set.name)")
      }
    }
  }

  @Test("If the cheapest filters leave too little error for 16-bit windows, better filters are used")
  func betterFilters() throws {
    let layout = try ImageLayout(.gray16, width: 500, height: 500)
    for sigma in [5, 6, 7, 8, 10, 12, 16, 20, 25, 40] {
      let problem = BlurProblem(layout, sigma: try Sigma(Double(sigma)), instructionSet: .baseline)
      let bound = Accuracy.standard.share(for: .gray16)
      let choice = PyramidChoice(problem, bound, SIMDSeparable(.standard).cost(problem))
      #expect(choice?.arithmetic == .products, "sigma \(sigma)")
    }
  }

  /// Returns the cheapest pyramid for gray images with baseline vectors.
  private static func design(
    _ sigma: Sigma, _ bound: Double, _ arithmetic: Arithmetic, width: Int, height: Int
  ) throws -> PyramidDesign {
    let problem = BlurProblem(try ImageLayout(.gray8, width: width, height: height), sigma: sigma)
    return PyramidDesign(
      sigma: sigma, bound: bound, highestOrder: arithmetic.highestOrder, isLocal: false,
      PyramidCosts(problem, bound, arithmetic, isFolded: false),
      SIMDSeparable(bound < 1e-4 ? .fine : .standard).cost(problem))
  }

  private static func power(_ base: Double, _ exponent: Int) -> Double {
    let inverse = (0..<abs(exponent)).reduce(1.0) { product, _ in product * base }
    return exponent < 0 ? 1 / inverse : inverse
  }

  /// Returns half the sum of the absolute errors of an output pixel's weights, for the worst position of the
  /// pixel.
  static func worst(_ sigma: Double, _ orders: [Int], _ half: [Double]) -> Double {
    let truth = GaussianTaps(sigma: sigma, tail: 0).half
    return (0..<1 << orders.count).map { phase in
      let weights = weights(of: phase, orders, half)
      let reach = max(truth.count, (weights.keys.map { abs($0 - phase) }.max() ?? 0) + 1)
      return (-reach...reach).reduce(0.0) { sum, distance in
        let wanted = abs(distance) < truth.count ? truth[abs(distance)] : 0
        return sum + abs((weights[phase + distance] ?? 0) - wanted) / 2
      }
    }.max()!
  }

  /// Returns the weights of all input pixels in one output pixel. They are found by following the pyramid
  /// backwards, from the output to the input.
  private static func weights(of pixel: Int, _ orders: [Int], _ half: [Double]) -> [Int: Double] {
    var weights = [pixel: 1.0]
    for order in orders { weights = upsampledFrom(weights, order) }
    weights = convolved(weights, half)
    for order in orders.reversed() { weights = downsampledFrom(weights, order) }
    return weights
  }

  static func binomial(_ order: Int) -> [Double] {
    (0..<order).reduce([1.0]) { row, _ in zip(row + [0], [0] + row).map { ($0 + $1) / 2 } }
  }

  /// The number of extra pixels that are allocated beyond each end of an array, because the vector loops also
  /// read and write a few vectors there.
  private static let beyond = 200

  /// Returns the first pixels of a line, halved in 16 bits by the loops of the kernels. All rows of the image
  /// are equal to the line, so only the halving of columns rounds.
  private static func halved(_ line: [UInt16], _ order: Int, _ count: Int) -> [UInt16] {
    let groups = PixelGroups(ratio: 2, order: order)
    let row = doubleRow(count + groups.lead) { first, second in
      line.withUnsafeBytes {
        // SAFETY: the line has more than `beyond` pixels before its first one and after its last one, so the
        // loop stays inside it.
        let start = $0.baseAddress! + 4 * (beyond + groups.lag - groups.lead)
        [UnsafeRawPointer](repeating: start, count: order + 7).withUnsafeBufferPointer { rows in
          InstructionSet.baseline.loops.fixedResample.downsample(
            (
              rows: rows.baseAddress!, channels: 1, order: order, target: first, next: second,
              count: count + groups.lead
            ))
        }
      }
    }
    return Array(row.suffix(count))
  }

  /// Returns the first pixels of a line, doubled in 16 bits by the loops of the kernels. All rows of the
  /// image are equal to the line, so only the doubling of columns rounds.
  private static func doubled(_ line: [UInt16], _ order: Int, _ count: Int) -> [UInt16] {
    doubleRow(count) { first, second in
      line.withUnsafeBytes {
        // SAFETY: the line has more than `beyond` pixels before its first one and after its last one, so the
        // loop stays inside it.
        let start = $0.baseAddress! + 4 * beyond
        [UnsafeRawPointer](repeating: start, count: 5).withUnsafeBufferPointer { rows in
          InstructionSet.baseline.loops.fixedResample.upsample(
            (
              rows: rows.baseAddress!, channels: 1, order: order, target: first, next: second, count: count,
              isExact: true
            ))
        }
      }
    }
  }

  /// Calls a loop that writes two rows of `count` values, and returns the first row. Expects that both rows
  /// are equal.
  private static func doubleRow(
    _ count: Int, _ body: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
  ) -> [UInt16] {
    // The vector loops can write a few vectors beyond the end of a row.
    var rows = [UInt16](repeating: 0, count: 2 * (count + beyond))
    rows.withUnsafeMutableBytes { body($0.baseAddress!, $0.baseAddress! + 2 * (count + beyond)) }
    #expect(rows[..<count] == rows[(count + beyond)...].prefix(count))
    return Array(rows[..<count])
  }

  /// Returns the weights of the coarse pixels in a sum of fine pixels, which are upsampled from them and have
  /// the weights `fine`. Fine pixel i is the sum of the coarse pixels near it, times twice the filter's
  /// weights. Coarse pixel j is at the fine position 2j, or half a pixel before it.
  static func upsampledFrom(_ fine: [Int: Double], _ order: Int) -> [Int: Double] {
    var coarse: [Int: Double] = [:]
    for (i, weight) in fine {
      for (k, tap) in binomial(order).enumerated() where (i + k - order / 2) % 2 == 0 {
        coarse[(i + k - order / 2) / 2, default: 0] += 2 * tap * weight
      }
    }
    return coarse
  }

  /// Returns the weights of the fine pixels in a sum of coarse pixels, which are downsampled from them and
  /// have the weights `coarse`. Coarse pixel j is the filter's sum around fine pixel 2j, or around half a
  /// pixel before it.
  static func downsampledFrom(_ coarse: [Int: Double], _ order: Int) -> [Int: Double] {
    var fine: [Int: Double] = [:]
    for (j, weight) in coarse {
      for (k, tap) in binomial(order).enumerated() {
        fine[2 * j + k - (order + 1) / 2, default: 0] += tap * weight
      }
    }
    return fine
  }

  private static func convolved(_ values: [Int: Double], _ half: [Double]) -> [Int: Double] {
    var result: [Int: Double] = [:]
    for (i, value) in values {
      for k in 1 - half.count..<half.count { result[i + k, default: 0] += half[abs(k)] * value }
    }
    return result
  }
}
