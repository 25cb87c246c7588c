import Testing

@testable import Blur

/// Tests of pyramids that keep only a few rows of their coarsest level at a time. Large coarsest levels are
/// processed this way.
@Suite("Pyramids that keep only a few rows")
struct RollingTests {
  @Test(
    "Rows that are computed when they are needed equal rows that are computed before",
    arguments: [PixelFormat.gray8, .rgb8, .rgba16, .rgbaf32],
    [EdgeMode.clamp, .mirror, .reflect, .transparent])
  func sameBits(format: PixelFormat, edge: EdgeMode) throws {
    // Some edge modes repeat a small image many times within one window. The pyramid then folds the window,
    // which means that it adds up the weights of pixels that occur several times. A folded window reads all
    // rows, so this test needs a larger image for these edge modes.
    let repeats = edge.period(1) != nil
    for (width, height) in repeats ? [(640, 632)] : [(61, 147), (130, 200), (33, 411)] {
      let image = try Self.noise(ImageLayout(format, width: width, height: height))
      let part = Region(x: 7, y: height / 3 + 1, width: width - 20, height: height / 2)
      for (sigma, region) in [(4, image.layout.bounds), (4.1, part), (9, image.layout.bounds), (9.7, part)]
      where !repeats || sigma < 5 {
        let problem = BlurProblem(
          image.layout, sigma: try Sigma(sigma), edge: edge, region: region, instructionSet: .best)
        let whole = try Self.blurred(image, problem, rollingBytes: .max, threads: 1)
        for threads in [1, 3] {
          let rolled = try Self.blurred(image, problem, rollingBytes: 0, threads: threads)
          #expect(rolled.phases == 1 && whole.phases == 3 && rolled.bytes != image.bytes)
          #expect(rolled.bytes == whole.bytes, "\(width)x\(height) sigma \(sigma) \(threads) threads")
        }
      }
    }
  }

  @Test("The scratch memory does not grow with the height of a large image")
  func memory() throws {
    let (low, high) = try (Self.scratch(height: 3000), Self.scratch(height: 30000))
    #expect(low == high && low < 4 << 20)
  }

  @Test("If each thread would get only a few rows, the threads share three phases")
  func manyThreads() throws {
    #expect(try Self.phases(threads: 2) == 1 && Self.phases(threads: 64) == 3)
  }

  private static func scratch(height: Int) throws -> Int {
    let layout = try ImageLayout(.rgbaf32, width: 2000, height: height)
    return try BlurPlan(Registry.kernel(named: "pyramid"), for: layout, BlurParameters(sigma: Sigma(5)))
      .scratchBytes
  }

  private static func phases(threads: Int) throws -> Int {
    let problem = BlurProblem(
      try ImageLayout(.rgba8, width: 3840, height: 2160), sigma: try Sigma(5), threads: threads)
    return try Pyramid(.standard).plan(problem).facts.phases.count
  }

  /// Blurs an image with a pyramid, even if that is not the fastest way.
  private static func blurred(
    _ image: Image, _ problem: BlurProblem, rollingBytes: Int, threads: Int
  ) throws -> (bytes: [UInt8], phases: Int) {
    var problem = problem
    problem.thresholds.rollingBytes = rollingBytes
    let choice = try #require(
      PyramidChoice(problem, Accuracy.standard.share(for: problem.layout.format), Cost(vectors: 1e12)))
    let kernel = Kernel(name: "pyramid", summary: "", promise: .exact()) { problem throws(BlurError) in
      try PyramidPlan(choice, choice.window!, problem)
    }
    let plan = try kernel.plan(problem)
    var result = try Image(image.layout.format, width: problem.region.width, height: problem.region.height)
    let parameters = BlurParameters(
      sigma: problem.sigma, edge: problem.edge, region: problem.region, instructionSet: .best)
    let blur = try BlurPlan(
      plan, kernel, nil, for: image.layout, parameters, threads: threads, sharing: .always)
    try blur.blur(image, into: &result)
    return (result.bytes, plan.facts.phases.count)
  }

  private static func noise(_ layout: ImageLayout) throws -> Image {
    var image = try Image(layout)
    var state: UInt32 = 9
    image.withMutableView { view in
      for y in 0..<layout.height {
        for x in 0..<layout.rowComponents {
          state = state &* 1_664_525 &+ 1_013_904_223
          switch layout.format.component {
          case .uint8: view.unsafeRow(y).setComponent(x, to: UInt8(state >> 24))
          case .uint16: view.unsafeRow(y).setComponent(x, to: UInt16(state >> 16))
          case .float32: view.unsafeRow(y).setComponent(x, to: Float(state >> 8) / Float(1 << 24))
          }
        }
      }
    }
    return image
  }
}
