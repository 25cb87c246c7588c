import BlurVerification

/// Placeholders for lines of text. Each word is drawn as a bar with round ends, as in an app that is still
/// loading.
struct Lettering {
  /// The size of the font in points.
  let size: Double
  let colour: Colour
  /// The stroke width of the imitated font, as a fraction of the font size. Bolder text has higher bars.
  var weight = 0.1

  /// Draws a line of words. The point (x, y) is the top-left corner of the tallest letters.
  ///
  /// - Parameters:
  ///   - width: The width of the line in points. The line ends before the first word that would not fit.
  ///   - isCentred: Whether `x` is the middle of the line instead of its left end.
  func line(
    _ canvas: Canvas, x: Double, y: Double, width: Double, words: Int = .max, isCentred: Bool = false,
    _ random: inout SplitMix64
  ) {
    let (height, gap) = ((0.2 + 2 * weight) * size, 0.35 * size)
    // Each word is drawn as a bar, which is centred vertically where the word's lowercase letters would be.
    let top = y + 0.48 * size - height / 2
    var bars: [(x: Double, length: Double)] = []
    var end = 0.0
    for _ in 0..<min(words, 60) {
      let length = (0.5 * Double(random.pick(2...9)) + 0.1) * size
      guard end + length <= width else { break }
      bars.append((end, length))
      end += length + gap
    }
    let start = isCentred ? x - (end - gap) / 2 : x
    for bar in bars {
      canvas.fill(Box(start + bar.x, top, bar.length, height), colour, radius: height / 2)
    }
  }

  /// Draws a paragraph, which consists of several lines of words. The distance between lines is 1.4 times the
  /// font size, and the last line is shorter than the others.
  func paragraph(
    _ canvas: Canvas, x: Double, y: Double, width: Double, lines: Int, _ random: inout SplitMix64
  ) {
    for i in 0..<lines {
      let part = i == lines - 1 ? 0.62 : 1
      line(canvas, x: x, y: y + Double(i) * 1.4 * size, width: width * part, &random)
    }
  }
}
