import Blur

/// What tells cases apart. Suites, the command line, names and filters take their keys, words and defaults
/// from here.
///
/// The order is that of names and of the command line's help.
public enum CaseDimension: String, CaseIterable, Sendable {
  case kernel, isa, threads, format, size, sigma, edge, pace, mask, scene, device

  /// The key in suites.
  public var suiteKey: String {
    switch self {
    case .isa, .threads, .pace: rawValue
    default: rawValue + "s"
    }
  }

  /// What the option of the command line takes, in a sentence.
  public var help: String {
    switch self {
    case .kernel: "Kernels by name, or all."
    case .isa: "Instruction sets: best, all, or the widest allowed (baseline, avx2, avx512)."
    case .threads: "Numbers of threads; all is one for each core."
    case .format: "Pixel formats, or all."
    case .size: "Sizes; +P adds P bytes of padding to each row."
    case .sigma: "Standard deviations in pixels."
    case .edge: "Edge modes, or all."
    case .pace:
      "When blurs begin: warm (at once), cold (images in no cache), 60hz or 120hz (once a frame), or all."
    case .mask:
      "Masks by which sigma differs by pixel: none, \(MaskShape.names.joined(separator: ", ")), or all; they "
        + "go with the methods \(VariableMethod.allCases.map(\.rawValue).joined(separator: ", ")) as kernels."
    case .scene: "Interface scenes instead of blurs, or all."
    case .device: "The screens that scenes play on, or all."
    }
  }

  /// The form of a value in the command line's help, where that says more than the option's name.
  public var valueName: String? { self == .size ? "WxH[+P]" : nil }

  /// The word that a suite need not write; nil where it must name something.
  var defaultWord: String? {
    switch self {
    case .isa: "best"
    case .threads: "1"
    case .edge: "clamp"
    case .pace: Pace.warm.rawValue
    case .mask: Self.noMask
    default: nil
    }
  }

  /// The word for one sigma in all pixels.
  static let noMask = "none"

  /// Whether names say nothing of it where it has its default: names were made before there was such a
  /// dimension.
  var isLater: Bool { self == .pace || self == .mask }

  /// The keys that it has in the names of cases. A scene's device stands in the value of the scene.
  var nameKeys: [String] {
    switch self {
    case .size: [rawValue, Case.strideKey]
    case .device: []
    default: [rawValue]
    }
  }

  /// The dimensions of a product, the slowest first: a scene says itself what is blurred.
  static func product(ofScenes: Bool) -> [CaseDimension] {
    let blurred: [CaseDimension] =
      ofScenes ? [.scene, .device] : [.format, .size, .sigma, .edge, .pace, .mask]
    return blurred + [.threads, .kernel, .isa]
  }
}

/// The names that words are checked against.
public struct Vocabulary: Sendable {
  /// The kernels that exist.
  public let kernels: [String]
  /// The scenes and devices that exist.
  public let catalog: SceneCatalog

  /// Takes the names of what exists.
  public init(kernels: [String], catalog: SceneCatalog = .none) {
    self.kernels = kernels
    self.catalog = catalog
  }
}
