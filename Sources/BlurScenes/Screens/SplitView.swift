import Blur
import BlurVerification

/// A screen with two columns: a list on the left, and the selected article on the right.
struct SplitView {
  let seed: UInt64
  let scale: Double

  /// Draws the screen so that it fills `view`. The list is 320 points wide, but at most two fifths of the
  /// screen's width.
  func draw(into view: MutableImageView) {
    let canvas = Canvas(view, scale: scale)
    let (width, height) = (Double(view.layout.width) / scale, Double(view.layout.height) / scale)
    let list = min(320, width * 0.4)
    self.list(canvas.inside(Box(0, 0, list, height)), width: list, height: height)
    let right = canvas.inside(Box(list, 0, width - list, height))
    article(3, right, width: width - list, height: height)
    canvas.fill(Box(list - 0.5, 0, 1, height), Colour.line)
  }

  private func list(_ canvas: Canvas, width: Double, height: Double) {
    canvas.fill(Box(0, 0, width, height), Colour.paper)
    let rowHeight = 76.0
    for number in 0...max(0, Int((height - Canvas.navigationHeight) / rowHeight)) {
      var random = SplitMix64(seed: seed, number, 1)
      let top = Canvas.navigationHeight + Double(number) * rowHeight
      if number == 2 { canvas.fill(Box(0, top, width, rowHeight), Colour(218, 234, 255)) }
      Photograph(&random).draw(canvas, Box(12, top + 10, 56, 56), radius: 10)
      Lettering(size: 15, colour: Colour.ink, weight: 0.15)
        .line(canvas, x: 80, y: top + 11, width: width - 100, words: 3, &random)
      Lettering(size: 13, colour: Colour.faded)
        .paragraph(canvas, x: 80, y: top + 32, width: width - 96, lines: 2, &random)
      canvas.fill(Box(80, top + rowHeight - 0.5, width - 80, 0.5), Colour.line)
    }
    var random = SplitMix64(seed: seed, 900)
    canvas.navigationBar(width: width, &random)
  }

  /// Draws an article at the canvas's origin, with a size of `width` × `height` points. The article has a
  /// large photograph, a heading, and paragraphs of text with photographs between them. Its content looks
  /// random, but is completely determined by `number` and the seed.
  func article(_ number: Int, _ canvas: Canvas, width: Double, height: Double) {
    var random = SplitMix64(seed: seed, number, 2)
    canvas.fill(Box(0, 0, width, height), Colour.paper)
    let hero = min(320, height * 0.38)
    Photograph(&random).draw(canvas, Box(0, Canvas.navigationHeight, width, hero))
    var top = Canvas.navigationHeight + hero + 18
    let inner = min(width - 32, 680)
    let left = (width - inner) / 2
    Lettering(size: 26, colour: Colour.ink, weight: 0.16)
      .line(canvas, x: left, y: top, width: inner, words: 4, &random)
    Lettering(size: 13, colour: Colour.faded).line(
      canvas, x: left, y: top + 36, width: inner, words: 4, &random)
    top += 64
    while top < height {
      let lines = random.pick(4...7)
      Lettering(size: 15, colour: Colour.ink)
        .paragraph(canvas, x: left, y: top, width: inner, lines: lines, &random)
      top += Double(lines) * 21 + 16
      if random.pick(0...2) == 0 {
        Photograph(&random).draw(canvas, Box(left, top, inner, 150), radius: 12)
        top += 168
      }
    }
    canvas.navigationBar(width: width, &random)
  }
}
