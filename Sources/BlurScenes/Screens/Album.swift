import Blur
import BlurVerification

/// A screen with a grid of photographs, a navigation bar at the top and tabs at the bottom.
struct Album {
  let seed: UInt64
  let scale: Double

  /// Draws the album so that it fills `view`.
  func draw(into view: MutableImageView) {
    let canvas = Canvas(view, scale: scale)
    let (width, height) = (Double(view.layout.width) / scale, Double(view.layout.height) / scale)
    canvas.fill(Box(0, 0, width, height), Palette.paper)
    let columns = max(3, Int(width / 160))
    let side = max(1, (width - 8) / Double(columns))
    var random = SplitMix64(seed: seed, 500)
    Lettering(size: 24, colour: Palette.ink, weight: 0.16)
      .line(canvas, x: 14, y: Bars.navigationHeight + 12, width: width - 28, words: 3, &random)
    let top = Bars.navigationHeight + 50
    for line in 0...max(0, Int((height - top) / side)) {
      for column in 0..<columns {
        var random = SplitMix64(seed: seed, line * columns + column, 4)
        let tile = Box(4 + Double(column) * side, top + Double(line) * side, side, side)
        Photograph(&random).draw(canvas, tile.inset(3), radius: 8)
      }
    }
    Bars.navigation(canvas, width: width, &random)
    Bars.tabs(canvas, width: width, height: height, &random)
  }
}
