import Blur

/// A card with rounded corners that shows the screen below it, changed by a blur effect. The position of the
/// card may be a fraction of a pixel, and the card may lie partly outside the screen.
///
/// As with the CSS property `backdrop-filter`, the blur reads only the pixels below the card, and mirrors
/// them at the card's edges. Where the card extends beyond the screen, the screen content is mirrored too.
/// The size of a card is fixed, so moving the card requires neither a new plan nor an allocation.
final class Pane {
  /// The size of the card in pixels.
  let width: Int, height: Int
  private let plan: EffectPlan
  private var shape: CardShape
  /// The layout of the image that is blurred. The image has one row and one column more than the card,
  /// because a card at a fractional position touches one more row and one more column of pixels.
  let blurred: ImageLayout
  private let memory: PaneMemory

  /// Plans the blur effect of a card with rounded corners.
  ///
  /// - Parameters:
  ///   - width, height: The size of the card in pixels, at least 1.
  ///   - radius: The corner radius in points.
  ///   - other: Another card whose memory this card shares, or nil to allocate separate memory. The two cards
  ///     must never be shown at the same time.
  init(
    _ effect: BackdropEffect, _ stage: Stage, width: Int, height: Int, radius: Double,
    sharingMemoryOf other: Pane? = nil
  ) throws(BlurError) {
    (self.width, self.height) = (width, height)
    shape = try CardShape(width: width, height: height, radius: radius * stage.device.scale)
    blurred = try ImageLayout(.rgba8, width: width + 1, height: height + 1)
    memory = if let other { other.memory } else { try PaneMemory(blurred) }
    plan = try EffectPlan(effect, for: blurred, stage)
  }

  /// Returns the part of the screen that the card touches if its top-left corner is at (x, y), or nil if the
  /// card is outside the screen.
  func touched(x: Double, y: Double, of screen: Region) -> Region? {
    Region(x: Int(x.rounded(.down)), y: Int(y.rounded(.down)), width: width + 1, height: height + 1)
      .intersection(screen)
  }

  /// Draws the card onto `screen`, over the content below it.
  ///
  /// - Parameters:
  ///   - content: The image of the whole screen without the card.
  ///   - x, y: The position of the top-left corner of the card, in pixels of the screen.
  ///   - prepared: An image of the whole screen to which the effect has already been applied, or nil to blur
  ///     the pixels below the card now.
  func show(
    _ content: Image, in screen: inout Image, x: Double, y: Double, prepared: Image? = nil
  ) throws(BlurError) {
    guard let region = touched(x: x, y: y, of: screen.layout.bounds) else { return }
    let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    shape.place(x - Double(left), y - Double(top))
    if prepared == nil, region.width <= width || region.height <= height {
      memory.become(blurred)
      memory.below.gather(content, x: left, y: top)
    }
    try content.withViews(into: &screen) { (content, screen) throws(BlurError) in
      let (content, target) = (try content.cropped(to: region), try screen.cropped(to: region))
      let part = Region(x: region.x - left, y: region.y - top, width: region.width, height: region.height)
      if let prepared {
        try prepared.withView { (prepared) throws(BlurError) in
          target.copyPixels(of: try prepared.cropped(to: region))
        }
      } else {
        try fill(target, part, content)
      }
      shape.blend(content, into: target, part)
    }
  }

  /// Applies the blur effect to the content below the card, and writes the visible part of the result to
  /// `target`. If the card lies partly outside the screen, the blur reads a copy of the content
  /// (`memory.below`), which is continued beyond the edges of the screen by mirroring.
  private func fill(_ target: MutableImageView, _ part: Region, _ content: ImageView) throws(BlurError) {
    if part.width > width, part.height > height { return try plan.apply(to: content, into: target) }
    try memory.below.withViews(into: &memory.seen) { (below, seen) throws(BlurError) in
      try plan.apply(to: below, into: seen)
    }
    try memory.seen.withView { (seen) throws(BlurError) in
      target.copyPixels(of: try seen.cropped(to: part))
    }
  }
}

/// Memory for drawing a card that lies partly outside the screen. It holds two images: the screen content
/// below the card (`below`), and the same content after the blur effect (`seen`).
private final class PaneMemory {
  var below: Image, seen: Image

  init(_ layout: ImageLayout) throws(BlurError) {
    below = try Image(layout)
    seen = try Image(layout)
  }

  func become(_ layout: ImageLayout) {
    below.become(layout)
    seen.become(layout)
  }
}
