// Pictures store colours by the curve of sRGB, on which equal steps look equal. Light adds up along a line:
// what a lens blurs is linear light, and a blur of the stored values is too dark between bright and dark
// colours.

/// The curve of sRGB: colours as they are stored, and the light they stand for.
///
/// Source: IEC 61966-2-1. Below 0 the curve is continued by its mirror image, for floats.
public enum LinearLight {
  /// The light of a stored colour; both are shares of full scale.
  public static func light(of colour: Double) -> Double {
    let size = abs(colour)
    let light = size <= 0.04045 ? size / steepest : Double.pow((size + 0.055) / 1.055, 2.4)
    return colour < 0 ? -light : light
  }

  /// The colour that is stored for a light; both are shares of full scale.
  public static func colour(of light: Double) -> Double {
    let size = abs(light)
    let colour = size <= 0.0031308 ? size * steepest : 1.055 * Double.pow(size, 1 / 2.4) - 0.055
    return light < 0 ? -colour : colour
  }

  /// The bound on a blur in linear light that keeps a picture within `levels` after ``Image/sRGB()``.
  ///
  /// In the dark the curve makes any error 12.92 times as large. Two roundings to 16 bits, of 8-bit pictures,
  /// come off first: below 0.101 levels of an 8-bit picture no kernel keeps what is left.
  ///
  /// Premultiplied colours keep it under any alpha. Divided by alpha they are off by 1.08 / alpha times as
  /// much: alpha's own error adds a 13th.
  ///
  /// - Parameters:
  ///   - levels: the largest error of the picture in sRGB, each 1/255 of full scale.
  ///   - format: that of the picture in sRGB, before ``Image/linearLight()``. That of the light between has
  ///     more bits, and would loosen the bound.
  public static func bound(levels: Double, for format: PixelFormat) -> ErrorBound {
    .share(max(0, light(of: levels / 255) - roundings(of: format)))
  }

  /// The largest error in sRGB, in levels and before the last rounding, of a picture that was blurred within
  /// `bound` in linear light. The counterpart of ``bound(levels:for:)``, where `format` is explained.
  ///
  /// No light that is off by as much makes more of a difference than beside black: the curve is steepest
  /// there. The same holds for alpha · colour(of: light / alpha), where alpha is off by as much too.
  public static func levels(within bound: ErrorBound, for format: PixelFormat) -> Double {
    255 * colour(of: min(1, bound.levels / 255 + roundings(of: format)))
  }

  /// What the two roundings of light may be off, as a share of full scale; of floats, nothing.
  private static func roundings(of format: PixelFormat) -> Double {
    format.component == .uint8 ? 1.0 / 65535 : 0
  }

  /// The steepness of the curve in the dark, where it is a line.
  private static let steepest = 12.92

  /// The 16-bit light of each 8-bit colour under each alpha, at 256 · alpha + colour; both premultiplied.
  fileprivate static let lights = (0...255).flatMap { alpha in
    (0...255).map { colour in
      let alpha = Double(alpha) / 255
      return UInt16(rounding: 65535 * under(alpha, Double(colour) / 255, light))
    }
  }

  /// The light of each 16-bit colour, as a float.
  fileprivate static let floatLights = (0...65535).map { Float(light(of: Double($0) / 65535)) }

  /// The 8-bit colour of each 16-bit light, rounded to nearest.
  fileprivate static let colours = (0...65535).map { UInt8(rounding: 255 * colour(of: Double($0) / 65535)) }

  /// A curve for premultiplied values: divides by alpha before, and multiplies by it after.
  @inline(__always)
  fileprivate static func under(_ alpha: Double, _ value: Double, _ curve: (Double) -> Double) -> Double {
    alpha > 0 ? alpha * curve(min(1, value / alpha)) : 0
  }
}

