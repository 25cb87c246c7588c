/// The conversions between rows with straight alpha and wider rows with premultiplied alpha.
enum StraightAlpha {
  /// Multiplies the colours of a row by alpha. If alpha is 0, the colours become 0, even if they are NaN.
  ///
  /// - Parameters:
  ///   - row: A row of the user's image, which has straight alpha.
  ///   - target: A row in the format of ``ImageLayout/forKernels(_:)``.
  ///   - layout: The layout of the user's image.
  ///   - count: The number of pixels in each row.
  static func premultiply(
    _ row: UnsafeRawPointer, into target: UnsafeMutableRawPointer, _ layout: ImageLayout, count: Int
  ) {
    switch layout.format.component {
    case .uint8:
      convert(row, into: target, layout, count) { (pixel: SIMD4<UInt8>, alpha: UInt8) in
        // A colour times alpha is multiplied by 65535 / 255² = 1 + 2 / 255 and rounded. A division by 255
        // would be slow. These shifts give the same integers for all colours and alphas.
        let product = SIMD4<UInt32>(truncatingIfNeeded: pixel) &* UInt32(alpha)
        let half = product &+ product &+ 127
        let quotient = (half &+ 1 &+ (half &+ half &>> 8) &>> 8) &>> 8
        return (SIMD4<UInt16>(truncatingIfNeeded: product &+ quotient), UInt16(alpha) * 257)
      }
    case .uint16:
      convert(row, into: target, layout, count) { (pixel: SIMD4<UInt16>, alpha: UInt16) in
        let share = Float(alpha) / 65535
        return (SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: pixel)) * (share / 65535), share)
      }
    case .float32:
      convert(row, into: target, layout, count) { (pixel: SIMD4<Float>, alpha: Float) in
        (alpha == 0 ? .zero : pixel * alpha, alpha)
      }
    }
  }

  /// Divides the colours of a row by alpha, and rounds them if the user's image has integers. The colours
  /// become 0 if alpha is at most 0. Integers are clamped to full scale.
  ///
  /// - Parameters:
  ///   - row: A row in the format of ``ImageLayout/forKernels(_:)``.
  ///   - target: A row of the user's image, which has straight alpha.
  ///   - layout: The layout of the user's image.
  ///   - count: The number of pixels in each row.
  static func divide(
    _ row: UnsafeRawPointer, into target: UnsafeMutableRawPointer, _ layout: ImageLayout, count: Int
  ) {
    switch layout.format.component {
    case .uint8:
      convert(row, into: target, layout, count) { (pixel: SIMD4<UInt16>, alpha: UInt16) in
        // Floats are exact enough: 255 · colour has at most 24 bits, and a quotient that is not half-way
        // between two integers is farther from the middle than a float can be wrong.
        let products = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: pixel)) * 255
        let colours = alpha > 0 ? products / Float(alpha) : .zero
        let rounded = rounded(colours, most: 255)
        return (SIMD4<UInt8>(truncatingIfNeeded: rounded), UInt8((UInt32(alpha) + 128) / 257))
      }
    case .uint16:
      convert(row, into: target, layout, count) { (pixel: SIMD4<Float>, alpha: Float) in
        let colours = alpha > 0 ? pixel * 65535 / alpha : .zero
        return (SIMD4(truncatingIfNeeded: rounded(colours, most: 65535)), UInt16(rounding: alpha * 65535))
      }
    case .float32:
      convert(row, into: target, layout, count) { (pixel: SIMD4<Float>, alpha: Float) in
        (alpha <= 0 ? .zero : pixel / alpha, alpha)
      }
    }
  }

  /// Returns the colours rounded to the nearest integers from 0 to `most`, which must be less than 2²³.
  @inline(__always)
  private static func rounded(_ colours: SIMD4<Float>, most: Float) -> SIMD4<UInt32> {
    // This takes a sixth of the time of `clamped(lowerBound:upperBound:)`.
    var clamped = colours.replacing(with: 0, where: colours .< 0)
    clamped.replace(with: most, where: clamped .> most)
    // From 2²³ on, floats are integers. So the sum is rounded, and the last bits of the float are the result.
    return unsafeBitCast(clamped + 0x1p23, to: SIMD4<UInt32>.self) &- Float(0x1p23).bitPattern
  }

  /// Stores the result of `change` for each pixel of a row. The arguments of `change` are the four components
  /// of a pixel and its alpha, and its result are the new colours, at the same places, and the new alpha.
  @inline(__always)
  private static func convert<From: PixelComponent & SIMDScalar, To: PixelComponent & SIMDScalar>(
    _ row: UnsafeRawPointer, into target: UnsafeMutableRawPointer, _ layout: ImageLayout, _ count: Int,
    _ change: (_ pixel: SIMD4<From>, _ alpha: From) -> (SIMD4<To>, To)
  ) {
    let alphaIndex = layout.alphaIndex
    for first in stride(from: 0, to: 4 * count, by: 4) {
      // SAFETY: both rows hold `count` pixels of four components, and `first` is the index of the first
      // component of one of them. No access needs an aligned address.
      let pixel = row.loadUnaligned(fromByteOffset: first * MemoryLayout<From>.size, as: SIMD4<From>.self)
      let (colours, alpha) = change(pixel, row.component(first + alphaIndex, as: From.self))
      target.storeBytes(of: colours, toByteOffset: first * MemoryLayout<To>.size, as: SIMD4<To>.self)
      target.setComponent(first + alphaIndex, to: alpha)
    }
  }
}
