import Blur

/// A feed that scrolls, and the screen that shows it with what lies over it: the ground of most live blurs.
struct FeedScreen {
  private let feed: Feed
  /// What the app has drawn, and what is shown.
  private(set) var content: Image
  var screen: Image

  init(_ device: Device, seed: UInt64) throws(BlurError) {
    feed = Feed(seed: seed, scale: device.scale)
    content = try device.image()
    screen = try device.image()
  }

  /// Takes the sides of the screen held the other way, in the same memory.
  mutating func become(_ layout: ImageLayout) {
    content.become(layout)
    screen.become(layout)
  }

  /// Draws the feed, scrolled down by `offset` pixels. The screen shows it as it is: what lies over it is
  /// left to do, and is what a frame costs.
  mutating func draw(offset: Int) {
    content.withMutableView { feed.draw(into: $0, offset: offset) }
    content.withView { from in screen.withMutableView { Compositing.copy(from, into: $0) } }
  }
}
