import Blur

/// Icons and text that lie over a blur, stored as an image that is mostly transparent.
struct Overlay {
  /// A run of adjacent pixels in one row, none of which is fully transparent.
  typealias Run = (y: Int, x: Range<Int>)

  /// The position of the overlay's top-left corner in pixels, relative to the screen or to the panel that
  /// carries the overlay.
  let x: Int, y: Int
  /// The image of the icons and text in premultiplied rgba8.
  private let picture: Image
  /// The runs of visible pixels, from top to bottom. Only these runs are drawn. Most of the image is
  /// transparent, and reading all of it would take as long as blurring a narrow strip.
  let runs: [Run]

  /// Creates an overlay of icons and text, which the closure `draw` draws.
  ///
  /// The closure is called twice: it draws once on black and once on white. The difference between the two
  /// images shows how transparent each pixel is, and the image on black contains the premultiplied colours.
  ///
  /// - Parameters:
  ///   - width, height: The size of the overlay in pixels.
  ///   - scale: The number of pixels per point.
  ///   - x, y: The position of the overlay's top-left corner in pixels.
  init(
    width: Int, height: Int, scale: Double, x: Int = 0, y: Int = 0, _ draw: (Canvas) -> Void
  ) throws(BlurError) {
    func picture(on ground: Colour) throws(BlurError) -> Image {
      var picture = try Image(.rgba8, width: width, height: height)
      picture.withMutableView { view in
        Canvas(view, scale: 1).fill(Box(0, 0, Double(width), Double(height)), ground)
        draw(Canvas(view, scale: scale))
      }
      return picture
    }
    var black = try picture(on: Colour(0))
    let white = try picture(on: Colour(255))
    white.withViews(into: &black) { Self.separate($1, $0) }
    self.init(black, x: x, y: y)
  }

  /// Creates an overlay from an image in premultiplied rgba8.
  private init(_ picture: Image, x: Int, y: Int) {
    (self.x, self.y) = (x, y)
    self.picture = picture
    runs = picture.withView(Self.runs)
  }

  /// Returns a mixture of this overlay and another one, for the frames in which the screen changes to a new
  /// layout after the device was rotated. Both overlays are stretched to the same size and then mixed. At
  /// first, this overlay is stretched by the same factors as the image of the old screen.
  ///
  /// - Parameters:
  ///   - end: The overlay for the rotated screen, with its position on that screen.
  ///   - share: The progress of the turn, from 0 to 1, which is also the weight of `end`.
  ///   - old: The layout of the screen before the rotation, for which this overlay was made.
  ///   - new: The layout of the rotated screen.
  func becoming(
    _ end: Overlay, _ share: Double, from old: ImageLayout, to new: ImageLayout
  ) throws(BlurError) -> Overlay {
    /// Returns the current coordinate of an edge of the overlay. The edge moves from `first` on the old
    /// screen to `last` on the new screen. In this direction, the old screen is `side` pixels long, and the
    /// new screen is `newSide` pixels long.
    func between(_ first: Int, of side: Int, _ last: Int, of newSide: Int) -> Int {
      Int((Double(first * newSide) / Double(side) * (1 - share) + Double(last) * share).rounded())
    }
    let left = between(x, of: old.width, end.x, of: new.width)
    let top = between(y, of: old.height, end.y, of: new.height)
    let right = between(x + width, of: old.width, end.x + end.width, of: new.width)
    let bottom = between(y + height, of: old.height, end.y + end.height, of: new.height)
    var mixed = try Image(.rgba8, width: max(1, right - left), height: max(1, bottom - top))
    var above = try Image(mixed.layout)
    mixed.stretch(picture)
    above.stretch(end.picture)
    mixed.mix(in: above, share)
    return Overlay(mixed, x: left, y: top)
  }

  /// The size of the overlay in pixels.
  var width: Int { picture.layout.width }
  var height: Int { picture.layout.height }

  /// Sets the alpha of each pixel in the image that was drawn on black. The alpha is computed from the
  /// difference between this pixel and the same pixel in the image that was drawn on white.
  private static func separate(_ black: MutableImageView, _ white: ImageView) {
    for y in 0..<white.layout.height {
      for x in 0..<white.layout.width {
        // SAFETY: both images are rgba8 and have the same size, and (x, y) is inside that size.
        let pixel = (black.unsafeRow(y) + 4 * x).assumingMemoryBound(to: UInt8.self)
        let other = (white.unsafeRow(y) + 4 * x).assumingMemoryBound(to: UInt8.self)
        pixel[3] = UInt8(255 - max(Int(other[0]) - Int(pixel[0]), 0))
      }
    }
  }

  /// Returns the runs of pixels whose alpha is greater than 0.
  private static func runs(_ picture: ImageView) -> [Run] {
    (0..<picture.layout.height).flatMap { y in
      var runs: [Run] = []
      for x in 0..<picture.layout.width
      where picture.unsafeRow(y).load(fromByteOffset: 4 * x + 3, as: UInt8.self) > 0 {
        if let last = runs.last, last.x.upperBound == x {
          runs[runs.count - 1].x = last.x.lowerBound..<x + 1
        } else {
          runs.append((y, x..<x + 1))
        }
      }
      return runs
    }
  }

  /// Draws the overlay onto the screen, moved by `right` and `down` pixels from its position. Pixels outside
  /// the screen are skipped.
  func draw(onto screen: MutableImageView, right: Int = 0, down: Int = 0, opacity: Double = 1) {
    let share = Compositing.share(opacity)
    let (x, y) = (x + right, y + down)
    let (rows, columns) = (-y..<screen.layout.height - y, -x..<screen.layout.width - x)
    picture.withView { picture in
      for run in runs where rows.contains(run.y) {
        let visible = run.x.clamped(to: columns)
        guard !visible.isEmpty else { continue }
        // SAFETY: `run` is a range of pixels in one row of the overlay's image. `visible` is the part of this
        // range that lies on the screen, and the row lies on the screen, too. So all pixels that are read and
        // written exist.
        Self.lay(
          picture.unsafeRow(run.y) + 4 * visible.lowerBound, share,
          over: screen.unsafeRow(y + run.y) + 4 * (x + visible.lowerBound), count: visible.count)
      }
    }
  }

  /// Composites premultiplied pixels by source-over: new · s + old · (1 − alpha · s). Here s is the opacity,
  /// which the parameter `share` gives in 256ths.
  private static func lay(
    _ above: UnsafeRawPointer, _ share: Int, over target: UnsafeMutableRawPointer, count: Int
  ) {
    // SAFETY: the caller guarantees that both pointers refer to `count` pixels of four bytes.
    let above = above.assumingMemoryBound(to: UInt8.self)
    let target = target.assumingMemoryBound(to: UInt8.self)
    let weight = UInt32(share) * 255
    for i in stride(from: 0, to: 4 * count, by: 4) {
      let rest = 65280 - UInt32(above[i + 3]) * UInt32(share)
      for c in i..<i + 4 {
        // An opaque pixel at full opacity replaces the old pixel exactly. The sum cannot overflow, because it
        // is at most 2 · 255 · 65280.
        let sum = UInt32(above[c]) &* weight &+ UInt32(target[c]) &* rest &+ 32640
        target[c] = rest == 0 ? above[c] : UInt8(truncatingIfNeeded: sum / 65280)
      }
    }
  }
}
