extension Image {
  /// Multiplies the colours by alpha and rounds them to nearest. This turns straight alpha into premultiplied
  /// alpha. Images without alpha stay as they are.
  ///
  /// 8-bit colours lose precision where alpha is low. Prefer `rgba16` or `rgbaf32` for images with alpha.
  public mutating func premultiply() {
    switch layout.format.component {
    case .uint8: mapPixels { (pixel: SIMD4<UInt8>) in Self.times(alpha: pixel) }
    case .uint16: mapPixels { (pixel: SIMD4<UInt16>) in Self.times(alpha: pixel) }
    case .float32: mapPixels { (pixel: SIMD4<Float>) in pixel * pixel.w }
    }
  }

  /// Divides the colours by alpha. The results are clamped to full scale, except in float formats. Where
  /// alpha is 0, the colours become 0.
  public mutating func unpremultiply() {
    switch layout.format.component {
    case .uint8: mapPixels { (pixel: SIMD4<UInt8>) in Self.by(alpha: pixel) }
    case .uint16: mapPixels { (pixel: SIMD4<UInt16>) in Self.by(alpha: pixel) }
    case .float32: mapPixels { (pixel: SIMD4<Float>) in pixel.w > 0 ? pixel / pixel.w : .zero }
    }
  }

  /// Returns the pixel times its alpha, divided by full scale and rounded to nearest. There are no ties: full
  /// scale is odd, so the quotient is never half-way between two whole numbers.
  @inline(__always)
  private static func times<C: FixedWidthInteger>(alpha pixel: SIMD4<C>) -> SIMD4<C> {
    let full = UInt32(C.max)
    let products = SIMD4<UInt32>(truncatingIfNeeded: pixel) &* UInt32(pixel.w) &+ (full / 2 + 1)
    // Each product of a colour and alpha must be divided by full scale, which is 2ⁿ − 1 if the type C has n
    // bits. A division instruction would be slow, so shifts and additions are used instead.
    let shift = UInt32(truncatingIfNeeded: C.bitWidth)
    return SIMD4<C>(truncatingIfNeeded: (products &+ (products &>> shift)) &>> shift)
  }

  /// Returns the pixel divided by its alpha and multiplied by full scale, rounded to nearest. Ties go up.
  @inline(__always)
  private static func by<C: FixedWidthInteger>(alpha pixel: SIMD4<C>) -> SIMD4<C> {
    guard pixel.w > 0 else { return .zero }
    // Double precision is exact enough: a quotient that is not a tie differs from a tie by more than the
    // rounding error of a double.
    let quotient = SIMD4<Double>(SIMD4<Int32>(truncatingIfNeeded: pixel)) * Double(C.max) / Double(pixel.w)
    let rounded = (quotient + 0.5).clamped(lowerBound: .zero, upperBound: .init(repeating: Double(C.max)))
    return SIMD4<C>(truncatingIfNeeded: SIMD4<Int32>(rounded))
  }

  /// Replaces each pixel by the result of calling `change` with it. The alpha in the result is ignored: each
  /// pixel keeps its alpha.
  @inline(__always)
  private mutating func mapPixels<C: SIMDScalar>(_ change: (SIMD4<C>) -> SIMD4<C>) {
    guard layout.format.hasAlpha else { return }
    withMutableView { view in
      for y in 0..<view.layout.height {
        let row = view.unsafeRow(y)
        for pixel in 0..<view.layout.width {
          let place = row + pixel * MemoryLayout<SIMD4<C>>.size
          // SAFETY: the four components of a pixel of the row are at `place`, and this load needs no
          // alignment.
          let before = place.loadUnaligned(as: SIMD4<C>.self)
          var after = change(before)
          after.w = before.w
          // SAFETY: the four components of a pixel of the row are at `place`, from where `before` was loaded.
          // Copying bytes needs no alignment.
          withUnsafeBytes(of: after) { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        }
      }
    }
  }
}
