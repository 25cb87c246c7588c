import Blur

/// What an interface does to the picture behind a view: blur, colours, layers of colour over them.
///
/// In this order, each step in whole numbers of 8 bits (docs/SCENES.md has the formulas): blur,
/// ``saturation``, ``brightness``, ``exclusion``, ``tint``, ``noise``.
public struct BackdropEffect: Hashable, Sendable {
  /// The stable name, such as `light`.
  public var name: String
  /// Standard deviation of the blur in points; a device's scale makes pixels of them.
  public var radius: Double
  /// How far colours are moved away from gray: 1 leaves them, 0 makes gray.
  public var saturation: Double
  /// Which published matrix saturates.
  public var matrix: Matrix
  /// What all colours are multiplied with.
  public var brightness = 1.0
  /// The opacity, up to a half, of a white layer that is blended by exclusion: it takes contrast away.
  public var exclusion = 0.0
  /// What is painted over it, if anything.
  public var tint: Tint?
  /// The opacity of grain over everything.
  public var noise = 0.0
  /// What is read beyond the screen.
  public var edge: EdgeMode
  /// How exact the blur is that ``saturation`` and what follows begin with.
  public var precision = Precision.bytes

  /// When the blur is rounded to 8 bits. Saturation spreads what rounding does to neighbours, so that slow
  /// changes become bands.
  ///
  /// Noise, opacity and masks are mixed in afterwards, in bytes.
  public enum Precision: String, CaseIterable, Sendable {
    /// Before the colours, in whole numbers: what the image effects of 2013 and most systems do.
    case bytes
    /// After the tint, or before it where something is clipped: the blur is made in 16 bits, and moves twice
    /// the bytes.
    case fine
    /// Likewise, by an ordered dither of 8 x 8 pixels, which turns what is left of bands into fine grain.
    case dithered
  }

  /// A matrix of saturation; they differ in the weights of the luma, and in precision.
  public enum Matrix: Hashable, Sendable {
    /// That of the image effects of 2013: weights of .2126, .7152 and .0722, each entry rounded to 256ths.
    case imageEffects
    /// That of W3C Filter Effects' `saturate()`: .213, .715 and .072, each entry rounded to 4096ths.
    case filterEffects
  }

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

  /// Describes an effect; by default that of 2013, but for its numbers.
  public init(
    _ name: String, radius: Double, saturation: Double = 1, tint: Tint? = nil,
    matrix: Matrix = .imageEffects, edge: EdgeMode = .clamp
  ) {
    self.name = name
    self.radius = radius
    self.saturation = saturation
    self.tint = tint
    self.matrix = matrix
    self.edge = edge
  }
}

/// The system image effects of 2013, by the sample code UIImage+ImageEffects. Together with the kernel
/// `image-effect-boxes` they give its whole numbers, otherwise the same effect with a Gaussian.
extension BackdropEffect {
  /// The light effect.
  public static let light = BackdropEffect(
    "light", radius: 30, saturation: 1.8, tint: Tint(white: 1, alpha: 0.3))
  /// The extra light effect.
  public static let extraLight = BackdropEffect(
    "extra-light", radius: 20, saturation: 1.8, tint: Tint(white: 0.97, alpha: 0.82))
  /// The dark effect.
  public static let dark = BackdropEffect(
    "dark", radius: 20, saturation: 1.8, tint: Tint(white: 0.11, alpha: 0.73))

  /// The tint effect: colours turned to their complements, under a colour of opacity .6, whatever its own.
  public static func tint(_ colour: Tint) -> BackdropEffect {
    var colour = colour
    colour.alpha = 0.6
    return BackdropEffect("tint", radius: 10, saturation: -1, tint: colour)
  }
}

extension BackdropEffect {
  /// The `backdrop-filter` of W3C Filter Effects 2: `blur(radius) saturate(saturation)
  /// brightness(brightness)`, with the screen mirrored at its edges.
  ///
  /// The functions are linear, without a constant: on premultiplied colours they are the same as on straight
  /// ones, and their clamp to 0…1 is one to 0…alpha.
  ///
  /// - Parameters:
  ///   - radius: standard deviation in points.
  ///   - saturation: 1 leaves colours as they are.
  ///   - brightness: 1 leaves colours as they are.
  public static func backdropFilter(
    radius: Double, saturation: Double = 1, brightness: Double = 1
  ) -> BackdropEffect {
    var effect = BackdropEffect(
      "backdrop-filter", radius: radius, saturation: saturation, matrix: .filterEffects, edge: .mirror)
    effect.brightness = brightness
    return effect
  }

  /// The acrylic material, by the first of the two recipes in the public source of WinUI (`AcrylicBrush`):
  /// blur 30, saturation 1.25, white at 26/255 by exclusion, a tint, noise at 2 %, clamped at the edge.
  ///
  /// The blending of luminosity that replaced exclusion later, with a tint whose opacity follows its colour,
  /// is not followed; nor is the texture of the noise, which here is white noise in tiles of 128 x 128
  /// pixels.
  public static func acrylic(tint: Tint = Tint(white: 1, alpha: 0.8)) -> BackdropEffect {
    var effect = BackdropEffect(
      "acrylic", radius: 30, saturation: 1.25, tint: tint, matrix: .filterEffects)
    effect.exclusion = 26.0 / 255
    effect.noise = 0.02
    return effect
  }
}

extension BackdropEffect {
  /// Refuses what is not a number, and what the integers of the colour steps cannot hold.
  func check() throws(EffectError) {
    let numbers: [(String, Double, ClosedRange<Double>)] = [
      ("saturation", saturation, -100...100), ("brightness", brightness, 0...100),
      ("exclusion", exclusion, 0...0.5), ("noise", noise, 0...1),
      ("tint's red", tint?.red ?? 0, 0...1), ("tint's green", tint?.green ?? 0, 0...1),
      ("tint's blue", tint?.blue ?? 0, 0...1), ("tint's alpha", tint?.alpha ?? 0, 0...1),
    ]
    for (what, value, allowed) in numbers where !allowed.contains(value) {
      throw .invalid(
        "\(name): \(what) \(value) must be from \(allowed.lowerBound) to \(allowed.upperBound)")
    }
  }
}
