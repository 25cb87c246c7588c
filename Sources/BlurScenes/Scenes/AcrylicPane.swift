import Blur
import BlurVerification

/// A scene in which a navigation panel slides in from the left, over a scrolling list. The panel looks like
/// acrylic: it blurs and tints the content below it, and adds noise. The panel is the only layer of the
/// scene.
final class AcrylicPane: Layer {
  static let effect = BackdropEffect.acrylic(
    tint: .init(red: 0.95, green: 0.96, blue: 0.98, alpha: 0.55)
  ).mirrored
  /// The transition that moves the panel. The panel slides in within 0.2 seconds, stays open, and slides out
  /// again.
  static let slide = Transition(frames: 12, end: 119, easing: Transition.easeInOut)

  static let scene = Scene(
    name: "acrylic",
    summary: "a navigation pane of acrylic material slides in over a scrolling feed",
    why: """
      The acrylic material of desktop systems. A pane along the left side slides in within 0.2 seconds, and \
      later slides out again, while the feed below it keeps scrolling. The effect consists of a blur with a \
      standard deviation of 30 points, a white layer in the blend mode `exclusion`, a tint, and noise that \
      is fixed to the screen. The noise hides the bands that such a strong blur leaves in 8 bits.
      """,
    frames: 120,
    app: .feed(speed: 2),
    // The moving edge of the panel would count as a sudden change, so only frames with the panel at rest are
    // checked.
    checked: { slide.progress($0) == 1 ? 0 : nil },
    layers: { (_, stage) throws(BlurError) in [try AcrylicPane(stage)] })

  private let pane: Backdrop
  private let signs: Overlay
  private var blurred: Image
  let blur: LargestBlur?

  init(_ stage: Stage) throws(BlurError) {
    let (device, effect) = (stage.device, Self.effect)
    let points = min(320, device.box.width * 0.6)
    let width = max(1, min(device.width, device.pixels(points)))
    pane = try Backdrop(
      effect, stage, on: device, region: Region(x: 0, y: 0, width: width, height: device.height),
      isIsolated: stage.isIsolated)
    signs = try Overlay(width: width, height: device.height, scale: device.scale) {
      Self.signs($0, points, device.box.height, stage.seed)
    }
    blurred = try device.image()
    blur = (
      try ImageLayout(.rgba8, width: width, height: device.height), effect.sigma * device.scale, effect.edge
    )
  }

  private static func signs(_ canvas: Canvas, _ width: Double, _ height: Double, _ seed: UInt64) {
    var random = SplitMix64(seed: seed, 95)
    for row in 0..<max(0, min(9, Int((height - 90) / 44))) {
      let y = 70 + 44 * Double(row)
      if row == 1 { canvas.fill(Box(8, y + 10, 3, 16), Colour.accents[0], radius: 1.5) }
      canvas.fill(Box(20, y + 9, 18, 18), row == 1 ? Colour.accents[0] : Colour.faded, radius: 4)
      Lettering(size: 14, colour: Colour.ink)
        .line(canvas, x: 54, y: y + 11, width: width - 70, words: 2, &random)
    }
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    let covered = Int((Self.slide.progress(frame.number) * Double(pane.region.width)).rounded())
    guard covered > 0 else { return }
    // The whole panel is blurred, as if it were completely open, even if only a part of it is visible.
    try pane.show(content, in: &blurred)
    let strip = Region(x: 0, y: 0, width: covered, height: pane.region.height)
    try screen.overwrite(strip, with: blurred)
    try screen.withMutableView { (screen) throws(BlurError) in
      signs.draw(onto: try screen.cropped(to: strip), right: covered - pane.region.width)
    }
  }

  func clear(_ frame: Frame) -> Region? { pane.region }
}
