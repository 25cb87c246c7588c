extension Image {
  /// Multiplies the colours of straight alpha by it, rounded to nearest; images without alpha stay as they
  /// are.
  ///
  /// 8-bit colours under low alpha lose precision: prefer `rgba16` or `rgbaf32` for pictures with alpha.
  public mutating func premultiply() {
    mapColours { colour, alpha in colour * alpha }
  }

  /// Divides the colours by alpha, clamped to full scale; under alpha 0 they become 0.
  public mutating func unpremultiply() {
    let isFloat = layout.format.component == .float32
    mapColours { colour, alpha in
      guard alpha > 0 else { return 0 }
      return isFloat ? colour / alpha : min(1, colour / alpha)
    }
  }

  /// Replaces each colour by a function of it and of alpha, all as shares of full scale.
  private mutating func mapColours(_ change: (Double, Double) -> Double) {
    guard layout.format.hasAlpha else { return }
    switch layout.format.component {
    case .uint8: mapColours(UInt8.self, change)
    case .uint16: mapColours(UInt16.self, change)
    case .float32: mapColours(Float.self, change)
    }
  }

  @inline(__always)
  private mutating func mapColours<C: PixelComponent>(_ type: C.Type, _ change: (Double, Double) -> Double) {
    let full = layout.format.fullScale
    withMutableView { view in
      for y in 0..<view.layout.height {
        let row = view.row(y)
        for pixel in 0..<view.layout.width {
          // SAFETY: four components of a pixel of the row.
          let alpha = UnsafeRawPointer(row).component(4 * pixel + 3, as: type).number / full
          for i in 4 * pixel..<4 * pixel + 3 {
            let colour = UnsafeRawPointer(row).component(i, as: type).number / full
            row.setComponent(i, to: C(rounding: change(colour, alpha) * full))
          }
        }
      }
    }
  }
}
