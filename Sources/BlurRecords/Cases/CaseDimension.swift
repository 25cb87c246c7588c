import Blur

/// A property by which cases differ, such as the pixel format. (A case is a kernel with an instruction set on
/// a certain workload.)
///
/// This type defines the names and the default values of the properties for suite files, the command line,
/// case names and filters. The properties are declared in the order in which case names and the command
/// line's help list them.
public enum CaseDimension: String, CaseIterable, Sendable {
  case kernel, isa, threads, format, size, sigma, edge, pace, mask, scene, device

  /// The key under which a suite file lists the values of this property, such as `sigmas`.
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

  /// The value that the property has if a suite lists no values for it, or nil if a suite must list some.
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

  /// The word for a case without a mask, in which sigma is the same for all pixels.
  static let noMask = "none"

  /// Whether a case name omits this property if it has its default value.
  ///
  /// Only the pace and the mask are omitted. Both were added when case names were already in use, and names
  /// without them must stay valid.
  var isLater: Bool { self == .pace || self == .mask }

  /// The keys with which a case name states this property. The device has no key of its own, because the
  /// value of the key `scene` includes the device, as in `scene=glass@phone-3x`.
  var nameKeys: [String] {
    switch self {
    case .size: [rawValue, Case.strideKey]
    case .device: []
    default: [rawValue]
    }
  }

  /// Returns the properties whose listed values are combined to form all cases. In the resulting order of
  /// cases, the first property changes slowest and the last one changes fastest.
  ///
  /// - Parameter ofScenes: Whether the cases are interface scenes. A scene itself defines the image and the
  ///   blur, so the properties that describe an image or a blur are left out.
  static func product(ofScenes: Bool) -> [CaseDimension] {
    let blurred: [CaseDimension] =
      ofScenes ? [.scene, .device] : [.format, .size, .sigma, .edge, .pace, .mask]
    return blurred + [.threads, .kernel, .isa]
  }
}

/// The names of all kernels, scenes and devices. The names in suite files and on the command line are checked
/// against these lists, so that a misspelled name is reported.
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
