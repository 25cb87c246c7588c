import Blur
import Testing

@testable import BlurVerification

@Suite struct JudgeTests {
  /// Returns an image and its exact blur. The tests then spoil the blur.
  private func truth(_ format: PixelFormat, _ definition: Truth.Definition = .gaussian) throws -> (
    Image, Image
  ) {
    let image = try TestImage.noise.image(ImageLayout(format, width: 9, height: 7), seed: 4)
    let truth = Truth.of(image, definition, sigma: try Sigma(2), edge: .mirror)
    let result = try Image.painted(image.layout) { x, y, c in
      truth.values[(y * 9 + x) * format.channels + c]
    }
    return (image, result)
  }

  private func judge(_ image: Image, _ result: Image, by kernel: Kernel, rows: [Int]? = nil) throws
    -> Judgement
  {
    let judge = Judge(image, sigma: try Sigma(2), edge: .mirror, rows: rows)
    return result.withView { judge.judge($0, by: kernel) }
  }

  /// A kernel that promises an exact Gaussian. What it would compute does not matter here.
  private let exact = Kernel(MutantKernel<Honest>())
  private let boxes = Kernel(MutantKernel<GaussianAsBoxes>())

  @Test(
    "A deviation is measured in levels, and its pixel and channel are named",
    arguments: [
      (PixelFormat.rgba8, 2.0, 2.0), (.rgba16, 3, 3.0 / 257), (.rgbaf32, 0.25, 63.75),
    ])
  func aDeviationIsMeasuredInLevelsAndPlaced(_ format: PixelFormat, _ by: Double, _ levels: Double) throws {
    var (image, result) = try truth(format)
    #expect(try judge(image, result, by: exact).violation == nil)
    result.withMutableView { $0.setValue(5 * 4 + 2, 3, to: $0.readOnly.value(5 * 4 + 2, 3) + by) }
    let judgement = try judge(image, result, by: exact)
    let deviation = judgement.deviation
    #expect(abs(deviation.maxLevels - levels) < 1e-4)
    #expect((deviation.x, deviation.y, deviation.channel) == (5, 3, 2))
    let violation = try #require(judgement.violation)
    #expect(violation.hasPrefix("off the Gaussian by ") && violation.contains("x 5, y 3, channel 2 of 9x7"))
    #expect(try judge(image, result, by: exact, rows: [0, 1, 2, 4, 5, 6]).violation == nil)
  }

  @Test("A kernel that promises an error of at most one level may have one")
  func onePromisedLevelIsGranted() throws {
    var (image, result) = try truth(.gray8)
    result.withMutableView { $0.setValue(0, 0, to: $0.readOnly.value(0, 0) + 1) }
    let judgement = try judge(image, result, by: exact)
    #expect(judgement.deviation.maxLevels == 1)
    #expect(judgement.violation == nil)
  }

  @Test(
    "A kernel that promises a specification is compared with its definition, not with the Gaussian",
    arguments: PixelFormat.allCases)
  func aSpecificationIsHeldToItsDefinition(_ format: PixelFormat) throws {
    var (image, result) = try truth(format, .tripleBox)
    #expect(try judge(image, result, by: boxes).violation == nil)
    #expect(try judge(image, result, by: exact).violation != nil)
    let step = format.component == .float32 ? 2e-5 : 1
    let value = result.withView { $0.value(0, 1) }
    result.withMutableView { $0.setValue(0, 1, to: value + (value > 0 ? -step : step)) }
    #expect(try judge(image, result, by: boxes).violation != nil)
    #expect(try judge(image, truth(format).1, by: boxes).violation != nil)
  }

  /// If the exact value is halfway between two code values, a specification accepts both of them, and no
  /// other value.
  @Test("Ties may be rounded either way")
  func tiesMayBeRoundedEitherWay() throws {
    let layout = try ImageLayout(.gray8, width: 4, height: 1)
    // The weights of the triple box are 1, 3, 4, 3 and 1, divided by 12. So the result next to the pixel with
    // the value 6 is 1.5.
    let image = try Image.painted(layout) { x, _, _ in x == 1 ? 6 : 0 }
    let truth = Truth.of(image, .tripleBox, sigma: try Sigma(x: 1, y: 0), edge: .wrap)
    #expect(truth.values.map { ($0 * 1e9).rounded() / 1e9 } == [1.5, 2, 1.5, 1])
    for first in [1.0, 2, 3] {
      let result = try Image.painted(layout) { x, _, _ in [first, 2, 2, 1][x] }
      let deviation = result.withView { truth.deviation(of: $0, tieMargin: Judge.tieMargin) }
      #expect(deviation.maxLevels == (first == 3 ? 1 : 0))
    }
  }

  @Test("A NaN in the result is an infinite deviation")
  func aResultThatIsNoNumberDeviatesInfinitely() throws {
    var (image, result) = try truth(.grayf32)
    result.withMutableView { $0.setValue(8, 6, to: .nan) }
    let judgement = try judge(image, result, by: exact)
    #expect(judgement.deviation.maxLevels == .infinity)
    #expect((judgement.deviation.x, judgement.deviation.y) == (8, 6))
    #expect(try #require(judgement.violation).hasPrefix("NaN at x 8, y 6, channel 0 of 9x7; promised"))
  }

  @Test("A result of another size is an infinite deviation")
  func aResultOfAnotherSizeDeviatesInfinitely() throws {
    let (image, _) = try truth(.gray8)
    #expect(try judge(image, Image(.gray8, width: 7, height: 9), by: exact).deviation.maxLevels == .infinity)
  }

  /// An error of 0.01 at every pixel gives a signal-to-noise ratio of 40 dB.
  @Test("The signal-to-noise ratio is relative to full scale")
  func theSignalToNoiseRatioIsAgainstFullScale() throws {
    let image = try Image.painted(ImageLayout(.grayf32, width: 5, height: 5)) { _, _, _ in 0.5 }
    let result = try Image.painted(image.layout) { _, _, _ in 0.51 }
    let deviation = try judge(image, result, by: exact).deviation
    #expect(abs(deviation.psnr - 40) < 1e-4)
    #expect(try judge(image, image, by: exact).deviation.psnr > 140)
  }

  @Test("Bounds for float formats grow with the values of the image")
  func boundsOfFloatsGrowWithTheirValues() throws {
    let image = try Image.painted(ImageLayout(.grayf32, width: 5, height: 5)) { _, _, _ in 1000 }
    let near = try Image.painted(image.layout) { _, _, _ in 1000.009 }
    let far = try Image.painted(image.layout) { _, _, _ in 1000.1 }
    #expect(try judge(image, near, by: exact).violation == nil)
    #expect(try judge(image, far, by: exact).violation != nil)
  }
}
