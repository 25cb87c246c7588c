/// What an interface does to the picture behind a view: blur, then colours, then a tint over it.
public struct BackdropEffect: Hashable, Sendable {
  /// The stable name, such as `light`.
  public var name: String
  /// Standard deviation of the blur in points; a device's scale makes pixels of them.
  public var radius: Double
  /// How far colours are moved away from gray: 1 leaves them, 0 makes gray.
  public var saturation: Double
  /// What all colours are multiplied with.
  public var brightness = 1.0
  /// What is painted over it, if anything.
  public var tint: Tint?

  /// A colour with its opacity, not premultiplied, each from 0 to 1.
  public struct Tint: Hashable, Sendable {
    public var red: Double, green: Double, blue: Double, alpha: Double

    /// Makes a colour.
    public init(red: Double, green: Double, blue: Double, alpha: Double) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    /// A gray.
    public init(white: Double, alpha: Double) {
      self.init(red: white, green: white, blue: white, alpha: alpha)
    }
  }

  /// Describes an effect.
  public init(_ name: String, radius: Double, saturation: Double = 1, tint: Tint? = nil) {
    self.name = name
    self.radius = radius
    self.saturation = saturation
    self.tint = tint
  }
}

extension BackdropEffect {
  /// The light effect of 2013.
  public static let light = BackdropEffect(
    "light", radius: 30, saturation: 1.8, tint: Tint(white: 1, alpha: 0.3))
}
