import Blur
import BlurText
import Foundation

/// The largest error that a blur with a variable sigma and a given mask can cause in *any* image.
///
/// Such a blur is a linear operator, but not a convolution. Its weights are measured with images in which a
/// single pixel is white. The error of an output pixel is largest if all pixels with too large a weight are
/// white and all others are black, or the other way round.
public struct VariableCertificate: Sendable, Codable {
  /// The names of the method, the mask shape and the edge mode.
  public let kernel: String, mask: String, edge: String
  /// The standard deviation in pixels where the mask is 255, and the width and height of the image.
  public let sigma: Double, side: Int
  /// The largest error that any image can cause, in levels and before rounding, and the pixel at which it
  /// occurs.
  public let levels: Double, x: Int, y: Int
  /// The largest error, in levels, that mixing several ordinary blurs can cause, as stated by the method. It
  /// does not include the errors of the mixed blurs themselves. It is nil if the method states no error.
  public let stated: Double?
  /// The error of the worst-case image at pixel (``x``, ``y``), in levels, measured by blurring that image.
  public let measured: Double

  private enum CodingKeys: String, CodingKey {
    case kernel, mask, edge, sigma, side
    case levels = "certified_levels"
    case x, y
    case stated = "stated_levels"
    case measured = "measured_levels"
  }

  /// The largest accepted difference, in levels, between the measured and the predicted error. It allows for
  /// the rounding of sums in single precision.
  static let allowance = 0.02
  /// The number of levels by which a certified error may exceed the error that the method states for mixing
  /// blurs. The excess is allowed because the mixed blurs have errors of their own.
  static let ofBlurs = 1.0

  /// Certifies one of the library's methods for blurring with a variable sigma.
  ///
  /// - Parameter side: The width and height of the test images in pixels. Every pixel of the image needs a
  ///   blur of its own, so large images take a long time. A mask of 24x24 scattered values is large enough to
  ///   contain every value from 0 to 255.
  public init(
    _ method: VariableMethod, _ shape: MaskShape, sigma: Sigma, edge: EdgeMode,
    instructionSet: InstructionSet, side: Int = 24
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

  /// A description of what is wrong, or nil if the error is not larger than the method states and the
  /// prediction was right.
  public var violation: String? {
    if abs(measured - levels) > Self.allowance {
      return "the worst-case image has an error of \(measured.inLevels), but the weights predict "
        + levels.inLevels
    }
    guard let stated, levels > stated + Self.ofBlurs else { return nil }
    return "worst case over all images: \(levels.inLevels); allowed: \(stated.inLevels) that the method "
      + "states, plus \(Self.ofBlurs.inLevels) for the mixed blurs"
  }

  /// Returns the measured weights as one array for each input pixel. To measure them, an image is blurred in
  /// which only this input pixel is white. The value of each output pixel is then the weight of the input
  /// pixel in that output pixel.
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

  /// Returns the correct weights of all input pixels in one output pixel.
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

/// Converts certificates for blurs with a variable sigma to a report in text, CSV or JSON.
extension [VariableCertificate] {
  /// A Boolean value that indicates whether a method exceeds its stated error, or the measured error of a
  /// worst-case image differs from the prediction.
  public var hasFailures: Bool { contains { $0.violation != nil } }

  /// A table of the certificates, followed by a line for each violation.
  public var text: String {
    let table = Table<VariableCertificate>([
      Column("kernel") { $0.kernel }, Column("mask") { $0.mask }, Column("sigma") { $0.sigma },
      Column("edge") { $0.edge }, Column("worst case") { $0.levels.short },
      Column("stated") { $0.stated?.short ?? "none" }, Column("pixel") { "x \($0.x), y \($0.y)" },
      Column("measured") { $0.measured.short },
    ])
    let broken = compactMap { row in
      row.violation.map { "BROKEN: \(row.kernel), mask \(row.mask), sigma \(row.sigma), \(row.edge): \($0)" }
    }
    let side = first?.side ?? 0
    return
      "The largest error over all images of \(side)x\(side) pixels, in levels. The stated error comes\n"
      + "only from mixing blurs. The mixed blurs have errors of their own, so the worst case may be larger.\n"
      + table.text(self) + "\n" + broken.map { $0 + "\n" }.joined()
  }

  /// A CSV table with a header line and a line for each certificate. Missing values are empty.
  public var csv: String {
    Table<VariableCertificate>([
      Column("kernel") { $0.kernel }, Column("mask") { $0.mask }, Column("sigma") { $0.sigma },
      Column("edge") { $0.edge }, Column("side") { $0.side }, Column("certified_levels") { $0.levels },
      Column("stated_levels") { $0.stated }, Column("worst_x") { $0.x }, Column("worst_y") { $0.y },
      Column("measured_levels") { $0.measured }, Column("violation") { $0.violation },
    ]).csv(self)
  }

  /// Returns a JSON array with one object for each certificate.
  public func json() throws -> String { try JSONDocument.text(of: self) }
}

extension Double {
  fileprivate var short: String { String(format: "%.3g", self) }
}
