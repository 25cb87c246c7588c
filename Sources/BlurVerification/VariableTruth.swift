import Blur

extension Truth {
  /// What a blur of variable sigma should give: at each pixel the Gaussian of `sigma` times the mask, in 255ths.
  ///
  /// - Parameter mask: gray8, of the image's size.
  public static func of(_ image: Image, sigma: Double, mask: Image, edge: EdgeMode) throws(BlurError) -> Truth
  {
    let (layout, channels) = (image.layout, image.layout.format.channels)
    var values = [Double](repeating: 0, count: layout.height * layout.rowComponents)
    let masks = mask.withView { view in (0..<layout.height).map { view.values(ofRow: $0) } }
    for value in Set(masks.joined()) {
      let rows = masks.indices.filter { masks[$0].contains(value) }
      let blurred = Truth.of(image, sigma: try Sigma(sigma * value / 255), edge: edge, rows: rows)
      for (index, y) in rows.enumerated() {
        for x in 0..<layout.width where masks[y][x] == value {
          for i in x * channels..<(x + 1) * channels {
            values[y * layout.rowComponents + i] = blurred.values[index * layout.rowComponents + i]
          }
        }
      }
    }
    return Truth(layout: layout, rows: Array(0..<layout.height), values: values)
  }
}

extension VariableBlurPlan {
  /// The largest error against the truth, in levels, of *any* image with values from 0 to 1: the certificate of a
  /// linear operator that is no convolution.
  ///
  /// Each pixel in turn is the only one that is lit, which gives the operator's weights; half of an output's
  /// errors are made by the pixels that weigh too much, half by the others. Takes a blur for each pixel.
  ///
  /// - Precondition: the plan is for `grayf32`, whose results are not rounded; the constant beyond the edge is 0.
  public func certified(_ mask: Image) throws(BlurError) -> Double {
    precondition(layout.format == .grayf32, "an operator's weights are read from floats")
    let pixels = layout.width * layout.height
    var (tooMuch, tooLittle) = ([Double](repeating: 0, count: pixels), [Double](repeating: 0, count: pixels))
    var (lit, result) = (try Image(layout), try Image(layout))
    for pixel in 0..<pixels {
      let (x, y) = (pixel % layout.width, pixel / layout.width)
      lit.light(x, y, 1)
      try blur(lit, into: &result)
      let truth = try Truth.of(lit, sigma: sigma, mask: mask, edge: edge)
      let found = result.withView { view in (0..<layout.height).flatMap { view.values(ofRow: $0) } }
      for i in 0..<pixels {
        let difference = found[i] - truth.values[i]
        if difference > 0 { tooMuch[i] += difference } else { tooLittle[i] -= difference }
      }
      lit.light(x, y, 0)
    }
    return 255 * max(tooMuch.max()!, tooLittle.max()!)
  }
}

extension Image {
  fileprivate mutating func light(_ x: Int, _ y: Int, _ value: Float) {
    // SAFETY: a pixel of the image, which is grayf32.
    withMutableView { $0.row(y).storeBytes(of: value, toByteOffset: 4 * x, as: Float.self) }
  }
}
