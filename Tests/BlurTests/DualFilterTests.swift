import Testing

@testable import Blur

@Suite("Dual filter")
struct DualFilterTests {
  static let sigmas = [0.2, 0.7, 1, 1.1, 1.5, 2.3, 2.88, 2.9, 4, 6.4, 6.5, 9, 13]

  /// The weights of the filter depend on where an input pixel lies relative to the coarsest grid. So the test
  /// blurs one impulse at each of these positions.
  @Test("The variance is sigma squared, averaged over all positions", arguments: sigmas, [true, false])
  func variance(sigma: Double, isAcross: Bool) throws {
    let positions = 1 << DualFilter(sigma: sigma).levels
    let middle = (Int(6 * sigma) + 4 + positions) / positions * positions
    let length = 2 * middle + positions
    var (sum, moment) = (0.0, 0.0)
    for impulse in middle..<middle + positions {
      let (width, height) = isAcross ? (length, 1) : (1, length)
      let image = try GrayImages.painted(width, height) { x, y in max(x, y) == impulse ? 1 : 0 }
      for (i, weight) in GrayImages.values(try Self.blurred(image, sigma: sigma)).enumerated() {
        sum += Double(weight)
        moment += Double(weight) * Double((i - impulse) * (i - impulse))
      }
    }
    #expect(abs(sum / Double(positions) - 1) < 1e-5)
    #expect(abs(moment / Double(positions) / (sigma * sigma) - 1) < 1e-3)
  }

  @Test("For any sigma, some number of levels and some offset have its variance")
  func everySigma() {
    var last = DualFilter(sigma: 0.01)
    for step in 0...2000 {
      let sigma = 0.01 * Self.power(1e5, Double(step) / 2000)
      let filter = DualFilter(sigma: sigma)
      let variance = Double(filter.share) * DualFilter.variance(levels: filter.levels, offset: filter.offset)
      #expect(abs(variance / (sigma * sigma) - 1) < 1e-6, "sigma \(sigma)")
      #expect((0...2).contains(filter.offset) && filter.levels >= last.levels, "sigma \(sigma)")
      last = filter
    }
    #expect(last.levels == 10)
  }

  /// The library's filter has an adjustable distance between its samples (the offset). With an offset of 1,
  /// it equals the filter as it was published.
  @Test("Far from edges, the result equals that of the published shader", arguments: [1, 2], [1, 0.8, 1.7])
  func shader(levels: Int, offset: Double) throws {
    let sigma = DualFilter.variance(levels: levels, offset: offset).squareRoot()
    #expect(DualFilter(sigma: sigma).levels == levels)
    let side = 72
    let image = try GrayImages.noise(side, side, seed: 7)
    let found = GrayImages.values(try Self.blurred(image, sigma: sigma))
    var texture = Texture(side: side, texels: GrayImages.values(image).map { Double($0) })
    for _ in 0..<levels { texture = texture.downsampled(offset) }
    for _ in 0..<levels { texture = texture.upsampled(offset) }
    let margin = 26
    for y in margin..<side - margin {
      for x in margin..<side - margin {
        #expect(abs(Double(found[y * side + x]) - texture.texels[y * side + x]) < 1e-5, "at \(x), \(y)")
      }
    }
  }

  @Test(
    "Edges look as if the image were continued without end",
    arguments: EdgeMode.allCases + [.constant(.init(repeating: 0.7))],
    [(9, 7), (8, 1), (1, 3), (32, 5)])
  func edges(edge: EdgeMode, size: (width: Int, height: Int)) throws {
    let (width, height) = size
    let image = try GrayImages.noise(width, height, seed: 7)
    let pixels = GrayImages.values(image)
    for sigma in [0.6, 2, 5, 13] {
      // The margin is a multiple of the size of the coarsest level's pixels, and is larger than the reach of
      // the filter.
      let margin = 96
      let continued = try GrayImages.painted(width + 2 * margin, height + 2 * margin) { x, y in
        guard let x = edge.index(of: x - margin, count: width),
          let y = edge.index(of: y - margin, count: height)
        else { return edge.constant(0, of: .float32) }
        return pixels[y * width + x]
      }
      let inside = Region(x: margin, y: margin, width: width, height: height)
      let expected = GrayImages.values(try Self.blurred(continued, sigma: sigma, region: inside))
      let found = GrayImages.values(try Self.blurred(image, sigma: sigma, edge: edge))
      let worst = zip(found, expected).map { abs($0 - $1) }.max()!
      #expect(worst < 1e-6, "sigma \(sigma): \(worst)")
    }
  }

