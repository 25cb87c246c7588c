import Blur
import Testing

@testable import BlurVerification

/// The values of exp(−i²/2) for i = 0…6, which are the weights for sigma 1 before they are normalised.
private let bell = [
  1, 0.6065306597126334, 0.1353352832366127, 0.011108996538242306, 0.00033546262790251185,
  3.726653172078671e-06, 1.522997974471263e-08,
]
/// The weights for sigma 1 after they are normalised.
private let g = bell.map { $0 / 2.5066282879970854 }

@Suite struct ReferenceTests {
  /// The line `abcd`, continued by each edge mode with twelve letters on each side. The expected letters were
  /// written by hand.
  @Test(
    "Edge modes continue a line as in their diagrams",
    arguments: [
      ("clamp", "aaaaaaaaaaaa", "dddddddddddd"),
      ("mirror", "abcdcbabcdcb", "cbabcdcbabcd"),
      ("reflect", "dcbaabcddcba", "dcbaabcddcba"),
      ("wrap", "abcdabcdabcd", "abcdabcdabcd"),
      ("constant", "kkkkkkkkkkkk", "kkkkkkkkkkkk"),
    ])
  func edgeModesContinueAsInTheirDiagrams(_ name: String, _ left: String, _ right: String) throws {
    let mode = try #require(EdgeMode(name: name))
    let letters = Array("abcd")
    func letter(_ position: Int) -> Character {
      mode.index(of: position, count: 4).map { letters[$0] } ?? "k"
    }
    #expect(String((-12..<16).map(letter)) == left + "abcd" + right)
    // 24 is a multiple of the period of each edge mode.
    let far = 24 * 1_000_003
    #expect(name == "clamp" || String((far..<far + 4).map(letter)) == (name == "constant" ? "kkkk" : "abcd"))
    #expect(name == "clamp" || String((-far - 12 ..< -far).map(letter)) == left)
  }

  @Test("Edge modes continue lines of one and of two pixels correctly")
  func edgeModesOfOneAndTwoPixels() {
    for mode in EdgeMode.allCases where mode != .transparent {
      #expect((-9...9).allSatisfy { mode.index(of: $0, count: 1) == 0 }, "\(mode.name)")
    }
    #expect((-4..<6).map { EdgeMode.mirror.index(of: $0, count: 2) } == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    #expect((-4..<6).map { EdgeMode.reflect.index(of: $0, count: 2) } == [0, 1, 1, 0, 0, 1, 1, 0, 0, 1])
  }

