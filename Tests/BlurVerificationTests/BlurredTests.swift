import Blur
import Testing

@testable import BlurVerification

@Suite("The methods `blurred` of an image")
struct BlurredTests {
  /// Returns a packed image, and the same image with padding after each row.
  private func images(_ format: PixelFormat) throws -> [Image] {
    let packed = try TestImage.noise.image(ImageLayout(format, width: 31, height: 22), seed: 9)
    let stride = packed.layout.stride + 7
    var padded = try Image(ImageLayout(format, width: 31, height: 22, stride: stride))
    packed.withView { source in padded.withMutableView { $0.copyPixels(of: source) } }
    return [packed, padded]
  }

  private func edges(_ format: PixelFormat) -> [EdgeMode] {
    let colour = SIMD4<Float>(0.2, 0.4, 0.1, 0.6) * Float(format.fullScale)
    return EdgeMode.allCases + [.constant(format.component == .float32 ? colour : colour.rounded(.down))]
  }

  @Test(
    "With one sigma, the error is within the bound, with every edge mode, stride and number of threads",
    arguments: PixelFormat.allCases)
  func oneSigma(format: PixelFormat) throws {
    let bound = ErrorBound.levels(format.component == .uint8 ? 1 : 0.1)
    for edge in edges(format) {
      let images = try images(format)
      let truth = Truth.of(images[0], sigma: try Sigma(2.5), edge: edge)
      for (image, threads) in [(images[0], 1), (images[1], 1), (images[1], 3)] {
        let result = try image.blurred(sigma: 2.5, edge: edge, accuracy: bound, threads: threads)
        #expect(result.layout == image.layout)
        let error = result.withView { truth.deviation(of: $0).maxLevels }
        #expect(error <= bound.levels, "\(edge), stride \(image.layout.stride), threads \(threads)")
      }
    }
  }

  @Test(
    "With a mask, the result is the blur of each pixel's own sigma, with every edge mode and stride",
    arguments: PixelFormat.allCases)
  func mask(format: PixelFormat) throws {
    let mask = try MaskShape.radial.mask(width: 31, height: 22)
    for edge in edges(format) {
      let images = try images(format)
      let truth = Truth.of(images[0], sigma: 4, mask: mask, edge: edge)
      for (image, threads) in [(images[0], 1), (images[1], 1), (images[1], 3)] {
        let result = try image.blurred(sigma: 4, mask: mask, edge: edge, threads: threads)
        #expect(result.layout == image.layout)
        let error = result.withView { truth.unroundedDeviation(of: $0).maxLevels }
        #expect(error <= 3, "\(edge), stride \(image.layout.stride), threads \(threads)")
      }
    }
  }

  @Test("With a mask, the method is the one that was asked for", arguments: VariableMethod.allCases)
  func method(method: VariableMethod) throws {
    let mask = try MaskShape.scattered.mask(width: 31, height: 22)
    let image = try images(.rgb8)[1]
    let truth = Truth.of(image, sigma: 4, mask: mask, edge: .wrap, method: method)
    let result = try image.blurred(sigma: 4, mask: mask, edge: .wrap, method: method)
    #expect(result.withView { truth.unroundedDeviation(of: $0).maxLevels } <= 2)
  }

  @Test("A bound that no kernel keeps is refused")
  func refused() throws {
    let image = try images(.gray8)[0]
    #expect(throws: BlurError.self) { try image.blurred(sigma: 2, accuracy: .levels(0.01)) }
  }
}