  /// Finds the weights of all input pixels in an output pixel, with one impulse for each input pixel.
  @Test(
    "The error of the worst possible image is below the promise",
    arguments: [0.4, 0.5, 0.68, 0.75, 0.9, 1, 1.4, 2.2, 2.88])
  func promise(sigma: Double) throws {
    let taps = GaussianTaps(sigma: sigma, tail: 0)
    let middle = max(taps.radius, 9) / 2 * 2 + 2
    let side = 2 * middle + 2
    // The output pixels have four different positions relative to the pixels of the coarsest level. Only
    // three are tested, because the fourth is a mirror image of one of them.
    let outputs = [(middle, middle), (middle, middle + 1), (middle + 1, middle + 1)]
    var (above, below) = ([0.0, 0, 0], [0.0, 0, 0])
    for impulse in 0..<side * side {
      let (column, row) = (impulse % side, impulse / side)
      let image = try GrayImages.painted(side, side) { x, y in x == column && y == row ? 1 : 0 }
      let response = GrayImages.values(try Self.blurred(image, sigma: sigma, edge: .transparent))
      for (i, (x, y)) in outputs.enumerated() {
        let (dx, dy) = (abs(x - column), abs(y - row))
        let isInside = max(dx, dy) <= taps.radius
        let error = Double(response[y * side + x]) - (isInside ? taps.half[dx] * taps.half[dy] : 0)
        above[i] += max(0, error)
        below[i] += max(0, -error)
      }
    }
    let worst = 255 * (above + below).max()!
    guard case .approximation(let levels) = DualKawase().promise else { throw Wrong.promise }
    // A fifth of the promised error is reserved for samples below 0. The rest is only slightly larger than
    // the worst error.
    #expect(worst < levels / 1.25)
    if sigma == 0.68 { #expect(worst > levels / 1.25 - 2) }
  }

  @Test("A sigma that differs by axis is rejected, and the error names the kernel")
  func axes() throws {
    let layout = try ImageLayout(.gray8, width: 9, height: 9)
    for sigma in [try Sigma(x: 2, y: 3), try Sigma(x: 2, y: 0)] {
      let error = Kernel(DualKawase()).planningError(of: BlurParameters(sigma: sigma), for: layout)
      guard case .unsupported(kernel: "dual-kawase", _) = error else { throw Wrong.reason }
    }
  }

  private enum Wrong: Error { case promise, reason }
}

/// A square texture with bilinear sampling, and simple forms of the two shaders of the published filter. The
/// shaders' `halfpixel` is half a pixel of the coarser level.
private struct Texture {
  let side: Int
  let texels: [Double]

  init(side: Int, texels: [Double]) { (self.side, self.texels) = (side, texels) }

  private init(side: Int, _ texel: (_ u: Double, _ v: Double) -> Double) {
    let centres = (0..<side).map { Double($0) + 0.5 }
    self.init(side: side, texels: centres.flatMap { v in centres.map { u in texel(u, v) } })
  }

  private func texel(_ x: Int, _ y: Int) -> Double {
    texels[max(0, min(side - 1, y)) * side + max(0, min(side - 1, x))]
  }

  /// Returns the bilinear sample at (u, v), in pixels. The centres of pixels are at half-integers.
  private func sample(_ u: Double, _ v: Double) -> Double {
    let (x, y) = ((u - 0.5).rounded(.down), (v - 0.5).rounded(.down))
    let (a, b) = (u - 0.5 - x, v - 0.5 - y)
    let (i, j) = (Int(x), Int(y))
    return (1 - b) * ((1 - a) * texel(i, j) + a * texel(i + 1, j))
      + b * ((1 - a) * texel(i, j + 1) + a * texel(i + 1, j + 1))
  }

  func downsampled(_ offset: Double) -> Texture {
    Texture(side: side / 2) { u, v in
      let (u, v, h) = (2 * u, 2 * v, offset)
      let corners = sample(u - h, v - h) + sample(u + h, v - h) + sample(u - h, v + h) + sample(u + h, v + h)
      return (4 * sample(u, v) + corners) / 8
    }
  }

  func upsampled(_ offset: Double) -> Texture {
    Texture(side: 2 * side) { u, v in
      let (u, v, h) = (u / 2, v / 2, offset / 2)
      let cross =
        sample(u - 2 * h, v) + sample(u + 2 * h, v) + sample(u, v - 2 * h) + sample(u, v + 2 * h)
      let corners = sample(u - h, v - h) + sample(u + h, v - h) + sample(u - h, v + h) + sample(u + h, v + h)
      return (cross + 2 * corners) / 12
    }
  }
}

extension DualFilterTests {
  private static func blurred(
    _ image: Image, sigma: Double, edge: EdgeMode = .clamp, region: Region? = nil
  ) throws -> Image {
    let parameters = BlurParameters(sigma: try Sigma(sigma), edge: edge, region: region)
    let plan = try BlurPlan(Kernel(DualKawase()), for: image.layout, parameters)
    var result = try Image(.grayf32, width: plan.region.width, height: plan.region.height)
    try plan.blur(image, into: &result)
    return result
  }

  /// Returns `base` raised to an exponent from 0 to 1, by the binary digits of the exponent.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    var (result, root, rest) = (1.0, base, exponent)
    for _ in 0..<50 {
      if rest >= 1 {
        result *= root
        rest -= 1
      }
      (root, rest) = (root.squareRoot(), 2 * rest)
    }
    return result
  }
}
