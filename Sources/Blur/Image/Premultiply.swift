extension Image {
  /// Multiplies the colours of straight alpha by it, rounded to nearest; images without alpha stay as they
  /// are.
  ///
  /// 8-bit colours under low alpha lose precision: prefer `rgba16` or `rgbaf32` for pictures with alpha.
  public mutating func premultiply() {
    switch layout.format.component {
    case .uint8: mapPixels { (pixel: SIMD4<UInt8>) in Self.times(alpha: pixel) }
    case .uint16: mapPixels { (pixel: SIMD4<UInt16>) in Self.times(alpha: pixel) }
    case .float32: mapPixels { (pixel: SIMD4<Float>) in pixel * pixel.w }
    }
  }

  /// Divides the colours by alpha, clamped to full scale; under alpha 0 they become 0. In floats colours are
  /// not clamped.
  public mutating func unpremultiply() {
    switch layout.format.component {
    case .uint8: mapPixels { (pixel: SIMD4<UInt8>) in Self.by(alpha: pixel) }
    case .uint16: mapPixels { (pixel: SIMD4<UInt16>) in Self.by(alpha: pixel) }
    case .float32: mapPixels { (pixel: SIMD4<Float>) in pixel.w > 0 ? pixel / pixel.w : .zero }
    }
  }

  /// Of whole numbers the quotient by full scale is never half-way between two.
  @inline(__always)
  private static func times<C: FixedWidthInteger>(alpha pixel: SIMD4<C>) -> SIMD4<C> {
    let full = UInt32(C.max)
    let products = SIMD4<UInt32>(truncatingIfNeeded: pixel) &* UInt32(pixel.w) &+ (full / 2 + 1)
    // Division by a power of two less one; `full` has as many bits as C.
    let shift = UInt32(truncatingIfNeeded: C.bitWidth)
    return SIMD4<C>(truncatingIfNeeded: (products &+ (products &>> shift)) &>> shift)
  }

  /// Ties go up.
  @inline(__always)
  private static func by<C: FixedWidthInteger>(alpha pixel: SIMD4<C>) -> SIMD4<C> {
    guard pixel.w > 0 else { return .zero }
    // Exact enough: a quotient that is no tie is farther from one than doubles round.
    let quotient = SIMD4<Double>(SIMD4<Int32>(truncatingIfNeeded: pixel)) * Double(C.max) / Double(pixel.w)
    let rounded = (quotient + 0.5).clamped(lowerBound: .zero, upperBound: .init(repeating: Double(C.max)))
    return SIMD4<C>(truncatingIfNeeded: SIMD4<Int32>(rounded))
  }

  /// Replaces the colours of each pixel by those that a function gives; alpha stays.
  @inline(__always)
  private mutating func mapPixels<C: SIMDScalar>(_ change: (SIMD4<C>) -> SIMD4<C>) {
    guard layout.format.hasAlpha else { return }
    withMutableView { view in
      for y in 0..<view.layout.height {
        let row = view.row(y)
        for pixel in 0..<view.layout.width {
          let place = row + pixel * MemoryLayout<SIMD4<C>>.size
          // SAFETY: the four components of a pixel of the row, at any address.
          let before = place.loadUnaligned(as: SIMD4<C>.self)
          var after = change(before)
          after.w = before.w
          // SAFETY: the same place; bytes are copied, so that it needs no alignment.
          withUnsafeBytes(of: after) { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        }
      }
    }
  }
}
