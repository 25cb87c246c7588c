import Blur
import BlurText

/// A picture of the differences between two pictures, amplified so that the largest difference is bright.
///
/// A difference in alpha is gray. A pixel is magenta if it is NaN or infinite in only one of the two
/// pictures.
struct PictureDifference {
  /// The amplified differences as an opaque 8-bit picture.
  let picture: Image
  /// The largest difference in any colour component, and the largest difference in alpha, both in levels.
  let colourLevels: Double, alphaLevels: Double
  /// The factor by which the differences are multiplied. It is the largest whole number for which all
  /// amplified differences fit into 8 bits. If a difference is larger than 255 levels, which is possible in
  /// float formats, the factor is a fraction that makes the largest difference white.
  let amplification: Double
  /// The number of pixels that are NaN or infinite in only one of the two pictures.
  let strangePixels: Int

  /// Creates the picture from the differences of all components.
  ///
  /// - Parameters:
  ///   - errors: The differences in levels, component by component. A difference is infinite if only one of
  ///     the two values is NaN or infinite.
  ///   - channels: The number of components per pixel in `errors`.
  ///   - layout: The layout of the picture. It must have 8 bits, no padding, and either as many channels as
  ///     `errors` or three.
  init(_ errors: [Double], _ channels: Int, _ layout: ImageLayout) throws(BlurError) {
    let isAlpha = { (i: Int) in channels == 4 && i % 4 == 3 }
    let finite = errors.enumerated().filter { $1.isFinite }
    let colour = finite.filter { !isAlpha($0.offset) }.map(\.element).max() ?? 0
    let alpha = finite.filter { isAlpha($0.offset) }.map(\.element).max() ?? 0
    let largest = max(colour, alpha)
    let factor = largest == 0 ? 1 : largest > 255 ? 255 / largest : (255 / largest).rounded(.down)
    let pixels = stride(from: 0, to: errors.count, by: channels).map { errors[$0..<$0 + channels] }
    let isStrange = { (pixel: ArraySlice<Double>) in pixel.contains { !$0.isFinite } }
    var bytes: [UInt8] = []
    for pixel in pixels {
      let gray = channels == 4 ? pixel[pixel.startIndex + 3] : 0
      bytes += (0..<layout.format.channels).map { c in
        if layout.format.channels == 4 && c == 3 { return 255 }
        if isStrange(pixel) { return c == 1 ? 0 : 255 }
        return UInt8(min(255, max(pixel[pixel.startIndex + min(c, channels - 1)], gray) * factor))
      }
    }
    picture = try Image(layout, copying: bytes.span.bytes)
    (colourLevels, alphaLevels, amplification) = (colour, alpha, factor)
    strangePixels = pixels.count(where: isStrange)
  }

  /// Whether the two pictures are equal, so that there is nothing to draw.
  var isNone: Bool { colourLevels == 0 && alphaLevels == 0 && strangePixels == 0 }

  /// The caption below the picture.
  var caption: String {
    if isNone { return "every pixel is right" }
    if strangePixels > 0 { return "magenta: \(strangePixels) NaN or inf" }
    let factor = "x\(Self.short(amplification))"
    if alphaLevels == 0 { return "\(factor), error up to \(Self.levels(colourLevels))" }
    if colourLevels == 0 { return "\(factor), alpha error \(Self.levels(alphaLevels))" }
    return "\(factor), error \(Self.short(colourLevels)), alpha \(Self.short(alphaLevels))"
  }

  private static func levels(_ levels: Double) -> String {
    "\(short(levels)) level\(levels == 1 ? "" : "s")"
  }

  /// Returns a number as short text. Differences in 8-bit images are whole numbers and are written without
  /// digits after the point.
  private static func short(_ number: Double) -> String {
    number == number.rounded() && number < 1000 || number * 8 == (number * 8).rounded()
      ? number.short : number.threeDigits
  }
}
