import Blur
import Foundation

/// A stored reference result (a golden) of a blur whose sigma varies across the image according to a mask.
/// The result is either the ideal blur or the exact result of one method.
public struct VariableGolden: GoldenPicture, Hashable, Sendable {
  let format: PixelFormat
  let shape: MaskShape
  /// The method whose exact result is stored in the file, or nil for the ideal blur.
  let method: VariableMethod?

  static let sigma = 2.5
  static let formats: [PixelFormat] = [.rgba8, .gray16]

  /// The goldens of all combinations of format and mask, for the ideal blur and for each method.
  public static let all: [VariableGolden] = formats.flatMap { format in
    MaskShape.allCases.flatMap { shape in
      ([nil] + VariableMethod.allCases).map { VariableGolden(format: format, shape: shape, method: $0) }
    }
  }

  /// The edge mode of the blur, which depends on the shape of the mask.
  var edge: EdgeMode {
    switch shape {
    case .linear: .mirror
    case .radial: .clamp
    case .scattered: Subject.edge(named: "constant-colour", for: format) ?? .clamp
    }
  }

  /// The name of the file, such as `variable_rgba8_dead-leaves_linear_sigma2.5_mirror_layers.pam`.
  public var fileName: String {
    let name = method?.rawValue ?? "gaussian"
    return "variable_\(format)_\(kind.rawValue)_\(shape.rawValue)_sigma\(Self.sigma)_\(edge.name)_\(name).pam"
  }

  func mask() throws -> Image { try shape.mask(width: Self.width, height: Self.height) }

  /// Returns the correct result, computed by the reference implementation.
  func truth() throws -> Truth {
    Truth.of(try image(), sigma: Self.sigma, mask: try mask(), edge: edge, method: method)
  }

  /// Compares the results of a method with two goldens: its own, and the golden of the ideal blur. The
  /// results may differ from the golden of the ideal blur by the error that the method states, in addition to
  /// rounding.
  static func check(_ test: VariableUnderTest, in folder: URL) throws -> Finding? {
    let subject = test.subject
    let own = all.filter { golden in
      golden.format == subject.format && golden.edge == subject.edge && subject.sigma.x == sigma
        && [nil, test.method].contains(golden.method)
    }
    guard !own.isEmpty else {
      throw NotApplicable(
        "there are goldens with masks only for rgba8 and gray16 with sigma \(sigma), and only for the edge "
          + "modes mirror, clamp and constant-colour")
    }
    return try own.compactMap { golden in
      let planned = try test.plan(golden.layout, golden.mask(), test.subject)
      guard let stated = golden.method == nil ? planned.error : 0 else { return nil }
      let expected = try golden.stored(in: folder)
      let (image, result) = (try golden.image(), try planned.blurred(golden.image()))
      let deviation = Deviation.between(result, expected)
      // The bound includes half a code value, because the values in the golden file are rounded too.
      let bound = stated + test.allowance + test.subject.format.codeInLevels / 2
      if deviation.maxLevels > bound {
        throw Violation(
          "\(golden.fileName): \(deviation.off())", deviation,
          FailureImages(source: image, result: result, expected: expected, around: deviation))
      }
      return Finding(golden.fileName, deviation)
    }.worst
  }
}
