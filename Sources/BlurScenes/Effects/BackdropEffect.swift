import Blur

/// An effect that a user interface applies to the image behind a panel or a window: a blur, colour
/// adjustments, and translucent layers of colour.
///
/// The steps are applied in this order: blur, ``saturation``, ``brightness``, ``exclusion``, ``tint``,
/// ``noise``. Each step works on 8-bit integers, unless ``Stage/precision`` asks for a higher precision. The
/// formulas are in docs/SCENES.md.
struct BackdropEffect: Hashable, Sendable {
  /// The stable name of the effect, such as `light`.
  var name: String
  /// The standard deviation of the blur in points. The device's scale converts it to pixels.
  var sigma: Double
  /// The saturation of the result relative to the original: 1 leaves colours unchanged, 0 turns them into
  /// grays, and values above 1 make them more vivid.
  var saturation = 1.0
  /// The colour matrix that changes the saturation. There is a choice, because several slightly different
  /// matrices have been published.
  var matrix = Matrix.imageEffects
  /// The factor by which all colours are multiplied.
  var brightness = 1.0
  /// The opacity, from 0 to 0.5, of a white layer that reduces the contrast. It is painted in the blend mode
  /// `exclusion`, which makes dark colours brighter and bright colours darker.
  var exclusion = 0.0
  /// The translucent colour that is painted over the blurred image, or nil for none.
  var tint: Tint?
  /// The opacity, from 0 to 1, of the random gray noise that is mixed into the result.
  var noise = 0.0
  /// The edge mode of the blur, which defines what the blur reads beyond the edge of the screen.
  var edge = EdgeMode.clamp

  /// A published colour matrix that changes the saturation. Such a matrix mixes each colour with a gray of
  /// the same brightness. The matrices differ in their luma weights, which say how much red, green and blue
  /// contribute to the brightness, and in how finely their entries are rounded.
  enum Matrix: Hashable, Sendable {
    /// The matrix of the sample code UIImage+ImageEffects (2013). Red, green and blue contribute .2126, .7152
    /// and .0722 to the brightness, and each entry is rounded to a multiple of 1/256.
    case imageEffects
    /// The matrix of `saturate()` in W3C Filter Effects. Red, green and blue contribute .213, .715 and .072
    /// to the brightness, and each entry is rounded to a multiple of 1/4096.
    case filterEffects
  }

  /// A colour with an opacity. The components are not premultiplied, and all values are from 0 to 1.
  struct Tint: Hashable, Sendable {
    var red: Double, green: Double, blue: Double, alpha: Double
  }
}

extension BackdropEffect.Tint {
  /// Creates a tint from a gray and an opacity.
  init(white: Double, alpha: Double) { self.init(red: white, green: white, blue: white, alpha: alpha) }
}

/// The effects of the sample code UIImage+ImageEffects (2013). With the kernel `image-effect-boxes`, the
/// result is identical to the result of the sample code, pixel for pixel. With any other kernel, the colours
/// are changed in the same way, but the blur approximates a Gaussian.
extension BackdropEffect {
  /// The effect `applyLightEffect` of the sample code UIImage+ImageEffects (2013): a blur under a translucent
  /// white layer.
  static let light = BackdropEffect(
    name: "light", sigma: 30, saturation: 1.8, tint: Tint(white: 1, alpha: 0.3))
  /// The effect `applyExtraLightEffect` of the sample code UIImage+ImageEffects (2013): a blur under a nearly
  /// white, almost opaque layer.
  static let extraLight = BackdropEffect(
    name: "extra-light", sigma: 20, saturation: 1.8, tint: Tint(white: 0.97, alpha: 0.82))
  /// The effect `applyDarkEffect` of the sample code UIImage+ImageEffects (2013): a blur under a translucent
  /// dark gray layer.
  static let dark = BackdropEffect(
    name: "dark", sigma: 20, saturation: 1.8, tint: Tint(white: 0.11, alpha: 0.73))

  /// Returns an effect that replaces each colour by its complement and then paints `colour` over the image
  /// with an opacity of 0.6. The opacity of `colour` itself is ignored. This is the tint effect in the sample
  /// code UIImage+ImageEffects (2013).
  static func tint(_ colour: Tint) -> BackdropEffect {
    var colour = colour
    colour.alpha = 0.6
    return BackdropEffect(name: "tint", sigma: 10, saturation: -1, tint: colour)
  }
}

extension BackdropEffect {
  /// Returns the effect of `backdrop-filter` in W3C Filter Effects 2: `blur(sigma) saturate(saturation)
  /// brightness(brightness)`, with the screen mirrored at its edges.
  ///
  /// The standard defines the filter functions for colours that are not premultiplied, but this code applies
  /// them to premultiplied colours. That gives the same result, because the functions are linear without a
  /// constant term. Only the clamping differs: premultiplied colours are clamped to the range from 0 to alpha
  /// instead of 0 to 1.
  ///
  /// - Parameters:
  ///   - sigma: The standard deviation of the blur in points.
  ///   - saturation: The saturation, where 1 leaves colours unchanged.
  ///   - brightness: The brightness, where 1 leaves colours unchanged.
  static func backdropFilter(
    sigma: Double, saturation: Double = 1, brightness: Double = 1
  ) -> BackdropEffect {
    BackdropEffect(
      name: "backdrop-filter", sigma: sigma, saturation: saturation, matrix: .filterEffects,
      brightness: brightness, edge: .mirror)
  }

  /// Returns the effect of the acrylic material, which Windows uses for panels. The numbers are from the
  /// source code of WinUI (`AcrylicBrush`). The effect consists of a blur with a standard deviation of 30
  /// points and clamped edges, a saturation of 1.25, a white layer with the opacity 26/255 in the blend mode
  /// `exclusion`, a tint, and noise with an opacity of 2 %.
  ///
  /// WinUI contains two versions of this effect, and this is the earlier one. The later version uses
  /// luminosity blending instead of exclusion, and makes the tint's opacity depend on the tint's colour. The
  /// noise differs from WinUI's noise texture: it is white noise in tiles of 128 × 128 pixels.
  static func acrylic(tint: Tint = Tint(white: 1, alpha: 0.8)) -> BackdropEffect {
    BackdropEffect(
      name: "acrylic", sigma: 30, saturation: 1.25, matrix: .filterEffects, exclusion: 26.0 / 255,
      tint: tint, noise: 0.02)
  }

  /// A message about the first invalid number of the effect, or nil if all numbers are valid. A number is
  /// invalid if it is NaN, or if it is too large or too small for the integer arithmetic of the colour steps.
  var violation: String? {
    let numbers: [(String, Double, ClosedRange<Double>)] = [
      ("saturation", saturation, -100...100), ("brightness", brightness, 0...100),
      ("exclusion", exclusion, 0...0.5), ("noise", noise, 0...1),
      ("tint's red", tint?.red ?? 0, 0...1), ("tint's green", tint?.green ?? 0, 0...1),
      ("tint's blue", tint?.blue ?? 0, 0...1), ("tint's alpha", tint?.alpha ?? 0, 0...1),
    ]
    guard let (what, value, allowed) = numbers.first(where: { !$2.contains($1) }) else { return nil }
    return "\(name): \(what) \(value) must be from \(allowed.lowerBound) to \(allowed.upperBound)"
  }

  /// A copy of the effect that mirrors the image at its edges. If the outermost row of pixels were repeated
  /// instead, this single row would determine half of the blurred colour next to the edge. The blurred
  /// background would then flash whenever the row changes from one frame to the next.
  var mirrored: BackdropEffect {
    var effect = self
    effect.edge = .mirror
    return effect
  }
}
