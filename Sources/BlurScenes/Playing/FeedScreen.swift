import Blur

/// The screen of an app that shows a scrolling feed, which is a list of posts. Bars and dialogs with a
/// blurred background are drawn over it. Most scenes that blur again in every frame use this screen.
struct FeedScreen {
  private let feed: Feed
  /// Two images: the feed as the app has drawn it (`content`), and the screen that the user sees (`screen`).
  private(set) var content: Image
  var screen: Image

  init(_ device: Device, seed: UInt64) throws(BlurError) {
    feed = Feed(seed: seed, scale: device.scale)
    content = try device.image()
    screen = try device.image()
  }

  /// Changes the layout of both images when the device is turned. The images keep their memory.
  mutating func become(_ layout: ImageLayout) {
    content.become(layout)
    screen.become(layout)
  }

  /// Draws the feed, a list of posts, scrolled down by `offset` pixels, and copies it to the screen. Blurs
  /// and other layers over the feed are drawn later, when a frame is presented, because only that work counts
  /// as the cost of a frame.
  mutating func draw(offset: Int) {
    content.withMutableView { feed.draw(into: $0, offset: offset) }
    content.withView { from in screen.withMutableView { Compositing.copy(from, into: $0) } }
  }
}
