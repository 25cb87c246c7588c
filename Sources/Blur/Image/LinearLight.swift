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

  /// The bound on a blur in linear light that keeps an opaque picture within `levels` after ``Image/sRGB()``.
  ///
  /// In the dark the curve makes any error 12.92 times as large. Two roundings to 16 bits, of 8-bit pictures,
  /// come off first. Where alpha is not full, the picture may be further off.
  ///
  /// - Parameters:
  ///   - levels: the largest error of the picture in sRGB, each 1/255 of full scale.
  ///   - format: that of the picture in sRGB, before ``Image/linearLight()``. That of the light between has
  ///     more bits, and would loosen the bound.
  public static func bound(levels: Double, for format: PixelFormat) -> ErrorBound {
    let roundings = format.component == .uint8 ? 1.0 / 65535 : 0
    return .share(max(0, levels / 255 / steepest - roundings))
  }

  /// The steepness of the curve in the dark, where it is a line.
  private static let steepest = 12.92

  /// The light of each 8-bit colour in 16 bits, rounded to nearest.
  fileprivate static let lights = (0...255).map { UInt16(rounding: 65535 * light(of: Double($0) / 255)) }

  /// The 8-bit colour of each 16-bit light, rounded to nearest.
  fileprivate static let colours = (0...65535).map { UInt8(rounding: 255 * colour(of: Double($0) / 65535)) }
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
      convert(
        UInt8.self, UInt16.self, into: &light, opaque: { LinearLight.lights[Int($0)] }, LinearLight.light)
      return light
    case .uint16:
      var light = try Image(layout.format.with(.float32), width: width, height: height)
      let one = { (colour: UInt16) in Float(LinearLight.light(of: Double(colour) / 65535)) }
      convert(UInt16.self, Float.self, into: &light, opaque: one, LinearLight.light)
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
      convert(
        UInt16.self, UInt8.self, into: &picture, opaque: { LinearLight.colours[Int($0)] }, LinearLight.colour)
      return picture
    case .float32:
      var picture = try Image(layout.format.with(.uint16), width: width, height: height)
      let one = { (light: Float) in UInt16(rounding: 65535 * LinearLight.colour(of: Double(light))) }
      convert(Float.self, UInt16.self, into: &picture, opaque: one, LinearLight.colour)
      return picture
    }
  }

  /// Writes each colour's counterpart: of opaque pixels by `opaque`; of others by `curve`, divided by alpha
  /// before and multiplied by it after.
  @inline(__always)
  private func convert<From: PixelComponent, To: PixelComponent>(
    _ from: From.Type, _ to: To.Type, into target: inout Image, opaque: (From) -> To,
    _ curve: (Double) -> Double
  ) {
    let (channels, hasAlpha) = (layout.format.channels, layout.format.hasAlpha)
    let (full, targetFull) = (layout.format.fullScale, target.layout.format.fullScale)
    withView { view in
      target.withMutableView { target in
        for y in 0..<view.layout.height {
          let (row, result) = (view.row(y), target.row(y))
          for first in stride(from: 0, to: channels * view.layout.width, by: channels) {
            // SAFETY: components of a pixel of the row, in both images.
            let alpha = hasAlpha ? row.component(first + 3, as: from).number / full : 1
            for i in first..<first + (hasAlpha ? 3 : channels) {
              let value = row.component(i, as: from)
              if alpha == 1 {
                result.setComponent(i, to: opaque(value))
              } else {
                let straight = alpha > 0 ? min(1, value.number / full / alpha) : 0
                result.setComponent(i, to: To(rounding: targetFull * alpha * curve(straight)))
              }
            }
            if hasAlpha { result.setComponent(first + 3, to: To(rounding: targetFull * alpha)) }
          }
        }
      }
    }
  }
}