  @Test("The weights for sigma 1 are those of a table")
  func theWeightsOfSigmaOneAreThoseOfTheTable() throws {
    let weights = Truth.Definition.gaussian.weights(1)
    #expect(weights.count == 13)
    for (i, weight) in weights.enumerated() { #expect(abs(weight - g[abs(i - 6)]) < 1e-13) }
  }

  /// The first of three pixels is blurred with sigma 1, in a row and in a column. The lists contain the
  /// distances at which the first, the second and the third pixel and the constant occur, which were found by
  /// hand.
  @Test(
    "A row and a column of three pixels are blurred as computed by hand",
    arguments: [
      ("clamp", [[0, 1, 2, 3, 4, 5, 6], [1], [2, 3, 4, 5, 6], []]),
      ("mirror", [[0, 4, 4], [1, 1, 3, 3, 5, 5], [2, 2, 6, 6], []]),
      ("reflect", [[0, 1, 5, 6, 6], [1, 2, 4, 5], [2, 3, 3, 4], []]),
      ("wrap", [[0, 3, 3, 6, 6], [1, 2, 4, 5], [1, 2, 4, 5], []]),
      ("constant", [[0], [1], [2], [1, 2, 3, 3, 4, 4, 5, 5, 6, 6]]),
    ])
  func tinyRowsAndColumnsByHand(_ name: String, _ distances: [[Int]]) throws {
    let edge = try #require(EdgeMode(name: name)).ifConstant([100, 0, 0, 0])
    let expected = zip([10.0, 20, 40, 100], distances).reduce(0) { sum, met in
      met.1.reduce(sum) { $0 + met.0 * g[$1] }
    }
    let pixels = [10.0, 20, 40]
    let row = try Image.painted(ImageLayout(.gray8, width: 3, height: 1)) { x, _, _ in pixels[x] }
    let column = try Image.painted(ImageLayout(.gray8, width: 1, height: 3)) { _, y, _ in pixels[y] }
    let across = Truth.of(row, sigma: try Sigma(x: 1, y: 0), edge: edge).values[0]
    let down = Truth.of(column, sigma: try Sigma(x: 0, y: 1), edge: edge).values[0]
    #expect(abs(across - expected) < 1e-11)
    #expect(abs(down - expected) < 1e-11)
  }

  @Test("The response to an impulse is the product of the weights of both axes")
  func anImpulseIsAnsweredByTheProductOfBothAxes() throws {
    let layout = try ImageLayout(.rgbaf32, width: 15, height: 15)
    let image = try Image.painted(layout) { x, y, c in x == 7 && y == 7 ? Double(c + 1) : 0 }
    let truth = Truth.of(image, sigma: try Sigma(1), edge: .clamp)
    for (dx, dy, c) in [(0, 0, 0), (1, 0, 1), (-2, 3, 2), (6, -6, 3)] {
      let value = truth.values[((7 + dy) * 15 + 7 + dx) * 4 + c]
      #expect(abs(value - Double(c + 1) * g[abs(dx)] * g[abs(dy)]) < 1e-13)
    }
    #expect(truth.values[0] == 0)
  }

  /// The boxes of the W3C specification for d = 0, 1, 2 and 3, convolved by hand.
  @Test(
    "The weights of the triple box are those computed by hand",
    arguments: [
      (0.2, [1.0], 1.0), (0.5, [1], 1), (1, [1, 3, 4, 3, 1], 12), (1.5, [1, 3, 6, 7, 6, 3, 1], 27),
    ])
  func tripleBoxes(_ sigma: Double, _ numerators: [Double], _ denominator: Double) {
    let weights = Truth.Definition.tripleBox.weights(sigma)
    #expect(weights.count == numerators.count)
    for (weight, numerator) in zip(weights, numerators) {
      #expect(abs(weight - numerator / denominator) < 1e-15)
    }
  }

  /// At this sigma, `naive` leaves out a weight of 8e-6 along each axis, which is less than 0.005 code
  /// values. Rounding once more, between the axes, would cost almost a code value.
  @Test(
    "The result of `naive` is the exact blur, rounded once",
    arguments: [PixelFormat.gray8, .rgb8, .rgba8, .gray16, .rgba16])
  func theDefinitionInCodeIsTheTruthRoundedOnce(_ format: PixelFormat) throws {
    let image = try TestImage.noise.image(ImageLayout(format, width: 41, height: 23), seed: 1)
    let sigma = try Sigma(0.4)
    let truth = Truth.of(image, sigma: sigma, edge: .mirror)
    let plan = try BlurPlan(
      Registry.kernel(named: "naive"), for: image.layout, BlurParameters(sigma: sigma, edge: .mirror))
    var result = try Image(image.layout)
    try plan.blur(image, into: &result)
    let found = result.withView { view in (0..<23).flatMap(view.values(ofRow:)) }
    #expect(found.count == truth.values.count)
    #expect(zip(found, truth.values).allSatisfy { abs($0 - $1) <= 0.505 })
  }

  @Test("With sigma 0, the exact blur is the image itself")
  func sigmaZeroIsTheImageItself() throws {
    let image = try TestImage.noise.image(ImageLayout(.rgba16, width: 7, height: 5), seed: 1)
    for definition in Truth.Definition.allCases {
      let truth = Truth.of(image, definition, sigma: try Sigma(0), edge: .wrap)
      #expect(truth.values == image.withView { view in (0..<5).flatMap(view.values(ofRow:)) })
    }
  }

  @Test("Selected rows equal these rows of the whole blur")
  func someRowsAreThoseOfTheWhole() throws {
    let image = try TestImage.noise.image(ImageLayout(.rgba8, width: 9, height: 11), seed: 1)
    let sigma = try Sigma(x: 1, y: 4)
    let whole = Truth.of(image, sigma: sigma, edge: .reflect)
    let some = Truth.of(image, sigma: sigma, edge: .reflect, rows: [10, 3])
    #expect(some.values == Array(whole.values[360..<396] + whole.values[108..<144]))
  }
}
