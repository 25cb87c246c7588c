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
  /// All pixels outside the image equal the given pixel. Its components are in the units of the image's
  /// components, in the order red, green, blue, alpha. The colours must already be multiplied by alpha,
  /// unless the image has straight alpha. For example, opaque white is `.constant([255, 255, 255, 255])` in
  /// 8-bit formats, `.constant([65535, 65535, 65535, 65535])` in 16-bit formats, and
  /// `.constant([1, 1, 1, 1])` in float formats with values from 0 to 1. Formats with fewer than four
  /// channels use only the first components.
  case constant(SIMD4<Float>)

  /// The constant mode with its default pixel, transparent black.
  public static let transparent = EdgeMode.constant(.zero)

  /// All modes, with the default pixel for the constant mode. The C interface refers to a mode by its index
  /// in this array (see `code`), so a new mode must go to the end.
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

  /// The number that stands for this mode in the C headers `blur.h` and `blur_plugin.h`.
  package var code: Int { Self.allCases.prefix { $0.name != name }.count }

  /// Creates the mode with the given name, or returns nil if no mode has this name. The constant mode gets
  /// its default pixel, transparent black.
  public init?(name: String) {
    guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = mode
  }

  /// Returns the index of the image pixel that is read for `position` in a row or column of `count` pixels.
  /// The position may lie outside the image. Returns nil if the constant pixel is read instead.
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
