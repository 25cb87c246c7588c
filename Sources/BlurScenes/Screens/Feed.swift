import Blur
import BlurVerification

/// An endless scrolling list of posts. The posts are shown as cards, in as many columns as fit on the screen.
/// The content of a post depends only on the seed, the number of the post, and its column.
///
/// When the feed scrolls by whole pixels, its content moves without changing: a post that is visible at two
/// scroll positions has the same pixels at both of them.
struct Feed {
  let seed: UInt64
  let scale: Double

  /// The height of a post including the gap above it, in points.
  static let postHeight = 380.0
  private static let gap = 12.0

  /// Draws the part of the feed that a screen shows when the feed is scrolled down by `offset` pixels.
  func draw(into view: MutableImageView, offset: Int) {
    let canvas = Canvas(view, scale: scale)
    let (width, height) = (Double(view.layout.width) / scale, Double(view.layout.height) / scale)
    canvas.fill(Box(0, 0, width, height), Colour.ground)
    let columns = max(1, Int(width / 360))
    let columnWidth = (width - Self.gap) / Double(columns)
    let post = Int((Self.postHeight * scale).rounded())
    for column in 0..<columns {
      // Each column is shifted by a different distance, so that posts in adjacent columns don't begin at the
      // same height.
      let shift = offset + column * post * 3 / 8
      for number in shift / post...(shift + view.layout.height) / post {
        let left = Int(((Self.gap + columnWidth * Double(column)) * scale).rounded())
        draw(number, column, canvas.moved(left, number * post - shift), width: columnWidth - Self.gap)
      }
    }
  }

  /// Draws one post with its top-left corner at the canvas's origin.
  private func draw(_ number: Int, _ column: Int, _ canvas: Canvas, width: Double) {
    var random = SplitMix64(seed: seed, number, column)
    let card = Box(0, Self.gap, width, Self.postHeight - Self.gap)
    canvas.fill(card, Colour.paper, radius: 14)
    let accent = random.pick(Colour.accents)
    canvas.disc(x: 30, y: Self.gap + 30, radius: 18, accent)
    canvas.disc(x: 30, y: Self.gap + 25, radius: 6, Colour.paper)
    canvas.fill(Box(19, Self.gap + 34, 22, 9), Colour.paper, radius: 4.5)
    Lettering(size: 15, colour: Colour.ink, weight: 0.14)
      .line(canvas, x: 58, y: Self.gap + 13, width: width - 110, words: 2, &random)
    Lettering(size: 12, colour: Colour.faded)
      .line(canvas, x: 58, y: Self.gap + 33, width: width - 110, words: 3, &random)
    let text = Lettering(size: 14, colour: Colour.ink)
    let inner = width - 24
    if random.pick(0...4) == 0 {
      text.paragraph(canvas, x: 12, y: Self.gap + 62, width: inner, lines: 12, &random)
    } else {
      Photograph(&random).draw(canvas, Box(12, Self.gap + 60, inner, 200), radius: 8)
      text.paragraph(canvas, x: 12, y: Self.gap + 272, width: inner, lines: 2, &random)
    }
    let foot = Self.gap + 332
    canvas.fill(Box(12, foot - 8, inner, 0.5), Colour.line)
    for i in 0..<3 {
      let x = 14 + Double(i) * inner / 3
      canvas.disc(x: x + 8, y: foot + 12, radius: 7, i == 0 ? accent : Colour.line)
      Lettering(size: 12, colour: Colour.faded)
        .line(canvas, x: x + 22, y: foot + 5, width: inner / 3 - 26, words: 1, &random)
    }
  }
}
