// Images store colours as sRGB values, which are not proportional to light. The sRGB curve is chosen so that
// equal differences between values look about equally large. But when a lens blurs an image, it averages
// light. If a program averages the stored values instead, the result is too dark where bright and dark
// colours meet.

/// The sRGB curve, which converts between stored colours and linear light.
///
/// Source: IEC 61966-2-1. Float images can have negative values, for which f(−x) = −f(x) continues the curve.
public enum LinearLight {
  /// Returns the linear light of a stored sRGB colour. The colour and the result are fractions of full scale.
  public static func light(of colour: Double) -> Double {
    let size = abs(colour)
    let light = size <= 0.04045 ? size / steepest : Double.pow((size + 0.055) / 1.055, 2.4)
    return colour < 0 ? -light : light
  }

  /// Returns the stored sRGB colour of a linear light value. The light and the result are fractions of full
  /// scale.
  public static func colour(of light: Double) -> Double {
    let size = abs(light)
    let colour = size <= 0.0031308 ? size * steepest : 1.055 * Double.pow(size, 1 / 2.4) - 0.055
    return light < 0 ? -colour : colour
  }

  /// Returns the error bound to use for a blur in linear light, so that the error of the final sRGB image is
  /// at most `levels`.
  ///
  /// This bound is much stricter than `levels`, because the sRGB curve is steep near black: converting dark
  /// colours back to sRGB multiplies their errors by 12.92. For 8-bit images, the light is rounded to 16 bits
  /// before and after the blur, and these rounding errors are subtracted from the bound. If `levels` is below
  /// 0.101 for an 8-bit image, the remaining bound is so small that no kernel promises to stay within it.
  ///
  /// In an image with alpha, the error of the premultiplied colours is at most `levels`. Dividing a colour by
  /// its alpha can increase the error to 1.08/alpha times `levels`. The factor is slightly more than 1/alpha,
  /// because alpha has an error, too.
  ///
  /// - Parameters:
  ///   - levels: The largest allowed error of the sRGB image. A level is 1/255 of full scale.
  ///   - format: The format of the sRGB image, before ``Image/linearLight()`` converts it. The format of the
  ///     linear image has more bits, and would make the bound too loose.
  public static func bound(levels: Double, for format: PixelFormat) -> ErrorBound {
    .share(max(0, light(of: levels / 255) - roundings(of: format)))
  }

  /// Returns the largest error of an sRGB image that was blurred in linear light: converted to linear light,
  /// blurred, and converted back to sRGB. The result is in levels (1/255 of full scale), and does not include
  /// the rounding of the final values. This function is the inverse of ``bound(levels:for:)``.
  ///
  /// An error in the linear light has the largest effect on black pixels, because the sRGB curve is steepest
  /// at black. Black is also the worst case for premultiplied colours, which are
  /// alpha · colour(of: light / alpha). This is true even if the error of alpha is as large as the error in
  /// the light.
  ///
  /// - Parameters:
  ///   - bound: The largest error of the blur in linear light.
  ///   - format: The format of the sRGB image, before ``Image/linearLight()`` converts it.
  public static func levels(within bound: ErrorBound, for format: PixelFormat) -> Double {
    255 * colour(of: min(1, bound.levels / 255 + roundings(of: format)))
  }

  /// Returns the largest error from rounding the linear light, as a fraction of full scale. The light of an
  /// 8-bit image is stored with 16 bits, and is rounded twice: before the blur and after it. The result is 0
  /// for images whose light is stored as floats.
  private static func roundings(of format: PixelFormat) -> Double {
    format.component == .uint8 ? 1.0 / 65535 : 0
  }

  /// The slope of the sRGB curve near black, where the curve is a straight line.
  private static let steepest = 12.92

  /// A table that converts 8-bit sRGB colours to 16-bit linear light. The index is 256 · alpha + colour. The
  /// colour and its light are both premultiplied by alpha.
  fileprivate static let lights = (0...255).flatMap { alpha in
    (0...255).map { colour in
      let alpha = Double(alpha) / 255
      return UInt16(rounding: 65535 * under(alpha, Double(colour) / 255, light))
    }
  }

  /// A table that converts 16-bit sRGB colours to linear light, stored as floats.
  fileprivate static let floatLights = (0...65535).map { Float(light(of: Double($0) / 65535)) }

  /// A table that converts 16-bit linear light to 8-bit sRGB colours, rounded to nearest.
  fileprivate static let colours = (0...65535).map { UInt8(rounding: 255 * colour(of: Double($0) / 65535)) }

  /// Applies a curve to a premultiplied value. The value is first divided by alpha, then converted by the
  /// curve, and finally multiplied by alpha again.
  @inline(__always)
  fileprivate static func under(_ alpha: Double, _ value: Double, _ curve: (Double) -> Double) -> Double {
    alpha > 0 ? alpha * curve(min(1, value / alpha)) : 0
  }
}

