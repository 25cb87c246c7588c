import Blur

/// A property by which cases differ, such as the pixel format.
///
/// Suite files, the command line, case names and filters take their keys, words and defaults from this type.
/// The dimensions are declared in the order in which case names and the command line's help list them.
public enum CaseDimension: String, CaseIterable, Sendable {
  case kernel, isa, threads, format, size, sigma, edge, pace, mask, scene, device

  /// The key of the dimension in a suite file.
  public var suiteKey: String {
    switch self {
    case .isa, .threads, .pace: rawValue
    default: rawValue + "s"
    }
  }

  /// A sentence for the command line's help that describes the values of the option.
  public var help: String {
    switch self {
    case .kernel: "Kernels by name, or all."
    case .isa: "Instruction sets: best, all, or the widest one to use (baseline, avx2, avx512)."
    case .threads: "Numbers of threads; all means one thread per core."
    case .format: "Pixel formats, or all."
    case .size: "Image sizes in pixels; +P adds P bytes of padding to each row."
    case .sigma: "Standard deviations of the Gaussian, in pixels."
    case .edge: "Edge modes (how an image continues beyond its edges), or all."
    case .pace:
      "When each blur starts: warm (right after the previous one), cold (after the images were removed from "
        + "the caches), 60hz or 120hz (once per frame), or all."
    case .mask:
      "Masks that vary sigma from pixel to pixel: none, \(MaskShape.names.joined(separator: ", ")), or all. "
        + "With a mask, the kernels are the methods "
        + VariableMethod.allCases.map(\.rawValue).joined(separator: ", ") + "."
    case .scene: "Interface scenes to measure instead of single blurs, or all."
    case .device: "Devices on whose screens the scenes play, or all."
    }
  }

  /// The placeholder for a value in the command line's help, or nil if the option's name is clear enough.
  public var valueName: String? { self == .size ? "WxH[+P]" : nil }

  /// The default that applies if a suite omits the dimension, or nil if a suite must specify it.
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

  /// The value of the mask dimension that means one sigma for all pixels.
  static let noMask = "none"

  /// Whether a case name omits the dimension if it has its default value.
  ///
  /// These dimensions were added when case names were already in use. Omitting their defaults keeps older
  /// names valid.
  var isLater: Bool { self == .pace || self == .mask }

  /// The keys of the dimension in case names. The device has no key, because it is part of a scene's value.
  var nameKeys: [String] {
    switch self {
    case .size: [rawValue, Case.strideKey]
    case .device: []
    default: [rawValue]
    }
  }

  /// Returns the dimensions whose lists of values are combined into cases, from the slowest-varying to the
  /// fastest-varying dimension.
  ///
  /// - Parameter ofScenes: Whether the cases are interface scenes. A scene itself defines the image and the
  ///   blur, so the dimensions that describe them are left out.
  static func product(ofScenes: Bool) -> [CaseDimension] {
    let blurred: [CaseDimension] =
      ofScenes ? [.scene, .device] : [.format, .size, .sigma, .edge, .pace, .mask]
    return blurred + [.threads, .kernel, .isa]
  }
}

/// The known names of kernels, scenes and devices, against which words are checked.
public struct Vocabulary: Sendable {
  /// The names of all kernels.
  public let kernels: [String]
  /// The catalogue of all scenes and devices.
  public let catalog: SceneCatalog

  /// Creates a vocabulary from the names of kernels and a catalogue of scenes.
  public init(kernels: [String], catalog: SceneCatalog = .none) {
    self.kernels = kernels
    self.catalog = catalog
  }
}
