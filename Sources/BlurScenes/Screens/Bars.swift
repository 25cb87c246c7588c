import BlurVerification

/// The bars of an app: the navigation bar at the top, the tab bar at the bottom, and the system's status bar.
enum Bars {
  static let navigationHeight = 64.0
  static let tabHeight = 50.0

  /// Draws a navigation bar across the top of `canvas`, with a title between two buttons. The bar is `width`
  /// points wide.
  static func navigation(_ canvas: Canvas, width: Double, _ random: inout SplitMix64) {
    canvas.fill(Box(0, 0, width, navigationHeight), Colour(249, 249, 251))
    canvas.fill(Box(0, navigationHeight - 0.5, width, 0.5), Colour.line)
    let accent = Colour.accents[0]
    // The arrow of the back button has the shape of <. Its two strokes are drawn as rows of small discs.
    for i in -12...12 {
      canvas.disc(x: 10 + abs(Double(i)) * 0.55, y: 42 + Double(i) * 0.6, radius: 1.3, accent)
    }
    let text = Lettering(size: 16, colour: accent)
    text.line(canvas, x: 22, y: 34, width: width / 4, words: 1, &random)
    canvas.disc(x: width - 24, y: 42, radius: 10, accent)
    Lettering(size: 17, colour: Colour.ink, weight: 0.15)
      .line(canvas, x: width / 2, y: 33, width: 130, words: 2, isCentred: true, &random)
  }

  /// Draws five tabs across the bottom of a screen that is `height` points high. The first tab is selected.
  static func tabs(_ canvas: Canvas, width: Double, height: Double, _ random: inout SplitMix64) {
    let top = height - tabHeight
    canvas.fill(Box(0, top, width, tabHeight), Colour(249, 249, 251))
    canvas.fill(Box(0, top, width, 0.5), Colour.line)
    for i in 0..<5 {
      let (x, colour) = (width * (Double(i) + 0.5) / 5, i == 0 ? Colour.accents[0] : Colour.faded)
      canvas.fill(Box(x - 11, top + 7, 22, 22), colour, radius: i % 2 == 0 ? 6 : 11)
      Lettering(size: 10, colour: colour)
        .line(canvas, x: x, y: top + 34, width: 40, words: 1, isCentred: true, &random)
    }
  }

  /// Draws a status bar with carrier, clock and battery. The bar is 20 points high.
  static func status(_ canvas: Canvas, width: Double, _ ink: Colour, seed: UInt64) {
    var random = SplitMix64(seed: seed, 77)
    let text = Lettering(size: 12, colour: ink, weight: 0.14)
    for i in 0..<4 {
      let tall = 3 + Double(i) * 2
      canvas.fill(Box(8 + Double(i) * 5, 14 - tall, 3.5, tall), ink)
    }
    text.line(canvas, x: 32, y: 4, width: 50, words: 1, &random)
    text.line(canvas, x: width / 2, y: 4, width: 50, words: 1, isCentred: true, &random)
    canvas.fill(Box(width - 34, 5, 24, 10), ink, radius: 2.5)
    canvas.fill(Box(width - 32, 7, 20, 6), Colour.accents[2], radius: 1)
    canvas.fill(Box(width - 9, 8, 2, 4), ink)
  }

  /// Draws the additional line of text that the status bar shows during a call.
  static func call(_ canvas: Canvas, width: Double, seed: UInt64) {
    var random = SplitMix64(seed: seed, 78)
    Lettering(size: 12, colour: Colour.ink, weight: 0.14)
      .line(canvas, x: width / 2, y: 23, width: 180, words: 4, isCentred: true, &random)
  }
}
