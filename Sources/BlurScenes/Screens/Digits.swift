/// Draws numbers with seven-segment digits, like a digital clock.
struct Digits {
  /// The height of a digit. The width of a digit, including the gap after it, is three quarters of the
  /// height.
  let size: Double
  let colour: Colour

  /// The segments that are lit for the digits 0 to 9, with one bit per segment. From the lowest bit up, the
  /// segments are top, upper left, upper right, middle, lower left, lower right, and bottom.
  private static let lit = [
    0b1110111, 0b0100100, 0b1011101, 0b1101101, 0b0101110,
    0b1101011, 0b1111011, 0b0100101, 0b1111111, 0b1101111,
  ]

  /// Draws a number, which must not be negative, with its top-left corner at (x, y).
  func draw(_ number: Int, _ canvas: Canvas, x: Double, y: Double) {
    let (width, half, stroke) = (size / 2, size / 2, size / 8)
    let bars = [
      Box(x, y, width, stroke), Box(x, y, stroke, half), Box(x + width - stroke, y, stroke, half),
      Box(x, y + half - stroke / 2, width, stroke), Box(x, y + half, stroke, half),
      Box(x + width - stroke, y + half, stroke, half), Box(x, y + size - stroke, width, stroke),
    ]
    for (place, digit) in String(number).enumerated() {
      let lit = Self.lit[digit.wholeNumberValue ?? 8]
      for (bit, bar) in bars.enumerated() where lit >> bit & 1 == 1 {
        canvas.fill(Box(bar.x + 0.75 * size * Double(place), bar.y, bar.width, bar.height), colour)
      }
    }
  }
}
