import Blur

/// The largest error of *any* image by a blur of variable sigma with one mask: the certificate of a linear
/// operator that is no convolution.
///
/// Each pixel in turn is the only one that is lit, which gives the operator's weights. An output's error is
/// largest where all pixels that weigh too much are white and all others black, or the other way round.
public struct VariableCertificate: Sendable, Codable {
  /// The method, the mask's shape, and the edge mode.
  public let kernel: String, mask: String, edge: String
  /// Standard deviation in pixels where the mask is 255; width and height of the image.
  public let sigma: Double, side: Int
  /// The worst error of any image in levels, before it is rounded, and the pixel that has it.
  public let levels: Double, x: Int, y: Int
  /// The error that the method states beside that of the blurs it mixes; nil where it states none.
  public let stated: Double?
  /// What the worst image was found to be off there, in levels.
  public let measured: Double

  private enum CodingKeys: String, CodingKey {
    case kernel, mask, edge, sigma, side
    case levels = "certified_levels"
    case x, y
    case stated = "stated_levels"
    case measured = "measured_levels"
  }

  /// How far the worst image may be from what the weights predict: sums of single precision.
  static let allowance = 0.02
  /// What the blurs that are mixed may be off.
  static let ofBlurs = 1.0

  /// Certifies a method of the library.
  ///
  /// - Parameter side: width and height of the image; a blur is made for each of its pixels.
  public init(
    _ method: VariableMethod, _ shape: MaskShape, sigma: Sigma, edge: EdgeMode,
    instructionSet: InstructionSet, side: Int
  ) throws {
    let set = method == .twoPass ? .baseline : instructionSet
    let subject = Subject(.grayf32, sigma: sigma, edge: edge, instructionSet: set)
    try self.init(shape, side: side, VariableUnderTest(method, subject))
  }

  init(_ shape: MaskShape, side: Int, _ test: VariableUnderTest) throws {
    let layout = try ImageLayout(.grayf32, width: side, height: side)
    let mask = try shape.mask(width: side, height: side)
    let planned = try test.plan(layout, mask, test.subject)
    let weights = try Self.weights(layout, planned)
    let errors = (0..<side * side).map { output in
      let wanted = Self.wanted(output, side, mask, test.subject)
      return (0..<side * side).map { weights[$0][output] - wanted[$0] }
    }
    func sum(_ errors: [Double], _ sign: Double) -> Double { errors.reduce(0) { $0 + max(0, sign * $1) } }
    let worst =
      (0..<side * side).flatMap { output in [1.0, -1].map { (output, $0) } }
      .max { sum(errors[$0.0], $0.1) < sum(errors[$1.0], $1.1) } ?? (0, 1)
    let (output, sign) = worst
    let image = try Image.painted(layout) { x, y, _ in sign * errors[output][y * side + x] > 0 ? 1 : 0 }
    let truth = Truth.of(
      image, sigma: test.subject.sigma.x, mask: mask, edge: test.subject.edge, rows: [output / side])
    let result = try planned.blurred(image)
    let found = result.withView { $0.value(output % side, output / side) }
    measured = 255 * abs(found - truth.values[output % side])
    levels = 255 * sum(errors[output], sign)
    (x, y, self.side, stated) = (output % side, output / side, side, planned.error)
    (kernel, self.mask, edge) = (test.method.rawValue, shape.rawValue, test.subject.edgeName)
    sigma = test.subject.sigma.x
  }

  /// How it breaks what the method states, or what follows from its weights; nil where it does not.
  public var violation: String? {
    if abs(measured - levels) > Self.allowance {
      return "the worst image is \(measured.inLevels) off, not \(levels.inLevels)"
    }
    guard let stated, levels > stated + Self.ofBlurs else { return nil }
    return
      "worst case \(levels.inLevels); stated: \(stated.inLevels), and \(Self.ofBlurs.inLevels) of the blurs"
  }

  /// By lit pixel: what every output gets of it.
  private static func weights(
    _ layout: ImageLayout, _ planned: VariableUnderTest.Planned
  ) throws -> [[Double]] {
    try (0..<layout.pixelCount).map { lit in
      let image = try Image.painted(layout) { x, y, _ in y * layout.width + x == lit ? 1 : 0 }
      return try planned.blurred(image).withView { view in
        (0..<layout.height).flatMap { view.values(ofRow: $0) }
      }
    }
  }

  /// What an output should get of every pixel.
  private static func wanted(_ output: Int, _ side: Int, _ mask: Image, _ subject: Subject) -> [Double] {
    let value = mask.withView { $0.value(output % side, output / side) }
    let window = Truth.gaussian(subject.sigma.x * value / 255)
    let line = ReferenceLine(window: window, count: side, edge: subject.edge)
    let (across, down) = (line.terms(of: output % side).inside, line.terms(of: output / side).inside)
    var weights = [Double](repeating: 0, count: side * side)
    for (y, weight) in down {
      for (x, other) in across { weights[y * side + x] += weight * other }
    }
    return weights
  }
}
