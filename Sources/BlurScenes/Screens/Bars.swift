import BlurVerification

/// The bars of an app: the navigation bar at the top, the tab bar at the bottom, and the system's status bar.
extension Canvas {
  static let navigationHeight = 64.0
  static let tabHeight = 50.0

  /// Draws a navigation bar across the top of the canvas, with a title between two buttons. The bar is
  /// `width` points wide.
  func navigationBar(width: Double, _ random: inout SplitMix64) {
    fill(Box(0, 0, width, Self.navigationHeight), Colour(249, 249, 251))
    fill(Box(0, Self.navigationHeight - 0.5, width, 0.5), Colour.line)
    let accent = Colour.accents[0]
    // The arrow of the back button looks like "<". Each of its two strokes is drawn as a row of small discs.
    for i in -12...12 {
      disc(x: 10 + abs(Double(i)) * 0.55, y: 42 + Double(i) * 0.6, radius: 1.3, accent)
    }
    let text = Lettering(size: 16, colour: accent)
    text.line(self, x: 22, y: 34, width: width / 4, words: 1, &random)
    disc(x: width - 24, y: 42, radius: 10, accent)
    Lettering(size: 17, colour: Colour.ink, weight: 0.15)
      .line(self, x: width / 2, y: 33, width: 130, words: 2, isCentred: true, &random)
  }

  /// Draws five tabs across the bottom of a screen that is `height` points high. The first tab is selected.
  func tabBar(width: Double, height: Double, _ random: inout SplitMix64) {
    let top = height - Self.tabHeight
    fill(Box(0, top, width, Self.tabHeight), Colour(249, 249, 251))
    fill(Box(0, top, width, 0.5), Colour.line)
    for i in 0..<5 {
      let (x, colour) = (width * (Double(i) + 0.5) / 5, i == 0 ? Colour.accents[0] : Colour.faded)
      fill(Box(x - 11, top + 7, 22, 22), colour, radius: i % 2 == 0 ? 6 : 11)
      Lettering(size: 10, colour: colour)
        .line(self, x: x, y: top + 34, width: 40, words: 1, isCentred: true, &random)
    }
  }

  /// Draws a status bar that shows the carrier, the time and the battery. The bar is 20 points high.
  func statusBar(width: Double, _ ink: Colour, seed: UInt64) {
    var random = SplitMix64(seed: seed, 77)
    let text = Lettering(size: 12, colour: ink, weight: 0.14)
    for i in 0..<4 {
      let tall = 3 + Double(i) * 2
      fill(Box(8 + Double(i) * 5, 14 - tall, 3.5, tall), ink)
    }
    text.line(self, x: 32, y: 4, width: 50, words: 1, &random)
    text.line(self, x: width / 2, y: 4, width: 50, words: 1, isCentred: true, &random)
    fill(Box(width - 34, 5, 24, 10), ink, radius: 2.5)
    fill(Box(width - 32, 7, 20, 6), Colour.accents[2], radius: 1)
    fill(Box(width - 9, 8, 2, 4), ink)
  }

  /// Draws the additional line of text that the status bar shows during a call.
  func callText(width: Double, seed: UInt64) {
    var random = SplitMix64(seed: seed, 78)
    Lettering(size: 12, colour: Colour.ink, weight: 0.14)
      .line(self, x: width / 2, y: 23, width: 180, words: 4, isCentred: true, &random)
  }
}
