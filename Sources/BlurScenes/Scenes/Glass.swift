import Blur
import BlurVerification

/// A scene with a glass bar over a scrolling list of posts. The content below the bar is lightly blurred, and
/// the bar's rounded rim (its bezel) distorts this content like a lens. The bar is the only layer of the
/// scene.
final class Glass: Layer {
  static let effect = BackdropEffect(
    name: "glass", sigma: 4, saturation: 1.4, matrix: .filterEffects, tint: .init(white: 1, alpha: 0.18),
    edge: .mirror)
  /// The dimensions of the glass bar in points: its maximum width, its height, and its distance from the
  /// bottom of the screen.
  static let width = 360.0, height = 64.0, bottom = 40.0
  /// The width of the bar's rounded rim (`bezel`), and the largest distance by which this rim displaces the
  /// content (`strength`), both in points.
  static let bezel = 18.0, strength = 22.0

  static let scene = Scene(
    name: "glass",
    summary:
      "a glass bar over a scrolling feed, with a light blur, refraction at the rounded edge, and a tint",
    why: """
      The glass material of current systems, approximated by geometry, because vendors publish no formula. \
      The content below a bar is blurred lightly and tinted, and the rounded bezel of the bar shows content \
      from beyond its edge, as a lens does. The feed scrolls, so everything is rendered again in each \
      frame. The blurred area and sigma are small; this scene measures the whole chain of steps.
      """,
    frames: 120,
    app: .feed(speed: 3),
    layers: { (_, stage) throws(BlurError) in [try Glass(stage)] })

  private let device: Device
  private let plan: EffectPlan
  private let refraction: Refraction
  private let shape: CardShape
  private let signs: Overlay
  /// The region that the bar covers, in pixels.
  private let bar: Region
  /// Two images of the content below and around the bar: the original (`around`), and the same content
  /// blurred and tinted (`blurredAround`).
  private var around: Image, blurredAround: Image
  /// The image that a person sees through the bar.
  private var lens: Image

  init(_ stage: Stage) throws(BlurError) {
    device = stage.device
    let scale = device.scale
    let points = min(Self.width, device.box.width - 32)
    let width = max(1, device.pixels(points))
    let height = min(device.height, max(1, device.pixels(Self.height)))
    bar = Region(
      x: max(0, (device.width - width) / 2),
      y: max(0, device.height - height - device.pixels(Self.bottom)),
      width: min(width, device.width), height: height)
    shape = try CardShape(width: bar.width, height: bar.height, radius: Self.height / 2 * scale)
    refraction = Refraction(shape.outline, bezel: Self.bezel * scale, strength: Self.strength * scale)
    let margin = 2 * refraction.margin
    around = try Image(.rgba8, width: bar.width + margin, height: bar.height + margin)
    blurredAround = try Image(around.layout)
    lens = try Image(.rgba8, width: bar.width, height: bar.height)
    plan = try EffectPlan(Self.effect, for: around.layout, stage)
    signs = try Overlay(width: bar.width, height: bar.height, scale: scale) {
      Self.signs($0, points, stage.seed)
    }
  }

  private static func signs(_ canvas: Canvas, _ width: Double, _ seed: UInt64) {
    var random = SplitMix64(seed: seed, 97)
    canvas.outline(Box(0, 0, width, Self.height), Colour.paper, radius: Self.height / 2)
    for i in 0..<4 {
      let x = width * (Double(i) + 0.5) / 4
      canvas.fill(Box(x - 10, 13, 20, 20), Colour.ink, radius: i % 2 == 0 ? 5 : 10)
      Lettering(size: 10, colour: Colour.ink)
        .line(canvas, x: x, y: 40, width: width / 5, words: 1, isCentred: true, &random)
    }
  }

  var blur: LargestBlur? { (around.layout, Self.effect.sigma * device.scale, Self.effect.edge) }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    try look(content)
    try content.withView { (content) throws(BlurError) in
      try lens.withViews(into: &screen) { (lens, screen) throws(BlurError) in
        let target = try screen.cropped(to: bar)
        target.copyPixels(of: lens)
        shape.blend(try content.cropped(to: bar), into: target, lens.layout.bounds)
        signs.draw(onto: target)
      }
    }
  }

  /// Renders the image `lens`: blurs the content below and around the bar, and then applies the distortion of
  /// the bar's rounded rim.
  private func look(_ content: Image) throws(BlurError) {
    around.gather(content, x: bar.x - refraction.margin, y: bar.y - refraction.margin)
    try around.withViews(into: &blurredAround) { (around, blurred) throws(BlurError) in
      try plan.apply(to: around, into: blurred)
    }
    try blurredAround.withViews(into: &lens) { (blurred, lens) throws(BlurError) in
      try refraction.bend(blurred, into: lens)
    }
  }

  /// Returns a region in the middle of the glass bar, between its icons. The bar's rounded rim is left out,
  /// because it also shows scrolling content from outside the bar.
  func clear(_ frame: Frame) -> Region? {
    let bezel = device.pixels(Self.bezel)
    // The bar has four labelled icons, each centred in its own quarter of the bar. A label is at most a fifth
    // of the bar wide, so it does not fill its quarter. This leaves the middle of the bar free, where the
    // second and the third quarter meet.
    let width = bar.width / 24
    guard width > 0, bar.height > 2 * bezel else { return nil }
    return Region(
      x: bar.x + (bar.width - width) / 2, y: bar.y + bezel, width: width, height: bar.height - 2 * bezel)
  }
}
