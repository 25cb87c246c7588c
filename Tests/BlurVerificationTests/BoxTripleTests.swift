import Blur
import Testing

@testable import BlurVerification

/// Tests of the triple box with integer sums of every width. The sums of large windows need more bits, so the
/// width of the integers depends on sigma. With each width, the result must equal the definition.
@Suite struct BoxTripleTests {
  /// Pairs of sigmas along x and y, which require different integer sums. For small sigmas, 32 bits suffice
  /// for the sums of one pass or of both passes. For larger sigmas, a sum is stored as two integers (limbs),
  /// or its lowest digits are dropped.
  private static let sigmas = [
    (1.0, 1.0), (7.5, 7.5), (7.8, 7.8), (10.5, 12), (11, 11), (30, 60), (60, 30), (67, 0), (69, 0), (0, 67),
    (0, 69), (0.1, 140), (140, 0.1), (310, 310), (0.1, 700), (700, 0.1), (1000, 1000),
  ]

  @Test(
    "The result matches the definition for every width of the sums",
    arguments: PixelFormat.allCases, sigmas)
  func everyWidthOfSumsGivesTheDefinition(_ format: PixelFormat, _ sigma: (x: Double, y: Double)) throws {
    let sigma = try Sigma(x: sigma.x, y: sigma.y)
    let kernel = try Registry.kernel(named: "box-triple")
    for image in [TestImage.noise, .extremes] {
      let image = try image.image(ImageLayout(format, width: 19, height: 18), seed: 3)
      let judge = Judge(image, sigma: sigma, edge: .reflect)
      for set in InstructionSet.available {
        let parameters = BlurParameters(sigma: sigma, edge: .reflect, instructionSet: set)
        let plan = try BlurPlan(kernel, for: image.layout, parameters)
        var result = try Image(format, width: 19, height: 18)
        try plan.blur(image, into: &result)
        let violation = result.withView { judge.judge($0, by: kernel).violation }
        #expect(violation == nil, "\(set.name)")
      }
    }
  }
}