extension Image {
  /// Returns the image in linear light. The result has 16-bit components if this image has 8-bit components,
  /// and floats if this image has 16-bit components. Alpha keeps its value.
  ///
  /// Converting to linear light and back gives the same image. To stay within an error bound for the final
  /// sRGB image, blur the linear image with the bound that ``LinearLight/bound(levels:for:)`` returns:
  /// ```swift
  /// let light = try picture.linearLight()
  /// let bound = LinearLight.bound(levels: 1, for: picture.layout.format)
  /// let soft = try light.blurred(sigma: 12, accuracy: bound).sRGB()
  /// ```
  /// - Throws: ``BlurError/invalidLayout(_:)`` for float images, which cannot be converted, or
  ///   ``BlurError/outOfMemory(bytes:)``.
  public func linearLight() throws(BlurError) -> Image {
    switch layout.format.component {
    case .uint8:
      var light = try Image(layout.packed(as: layout.format.with(.uint16)))
      LinearLight.lights.withUnsafeBufferPointer { lights in
        convert(into: &light) { (value: UInt8, alpha: UInt8) -> UInt16 in
          // SAFETY: the table has an entry for each combination of an 8-bit alpha and an 8-bit colour.
          lights[Int(alpha) << 8 | Int(value)]
        } alpha: {
          UInt16($0) * 257
        }
      }
      return light
    case .uint16:
      var light = try Image(layout.packed(as: layout.format.with(.float32)))
      LinearLight.floatLights.withUnsafeBufferPointer { lights in
        convert(into: &light) { (value: UInt16, alpha: UInt16) -> Float in
          // SAFETY: the table has an entry for each 16-bit colour, so every colour is a valid index.
          alpha == .max
            ? lights[Int(value)]
            : Float(LinearLight.under(Double(alpha) / 65535, Double(value) / 65535, LinearLight.light))
        } alpha: {
          Float(Double($0) / 65535)
        }
      }
      return light
    case .float32:
      throw .invalidLayout(
        "format \(layout.format.rawValue) cannot be converted to linear light: it must have 8 or 16 bits")
    }
  }

  /// Returns the image converted from linear light back to sRGB. This is the inverse of ``linearLight()``: 16
  /// bits become 8 bits, and floats become 16 bits.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)`` for 8-bit images, because 8 bits are too few for linear light,
  ///   or ``BlurError/outOfMemory(bytes:)``.
  public func sRGB() throws(BlurError) -> Image {
    switch layout.format.component {
    case .uint8:
      throw .invalidLayout(
        "format \(layout.format.rawValue) cannot be converted to sRGB: it must have 16 bits or floats")
    case .uint16:
      var picture = try Image(layout.packed(as: layout.format.with(.uint8)))
      LinearLight.colours.withUnsafeBufferPointer { colours in
        convert(into: &picture) { (value: UInt16, alpha: UInt16) -> UInt8 in
          // SAFETY: the table has an entry for each 16-bit value of linear light, so every such value is a
          // valid index.
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
      var picture = try Image(layout.packed(as: layout.format.with(.uint16)))
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

  /// Converts each pixel of the image and writes it to `target`. `colour` converts one colour component. Its
  /// second argument is the alpha value by which this component is multiplied. That value is full scale if
  /// the format has no alpha, or if the colours are not multiplied by alpha. `alpha` converts the alpha
  /// component.
  @inline(__always)
  private func convert<From: PixelComponent, To: PixelComponent>(
    into target: inout Image, _ colour: (From, _ alpha: From) -> To, alpha: (From) -> To
  ) {
    let (channels, hasAlpha, alphaIndex) = (layout.format.channels, layout.format.hasAlpha, layout.alphaIndex)
    let isMultiplied = hasAlpha && layout.alpha == .premultiplied
    let opaque = From(rounding: layout.format.fullScale)
    withView { view in
      target.withMutableView { target in
        for y in 0..<view.layout.height {
          let (row, result) = (view.unsafeRow(y), target.unsafeRow(y))
          for first in stride(from: 0, to: channels * view.layout.width, by: channels) {
            // SAFETY: the indices from `first` on belong to the components of one pixel. These indices are
            // valid in both images, because both have the same width and the same number of channels.
            let own =
              layout.alpha != .opaque && hasAlpha ? row.component(first + alphaIndex, as: From.self) : opaque
            for i in first..<first + channels where !hasAlpha || i != first + alphaIndex {
              result.setComponent(i, to: colour(row.component(i, as: From.self), isMultiplied ? own : opaque))
            }
            if hasAlpha { result.setComponent(first + alphaIndex, to: alpha(own)) }
          }
        }
      }
    }
  }
}