extension Image {
  /// The picture in linear light, in more bits: 16 for 8, floats for 16. Alpha stays as it is.
  ///
  /// Back and forth gives the same picture. Blur it within ``LinearLight/bound(levels:for:)``:
  /// ```swift
  /// let light = try picture.linearLight()
  /// let bound = LinearLight.bound(levels: 1, for: picture.layout.format)
  /// let soft = try light.blurred(sigma: 12, accuracy: bound).sRGB()
  /// ```
  /// - Throws: ``BlurError/invalidLayout(_:)`` for floats, which need no more bits;
  ///   ``BlurError/outOfMemory(bytes:)``.
  public func linearLight() throws(BlurError) -> Image {
    let (width, height) = (layout.width, layout.height)
    switch layout.format.component {
    case .uint8:
      var light = try Image(layout.format.with(.uint16), width: width, height: height)
      LinearLight.lights.withUnsafeBufferPointer { lights in
        convert(into: &light) { (value: UInt8, alpha: UInt8) -> UInt16 in
          // SAFETY: the table has a number for each alpha and colour.
          lights[Int(alpha) << 8 | Int(value)]
        } alpha: {
          UInt16($0) * 257
        }
      }
      return light
    case .uint16:
      var light = try Image(layout.format.with(.float32), width: width, height: height)
      LinearLight.floatLights.withUnsafeBufferPointer { lights in
        convert(into: &light) { (value: UInt16, alpha: UInt16) -> Float in
          // SAFETY: the table has a number for each colour.
          alpha == .max
            ? lights[Int(value)]
            : Float(LinearLight.under(Double(alpha) / 65535, Double(value) / 65535, LinearLight.light))
        } alpha: {
          Float(Double($0) / 65535)
        }
      }
      return light
    case .float32:
      throw .invalidLayout("\(layout.format.rawValue) in linear light: only 8 and 16 bits are converted")
    }
  }

  /// The picture of ``linearLight()`` in sRGB again: 8 bits for 16, 16 for floats.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)`` for 8 bits, which are too few for linear light;
  ///   ``BlurError/outOfMemory(bytes:)``.
  public func sRGB() throws(BlurError) -> Image {
    let (width, height) = (layout.width, layout.height)
    switch layout.format.component {
    case .uint8:
      throw .invalidLayout("\(layout.format.rawValue) to sRGB: linear light has 16 bits or floats")
    case .uint16:
      var picture = try Image(layout.format.with(.uint8), width: width, height: height)
      LinearLight.colours.withUnsafeBufferPointer { colours in
        convert(into: &picture) { (value: UInt16, alpha: UInt16) -> UInt8 in
          // SAFETY: the table has a number for each light.
          alpha == .max
            ? colours[Int(value)]
            : UInt8(
              rounding: 255
                * LinearLight.under(Double(alpha) / 65535, Double(value) / 65535, LinearLight.colour))
        } alpha: {
          UInt8(rounding: Double($0) / 257)
        }
      }
      return picture
    case .float32:
      var picture = try Image(layout.format.with(.uint16), width: width, height: height)
      convert(into: &picture) { (value: Float, alpha: Float) -> UInt16 in
        let light =
          alpha == 1
          ? LinearLight.colour(of: Double(value))
          : LinearLight.under(Double(alpha), Double(value), LinearLight.colour)
        return UInt16(rounding: 65535 * light)
      } alpha: {
        UInt16(rounding: 65535 * Double($0))
      }
      return picture
    }
  }

  /// Writes the counterpart of each colour, which depends on its alpha too, and of each alpha. Pixels without
  /// one are opaque.
  @inline(__always)
  private func convert<From: PixelComponent, To: PixelComponent>(
    into target: inout Image, _ colour: (From, _ alpha: From) -> To, alpha: (From) -> To
  ) {
    let (channels, hasAlpha) = (layout.format.channels, layout.format.hasAlpha)
    let opaque = From(rounding: layout.format.fullScale)
    withView { view in
      target.withMutableView { target in
        for y in 0..<view.layout.height {
          let (row, result) = (view.row(y), target.row(y))
          for first in stride(from: 0, to: channels * view.layout.width, by: channels) {
            // SAFETY: components of a pixel of the row, in both images.
            let own = hasAlpha ? row.component(first + 3, as: From.self) : opaque
            for i in first..<first + (hasAlpha ? 3 : channels) {
              result.setComponent(i, to: colour(row.component(i, as: From.self), own))
            }
            if hasAlpha { result.setComponent(first + 3, to: alpha(own)) }
          }
        }
      }
    }
  }
}
