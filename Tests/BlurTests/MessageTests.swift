import Testing

@testable import Blur

@Suite("Error messages that say what to do")
struct MessageTests {
  /// Returns the error that `body` throws, as text.
  private func message(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return "nothing was thrown"
  }

  @Test(
    "The smallest bound that a message names is accepted, and a smaller one is not",
    arguments: PixelFormat.allCases)
  func leastError(format: PixelFormat) throws {
    let layout = try ImageLayout(format, width: 9, height: 7)
    let text = message { _ = try BlurPlan(for: layout, sigma: 2, accuracy: .levels(0.0012345)) }
    let found = text.firstMatch(of: /0.00123 levels .* in (.*): .* is (.*) levels? \((.*) of full scale\)/)
    let match = try #require(found, "\(text)")
    let (levels, share) = (try #require(Double(match.2)), try #require(Double(match.3)))
    #expect(match.1 == format.rawValue)
    for bound in [ErrorBound.levels(levels), .share(share)] {
      _ = try BlurPlan(for: layout, sigma: 2, accuracy: bound)
    }
    for bound in [ErrorBound.levels(0.99 * levels), .share(0.99 * share)] {
      #expect(throws: BlurError.self) { try BlurPlan(for: layout, sigma: 2, accuracy: bound) }
    }
  }

  @Test("A message about a wrong size names the argument and the plan's property with the right size")
  func mismatch() throws {
    let layout = try ImageLayout(.rgba8, width: 64, height: 48)
    let region = Region(x: 20, y: 10, width: 10, height: 5)
    let plan = try BlurPlan(
      Registry.kernel(named: "separable"), for: layout, BlurParameters(sigma: Sigma(2), region: region))
    let reads = plan.reads
    let (image, other) = (try Image(layout), try Image(.rgba8, width: 7, height: 5))
    var result = try Image(.rgba8, width: 10, height: 5)
    #expect(
      message { try plan.blur(tile: other, into: &result) }
        == "the tile (`reads`) must be rgba8 \(reads.width)x\(reads.height), not rgba8 7x5")
    #expect(message { try plan.blur(other, into: &result) } == "the image must be rgba8 64x48, not rgba8 7x5")
    result = other
    #expect(
      message { try plan.blur(image, into: &result) }
        == "the result (`region`) must be rgba8 10x5, not rgba8 7x5")
  }

  @Test("A message about a wrong result mentions the region only if one was requested")
  func wholeResult() throws {
    let image = try Image(.rgba8, width: 64, height: 48)
    var result = try Image(.rgba8, width: 7, height: 5)
    let plan = try BlurPlan(for: image.layout, sigma: 2)
    #expect(
      message { try plan.blur(image, into: &result) } == "the result must be rgba8 64x48, not rgba8 7x5")
  }

  @Test("A message about a region outside the image names its size and its position")
  func region() throws {
    let layout = try ImageLayout(.gray8, width: 64, height: 48)
    let region = Region(x: 60, y: 1, width: 5, height: 9)
    #expect(
      message { _ = try BlurPlan(for: layout, BlurParameters(sigma: Sigma(2), region: region)) }
        == "region 5x9 at x 60, y 1: must be inside the 64x48 image and not empty")
  }

  @Test("A kernel of variable sigma reports an error of its plan to the blur")
  func variable() throws {
    let problem = BlurProblem(try ImageLayout(.gray8, width: 9, height: 5), sigma: try Sigma(2))
    let plan = try Kernel(.levels).plan(problem)
    let (image, failure) = (try Image(problem.layout), BlurFailure())
    var other = try Image(.gray8, width: 8, height: 5)
    image.withView { source in
      other.withMutableView { target in
        plan.run(
          0, 0..<1,
          PhaseContext(
            source: source, destination: target, shared: target.unsafeBase, scratch: target.unsafeBase,
            epilogue: nil,
            failure: failure))
      }
    }
    #expect(failure.take()?.description == "the result must be gray8 9x5, not gray8 8x5")
  }

  @Test("If no kernel has a similar name, the message says where the names are")
  func names() {
    #expect(message { _ = try Registry.kernel(named: "zzzzzzzz") }.contains("`Registry.kernels`"))
    #expect(message { _ = try Registry.kernel(named: "box-tripel") }.contains("did you mean 'box-triple'?"))
  }
}
