import Blur

/// The screen of an app, over which the layers of a scene are drawn.
enum AppScreen {
  /// A feed that scrolls by `speed` points per frame, and starts again from the top after `restart` frames.
  case feed(speed: Double, restart: Int = .max)
  /// A grid of photographs that stays in place.
  case album
  /// A screen with two columns. When the device is turned, `turning` changes the old layout into the new one.
  case splitView(turning: Change)

  /// Returns a number that determines the picture of the app in a frame: how far it is scrolled, in points,
  /// or how far the layout of the turned screen has changed.
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
      // At the position 0, either the device is not turned yet, or the old layout is shown alone.
      guard position < 1, device.width < device.height else { return }
      var (old, stretched) = (try device.turned.image(), try device.image())
      old.withMutableView { view.draw(into: $0) }
      stretched.stretch(old)
      image.mix(in: stretched, 1 - position)
    }
  }
}
