import Blur
import BlurText

/// By how much a picture is off, as a picture, amplified so that its largest value is bright.
///
/// A difference of alpha is gray; a value that is no number where one should be, or the other way round, is
/// magenta.
struct PictureDifference {
  /// In 8 bits, opaque.
  let picture: Image
  /// The largest difference of a colour and of alpha in levels.
  let colourLevels: Double, alphaLevels: Double
  /// What differences are multiplied with.
  let amplification: Double
  /// How many pixels are no number where one should be, or the other way round.
  let strangePixels: Int

  /// - Parameters:
  ///   - errors: differences in levels by component, pixel by pixel; infinite for what is no number.
  ///   - channels: of `errors`.
  ///   - layout: of the picture, without padding: in 8 bits, with as many channels or three.
  ///   - amplification: nil for as much as the largest difference allows.
  init(
    _ errors: [Double], _ channels: Int, _ layout: ImageLayout, _ amplification: Double? = nil
  ) throws(BlurError) {
    let isAlpha = { (i: Int) in channels == 4 && i % 4 == 3 }
    let finite = errors.enumerated().filter { $1.isFinite }
    let colour = finite.filter { !isAlpha($0.offset) }.map(\.element).max() ?? 0
    let alpha = finite.filter { isAlpha($0.offset) }.map(\.element).max() ?? 0
    let largest = max(colour, alpha)
    let factor = amplification ?? (largest == 0 ? 1 : (255 / largest).rounded(.down))
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
    (colourLevels, alphaLevels, self.amplification) = (colour, alpha, factor)
    strangePixels = pixels.count(where: isStrange)
  }

  /// Whether there is nothing to draw.
  var isNone: Bool { colourLevels == 0 && alphaLevels == 0 && strangePixels == 0 }

  /// What stands below the picture.
  var caption: String {
    if isNone { return "every colour here is right" }
    if strangePixels > 0 { return "\(strangePixels) no number (magenta)" }
    let factor = "x\(Self.short(amplification))"
    if alphaLevels == 0 { return "\(factor), at most \(Self.levels(colourLevels))" }
    if colourLevels == 0 { return "\(factor), alpha: \(Self.levels(alphaLevels))" }
    return "\(factor), at most \(Self.short(colourLevels)), alpha \(Self.short(alphaLevels))"
  }

  private static func levels(_ levels: Double) -> String {
    "\(short(levels)) level\(levels == 1 ? "" : "s")"
  }

  /// Numbers of 8 bits are whole.
  private static func short(_ number: Double) -> String {
    number == number.rounded() && number < 1000 || number * 8 == (number * 8).rounded()
      ? number.short : number.threeDigits
  }
}
