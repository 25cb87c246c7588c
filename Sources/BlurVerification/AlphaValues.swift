import Blur

extension ImageLayout {
  /// Converts the values of a row to the values that kernels actually blur, in the format's own units.
  /// Colours with straight alpha are multiplied by alpha, and the fourth channel of an opaque image is full
  /// scale.
  func blurredValues(_ row: [Double]) -> [Double] {
    guard alpha != .premultiplied else { return row }
    let full = format.fullScale
    var values = row
    for pixel in Swift.stride(from: 0, to: row.count, by: 4) {
      let opacity = row[pixel + alphaIndex]
      for i in pixel..<pixel + 4 where alpha == .straight && i != pixel + alphaIndex {
        // If alpha is 0, the colours become 0, even if they are NaN.
        values[i] = opacity == 0 ? 0 : row[i] * opacity / full
      }
      if alpha == .opaque { values[pixel + alphaIndex] = full }
    }
    return values
  }

  /// Returns the largest rounding error that value `i` of ``blurredValues(_:)`` can have. `row` holds the
  /// rounded values of an image with straight alpha, so both the colour and the alpha may be off by half a
  /// code value.
  func roundingOfProduct(_ row: [Double], _ i: Int) -> Double {
    guard format.component != .float32 else { return 0 }
    let place = i / 4 * 4 + alphaIndex
    return i == place ? 0.5 : (0.5 * (row[i] + row[place]) + 0.25) / format.fullScale
  }
}

extension ImageView {
  /// Returns the values that kernels actually blur for row `y`; see ``ImageLayout/blurredValues(_:)``.
  func blurredValues(ofRow y: Int) -> [Double] { layout.blurredValues(values(ofRow: y)) }
}

extension PixelFormat {
  /// Returns the format that kernels blur when a user blurs an image in this format. The two formats differ
  /// if alpha is straight, because such images are converted first. A certificate for the returned format is
  /// also valid for the user's images; see ``straightRounding``.
  ///
  /// - Throws: ``Blur/BlurError/invalidLayout(_:)`` if the format has no fourth channel, unless `alpha` is
  ///   `premultiplied`.
  public func blurred(_ alpha: ImageLayout.Alpha) throws(BlurError) -> PixelFormat {
    try ImageLayout(self, width: 1, height: 1, alpha: alpha).forKernels(Sigma(1)).format
  }

  /// The number of levels that rounding can add to the error of an image with straight alpha, if kernels blur
  /// the image in this format.
  ///
  /// Kernels blur alpha and the products of colour and alpha. If a linear kernel has an error of at most E
  /// levels in any image, the blurred alpha a is off by at most E levels. The blurred colour q is the
  /// quotient of the blurred product and a. Let c be the exact colour. Then (q − c) · a is the error of the
  /// blurred product, minus c times the error of a. This is the error of the kernel for an image with the
  /// values (colour − c) · alpha. These values are from −c to 1 − c, so the error is at most E levels, and q
  /// is off by at most E / a levels.
  ///
  /// In 16 bits, half a code value is added for each of three roundings: of the products before the blur, of
  /// the products after the blur, and of the blurred alpha.
  public var straightRounding: Double { 1.5 * codeInLevels }
}
