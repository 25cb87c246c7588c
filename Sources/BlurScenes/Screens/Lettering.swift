import BlurVerification

/// Lines that look like text: words of little bars.
struct Lettering {
  /// The size of the letters in points, as of a font.
  let size: Double
  let colour: Colour
  /// The width of strokes as a share of the size.
  var weight = 0.1

  /// Draws a line of words from (x, y), the top left of its tallest letters.
  ///
  /// - Parameter width: no word reaches beyond it, in points.
  func line(
    _ canvas: Canvas, x: Double, y: Double, width: Double, words: Int = .max,
    _ random: inout SplitMix64
  ) {
    var place = 0.0
    for _ in 0..<min(words, 60) {
      let letters = (0..<random.pick(2...9)).map { _ in Letter(&random) }
      let length = letters.reduce(0) { $0 + $1.width } * size
      guard place + length <= width else { return }
      for letter in letters {
        draw(letter, canvas, x: x + place, y: y)
        place += letter.width * size
      }
      place += 0.3 * size
    }
  }

  /// Draws lines below each other, 1.4 sizes apart; the last one is shorter.
  func paragraph(
    _ canvas: Canvas, x: Double, y: Double, width: Double, lines: Int, _ random: inout SplitMix64
  ) {
    for i in 0..<lines {
      let part = i == lines - 1 ? 0.62 : 1
      line(canvas, x: x, y: y + Double(i) * 1.4 * size, width: width * part, &random)
    }
  }

  private func draw(_ letter: Letter, _ canvas: Canvas, x: Double, y: Double) {
    let (stroke, top, foot) = (weight * size, 0.22 * size, 0.74 * size)
    let width = (letter.width - 0.14) * size
    func bar(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
      canvas.fill(Box(x, y, width, height), colour)
    }
    let head = letter.hasAscender ? y : y + top
    let end = letter.hasDescender ? y + 0.95 * size : y + foot
    bar(x, head, stroke, end - head)
    if letter.hasRightStem { bar(x + width - stroke, y + top, stroke, foot - top) }
    if letter.hasTop { bar(x, y + top, width, stroke) }
    if letter.hasMiddle { bar(x, y + (top + foot) / 2, width, stroke) }
    if letter.hasBottom { bar(x, y + foot - stroke, width, stroke) }
  }

  /// The bars of a letter; its width as a share of the size.
  private struct Letter {
    let width: Double
    private let form: UInt64

    init(_ random: inout SplitMix64) {
      form = random.next()
      width = form % 8 == 0 ? 0.26 : 0.46 + Double(form >> 8 & 3) * 0.05
    }

    private var isThin: Bool { form % 8 == 0 }
    private func has(_ bit: UInt64) -> Bool { form >> bit & 1 == 1 }
    var hasAscender: Bool { form >> 12 & 3 == 0 }
    var hasDescender: Bool { form >> 14 & 7 == 0 }
    var hasRightStem: Bool { !isThin && has(20) }
    var hasTop: Bool { !isThin && (has(21) || !has(22)) }
    var hasMiddle: Bool { !isThin && has(23) && !has(20) }
    var hasBottom: Bool { !isThin && has(22) }
  }
}
