import Blur
import Testing

@testable import BlurVerification

@Suite struct TestImageTests {
  /// The expected numbers are the first three outputs that are published for this seed.
  @Test("The random number generator is SplitMix64")
  func theGeneratorIsSplitMix64() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }

  @Test(
    "A seed determines the image, whatever its stride is",
    arguments: TestImage.allCases, PixelFormat.allCases)
  func aSeedMakesOneImageWhateverTheStride(_ kind: TestImage, _ format: PixelFormat) throws {
    let packed = try ImageLayout(format, width: 19, height: 14)
    let padded = try ImageLayout(format, width: 19, height: 14, stride: packed.rowBytes + 7)
    let (a, b) = (try kind.image(packed, seed: 3), try kind.image(padded, seed: 3))
    #expect(Deviation.between(a, b).maxLevels == 0)
    let other = try kind.image(packed, seed: 4)
    let differs = Deviation.between(a, other).maxLevels > 0
    #expect(differs == [.extremes, .noise, .deadLeaves].contains(kind))
  }

  @Test(
    "Every test image is finite and has more than one value",
    arguments: TestImage.allCases, PixelFormat.allCases)
  func everyImageHasSomethingToBlur(_ kind: TestImage, _ format: PixelFormat) throws {
    for (width, height) in [(37, 29), (2, 1)] {
      let values = try kind.image(ImageLayout(format, width: width, height: height), seed: 1).withView {
        view in
        (0..<height).flatMap(view.values(ofRow:))
      }
      #expect(values.allSatisfy { $0.isFinite })
      #expect(width == 2 || Set(values).count > 1)
    }
  }

  /// No colour component is larger than its alpha.
  @Test(
    "Test images with alpha are premultiplied",
    arguments: [TestImage.impulse, .step, .checkerboard, .alphaRamp, .deadLeaves])
  func picturesArePremultiplied(_ kind: TestImage) throws {
    let image = try kind.image(ImageLayout(.rgba8, width: 37, height: 29), seed: 1)
    image.withView { view in
      for y in 0..<29 {
        let row = view.values(ofRow: y)
        for i in row.indices { #expect(row[i] <= row[i / 4 * 4 + 3]) }
      }
    }
  }
}
