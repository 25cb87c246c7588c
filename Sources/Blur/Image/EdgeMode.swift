/// A rule for the pixels beyond the edges of an image. Every mode defines all pixels outside the image, no
/// matter how far away they are.
///
/// | mode | left of the image | image | right of it |
/// |---|---|---|---|
/// | `clamp` | aaa | abcd | ddd |
/// | `mirror` | dcb | abcd | cba |
/// | `reflect` | cba | abcd | dcb |
/// | `wrap` | bcd | abcd | abc |
/// | `constant` | kkk | abcd | kkk |
public enum EdgeMode: CaseIterable, Hashable, Sendable {
  /// The nearest pixel of the image is repeated (`aaa|abcd|ddd`).
  case clamp
  /// The image is mirrored about the centre of its border pixel, which is not repeated (`dcb|abcd|cba`).
  case mirror
  /// The image is mirrored about the border itself, so that the border pixel is repeated (`cba|abcd|dcb`).
  case reflect
  /// The image is repeated periodically (`bcd|abcd|abc`).
  case wrap
  /// A fixed pixel surrounds the image. Its components are in the units of the image's components, in the
  /// order red, green, blue, alpha. The colours must already be multiplied by alpha, unless the image has
  /// straight alpha. For example, opaque white is `.constant([255, 255, 255, 255])` in 8-bit formats,
  /// `.constant([65535, 65535, 65535, 65535])` in 16-bit formats, and `.constant([1, 1, 1, 1])` in float
  /// formats, unless their values have another range. Formats with fewer than four channels use only the
  /// first components.
  case constant(SIMD4<Float>)

  /// The constant mode with its default pixel, transparent black.
  public static let transparent = EdgeMode.constant(.zero)

  /// All modes, with the default pixel for the constant mode. The order of the modes defines their numbers in
  /// C (see `code`), so a new mode goes to the end.
  public static let allCases: [EdgeMode] = [.clamp, .mirror, .reflect, .wrap, .transparent]

  /// The name of the mode on the command line and in records.
  public var name: String {
    switch self {
    case .clamp: "clamp"
    case .mirror: "mirror"
    case .reflect: "reflect"
    case .wrap: "wrap"
    case .constant: "constant"
    }
  }

  /// The mode's number in `blur.h` and `blur_plugin.h`.
  package var code: Int { Self.allCases.prefix { $0.name != name }.count }

  /// Creates the mode with the given name, or returns nil if no mode has it. `constant` gets its default
  /// pixel.
  public init?(name: String) {
    guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = mode
  }

  /// Returns the index in 0..<count of the pixel that is read at `position`, or nil if the constant pixel is
  /// read there.
  public func index(of position: Int, count: Int) -> Int? {
    if position >= 0 && position < count { return position }
    switch self {
    case .clamp:
      return position < 0 ? 0 : count - 1
    case .mirror:
      guard count > 1 else { return 0 }
      let period = 2 * (count - 1)
      let phase = Self.modulo(position, period)
      return phase < count ? phase : period - phase
    case .reflect:
      let phase = Self.modulo(position, 2 * count)
      return phase < count ? phase : 2 * count - 1 - phase
    case .wrap:
      return Self.modulo(position, count)
    case .constant:
      return nil
    }
  }

  private static func modulo(_ a: Int, _ n: Int) -> Int {
    let remainder = a % n
    return remainder < 0 ? remainder + n : remainder
  }
}
