import Blur
import Testing

@testable import BlurVerification

/// Tests of a simple implementation of the window filter by itself. Kernels are compared with this filter, so
/// a mistake in it would become a mistake that all kernels must have.
@Suite("Integer window filters that compute one sum at a time")
struct ScalarWindowTests {
  static let formats = PixelFormat.allCases.filter { $0.component != .float32 }

  private static func plan(_ layout: ImageLayout, _ parameters: BlurParameters) throws -> any Plan {
    try Registry.kernel(named: "simd").plan(parameters, for: layout, threads: 1)
  }

  @Test("The result is close to the exact blur", arguments: formats, Subject.edgeNames)
  func truth(format: PixelFormat, edgeName: String) throws {
    let edge = try #require(Subject.edge(named: edgeName, for: format))
    let sigma = try Sigma(x: 2.3, y: 1.1)
    let image = try TestImage.noise.image(ImageLayout(format, width: 19, height: 13), seed: 5)
    let plan = try Self.plan(image.layout, BlurParameters(sigma: sigma, edge: edge))
    let weights = try #require(plan.facts.integerWeights)
    let result = try ScalarWindow(weights, edge).blurred(image)
    let deviation = result.withView { Truth.of(image, sigma: sigma, edge: edge).deviation(of: $0) }
    #expect(deviation.maxLevels < (format.component == .uint8 ? 1.01 : 0.3), "\(deviation)")
  }

  @Test("The result has the same bits as every instruction set", arguments: formats, Subject.edgeNames)
  func bits(format: PixelFormat, edgeName: String) throws {
    let edge = try #require(Subject.edge(named: edgeName, for: format))
    for (width, height, sigma) in [(1, 1, 3.0), (7, 40, 1.2), (67, 5, 9), (130, 9, 0.4)] {
      let image = try TestImage.extremes.image(ImageLayout(format, width: width, height: height), seed: 2)
      for set in InstructionSet.allCases where set.isAvailable {
        let parameters = BlurParameters(sigma: try Sigma(sigma), edge: edge, instructionSet: set)
        let plan = try Self.plan(image.layout, parameters)
        // Plans without integer weights are skipped, because wide windows for 16-bit images are computed in
        // floats.
        guard let weights = plan.facts.integerWeights else { continue }
        var result = try Image(image.layout)
        try BlurPlan(Registry.kernel(named: "simd"), for: image.layout, parameters)
          .blur(image, into: &result)
        #expect(
          try ScalarWindow(weights, edge).blurred(image) == result,
          "\(width)x\(height), sigma \(sigma), \(set.name)")
      }
    }
  }

  @Test("Pyramids whose arithmetic has the same name give the same bits")
  func pyramids() throws {
    let kernel = try Registry.kernel(named: "pyramid")
    let layout = try ImageLayout(.gray16, width: 300, height: 200)
    let image = try TestImage.noise.image(layout, seed: 3)
    var shared = 0
    for sigma in [3.0, 6, 9, 14, 20] {
      var results: [String: Image] = [:]
      for set in InstructionSet.allCases where set.isAvailable {
        let parameters = BlurParameters(sigma: try Sigma(sigma), instructionSet: set)
        guard let name = try kernel.plan(parameters, for: layout, threads: 1).facts.arithmetic else {
          continue
        }
        var result = try Image(layout)
        try BlurPlan(kernel, for: layout, parameters).blur(image, into: &result)
        if let known = results[name] {
          #expect(known == result, "\(name), sigma \(sigma)")
          shared += 1
        } else {
          results[name] = result
        }
      }
    }
    let sets = InstructionSet.allCases.filter(\.isAvailable).count
    #expect(shared > 0 || sets == 1)
  }
}
