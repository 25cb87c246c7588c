import Blur
import BlurVerification

/// The screen of an app, over which the layers of a scene are drawn.
enum AppScreen {
  /// A feed that scrolls by `speed` points per frame, and starts again from the top after `restart` frames.
  case feed(speed: Double, restart: Int = .max)
  /// A grid of photographs that stays in place.
  case album
  /// A screen with two columns. After the device has been rotated, the transition `turning` changes the old
  /// layout into the new one.
  case splitView(turning: Transition)

  /// Returns the state of the app in a frame, as a single number. For the feed, the number says how far the
  /// feed is scrolled, in points. For the split view, it is the progress of the change to the new layout,
  /// from 0 to 1. The album does not change, so its number is always 0.
  func position(_ frame: Int) -> Double {
    switch self {
    case .feed(let speed, let restart): speed * Double(frame % restart)
    case .album: 0
    case .splitView(let turning): turning.progress(frame)
    }
  }

  /// Draws the app so that it fills `image`, an image of the device's screen.
  func draw(
    into image: inout Image, at position: Double, on device: Device, seed: UInt64
  ) throws(BlurError) {
    let scale = device.scale
    switch self {
    case .feed:
      let offset = device.pixels(position)
      image.withMutableView { Feed(seed: seed, scale: scale).draw(into: $0, offset: offset) }
    case .album: image.withMutableView { Album(seed: seed, scale: scale).draw(into: $0) }
    case .splitView:
      let view = SplitView(seed: seed, scale: scale)
      image.withMutableView { view.draw(into: $0) }
      // A scene with a split view starts in landscape orientation. If the screen is in portrait orientation,
      // the device has been rotated, and the old layout is mixed in until the transition is complete.
      guard position < 1, device.width < device.height else { return }
      var (old, stretched) = (try device.turned.image(), try device.image())
      old.withMutableView { view.draw(into: $0) }
      stretched.stretch(old)
      image.mix(in: stretched, 1 - position)
    }
  }
}

/// A screen with a grid of photographs, a navigation bar at the top and tabs at the bottom.
struct Album {
  let seed: UInt64
  let scale: Double

  /// Draws the album so that it fills `view`.
  func draw(into view: MutableImageView) {
    let canvas = Canvas(view, scale: scale)
    let (width, height) = (Double(view.layout.width) / scale, Double(view.layout.height) / scale)
    canvas.fill(Box(0, 0, width, height), Colour.paper)
    let columns = max(3, Int(width / 160))
    let side = max(1, (width - 8) / Double(columns))
    var random = SplitMix64(seed: seed, 500)
    Lettering(size: 24, colour: Colour.ink, weight: 0.16)
      .line(canvas, x: 14, y: Canvas.navigationHeight + 12, width: width - 28, words: 3, &random)
    let top = Canvas.navigationHeight + 50
    for line in 0...max(0, Int((height - top) / side)) {
      for column in 0..<columns {
        var random = SplitMix64(seed: seed, line * columns + column, 4)
        let tile = Box(4 + Double(column) * side, top + Double(line) * side, side, side)
        Photograph(&random).draw(canvas, tile.inset(3), radius: 8)
      }
    }
    canvas.navigationBar(width: width, &random)
    canvas.tabBar(width: width, height: height, &random)
  }
}
