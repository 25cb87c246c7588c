/// What a blur reads beyond the image. Each is right at any distance, also many times the image's size.
///
/// | mode | left of the image | image | right of it |
/// |---|---|---|---|
/// | `clamp` | aaa | abcd | ddd |
/// | `mirror` | dcb | abcd | cba |
/// | `reflect` | cba | abcd | dcb |
/// | `wrap` | bcd | abcd | abc |
/// | `constant` | kkk | abcd | kkk |
public enum EdgeMode: Hashable, Sendable {
  /// The nearest pixel of the image (`aaa|abcd|ddd`).
  case clamp
  /// Mirrored about the centre of the border pixel, which is not repeated (`dcb|abcd|cba`).
  case mirror
  /// Mirrored about the border itself, so that the border pixel is repeated (`cba|abcd|dcb`).
  case reflect
  /// The image repeated periodically (`bcd|abcd|abc`).
  case wrap
  /// A fixed pixel, its components in the format's own units (0…255, 0…65535 or 0…1), multiplied by alpha.
  /// Formats of fewer than four channels use the first ones.
  case constant(SIMD4<Float>)

  /// The constant mode with its default, transparent black.
  public static let transparent = EdgeMode.constant(.zero)

  /// All modes, the constant one with its default.
  public static let all: [EdgeMode] = [.clamp, .mirror, .reflect, .wrap, .transparent]

  /// The mode's name on the command line and in records.
  public var name: String {
    switch self {
    case .clamp: "clamp"
    case .mirror: "mirror"
    case .reflect: "reflect"
    case .wrap: "wrap"
    case .constant: "constant"
    }
  }

  /// The mode of that name; `constant` gets its default.
  public init?(name: String) {
    guard let mode = Self.all.first(where: { $0.name == name }) else { return nil }
    self = mode
  }

  /// The index inside 0..<count that stands for `position`, or nil where the constant applies.
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
