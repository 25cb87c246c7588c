import Blur
import Foundation

/// A golden of a blur of variable sigma: what it should give, or what a method gives by its definition.
public struct VariableGolden: GoldenPicture, Hashable, Sendable {
  let format: PixelFormat
  let shape: MaskShape
  /// Nil for what it should give.
  let method: VariableMethod?

  static let sigma = 2.5
  static let formats: [PixelFormat] = [.rgba8, .gray16]

  /// All cases: formats × masks × the truth and the methods.
  public static let all: [VariableGolden] = formats.flatMap { format in
    MaskShape.allCases.flatMap { shape in
      ([nil] + VariableMethod.allCases).map { VariableGolden(format: format, shape: shape, method: $0) }
    }
  }

  /// Mirrored as below a bar; beyond others there is something else.
  var edge: EdgeMode {
    switch shape {
    case .linear: .mirror
    case .radial: .clamp
    case .scattered: Subject.edge(named: "constant-colour", for: format) ?? .clamp
    }
  }

  /// The file's name: `variable_rgba8_dead-leaves_linear_sigma2.5_mirror_layers.pam`.
  public var fileName: String {
    let name = method?.rawValue ?? "gaussian"
    return "variable_\(format)_\(kind.rawValue)_\(shape.rawValue)_sigma\(Self.sigma)_\(edge.name)_\(name).pam"
  }

  func mask() throws -> Image { try shape.mask(width: Self.width, height: Self.height) }

  /// What the reference computes.
  func truth() throws -> Truth {
    Truth.of(try image(), sigma: Self.sigma, mask: try mask(), edge: edge, method: method)
  }

  /// Holds a method to its files: near its own, and as near to the truth's as it states.
  static func check(_ test: VariableUnderTest, in folder: URL) throws -> Finding? {
    let subject = test.subject
    let own = all.filter { golden in
      golden.format == subject.format && golden.edge == subject.edge && subject.sigma.x == sigma
        && [nil, test.method].contains(golden.method)
    }
    guard !own.isEmpty else {
      throw NotApplicable(
        "goldens of masks are rgba8 and gray16 at sigma \(sigma), mirrored, clamped, or with a colour beyond")
    }
    return try own.compactMap { golden in
      let planned = try test.plan(golden.layout, golden.mask(), test.subject)
      guard let stated = golden.method == nil ? planned.error : 0 else { return nil }
      let expected = try golden.stored(in: folder)
      let (image, result) = (try golden.image(), try planned.blurred(golden.image()))
      let deviation = result.withView { a in
        expected.withView { Deviation.between(a, $0) }
      }
      // The file is rounded too.
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
