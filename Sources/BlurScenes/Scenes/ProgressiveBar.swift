import Blur
import BlurVerification

/// A scene with a bar at the top of the screen that has no visible edge. The content below the bar is blurred
/// more and more towards the top of the screen. The bar is the only layer.
final class ProgressiveBar: Layer {
  /// The height of the bar, and the largest standard deviation of its blur, in points.
  static let height = 120.0, sigma = 16.0
  /// The number of frames in each half of the scene. In the first half, the bar's blur is mixed from many
  /// blurs whose standard deviations differ only slightly. In the second half, it is mixed from only eight
  /// blurs.
  static let half = 60

  static let scene = Scene(
    name: "progressive-bar",
    summary:
      "a feed scrolls below a bar whose blur grows towards the top, mixed from many blurs, then from eight",
    why: """
      The soft upper edge of scrolling content in current interfaces. Sigma grows from 0 at the lower end \
      of a strip of 120 points to 16 points at the top of the screen, so no line shows where the bar \
      begins. No single convolution can do this. In the first second, the image is mixed from many blurs, \
      and the sigma of each blur differs from the next one by a tenth. Apart from rounding, the result is \
      within one level of the exact result. After that, the image is mixed from eight layers at equal \
      distances, as on the web. The content scrolls, and everything is rendered again in each frame.
      """,
    frames: 2 * half,
    app: .feed(speed: 3, restart: half),
    checked: { $0 == half ? nil : 0 },
    layers: { (_, stage) throws(BlurError) in [try ProgressiveBar(stage)] })

  private let device: Device
  /// The plans for the two halves of the scene, or an empty array if a plain colour replaces the blur.
  private let plans: [VariableBlurPlan]
  private let signs: Overlay
  private let strip: Region
  let blur: LargestBlur?

  init(_ stage: Stage) throws(BlurError) {
    device = stage.device
    strip = device.bar(height: Self.height)
    let layout = try ImageLayout(.rgba8, width: strip.width, height: strip.height)
    let sigma = Self.sigma * device.scale
    blur = (layout, sigma, .mirror)
    let mask = try Self.mask(layout)
    var plans: [VariableBlurPlan] = []
    for method in [VariableMethod.levels, .layers] where !stage.reduceTransparency {
      plans.append(
        try VariableBlurPlan(
          for: layout, sigma: sigma, mask: mask, edge: .mirror, method: method, kernel: stage.kernel,
          isa: stage.isa, threads: stage.threads, scratch: stage.scratch))
    }
    self.plans = plans
    signs = try Overlay(width: strip.width, height: strip.height, scale: device.scale) {
      let width = stage.device.box.width
      var random = SplitMix64(seed: stage.seed, 79)
      $0.statusBar(width: width, Colour.ink, seed: stage.seed)
      Lettering(size: 24, colour: Colour.ink, weight: 0.16)
        .line($0, x: 16, y: 40, width: width - 32, words: 3, &random)
    }
  }

  /// Returns the mask that controls how strongly each row of the bar is blurred. Its values fall from 255 in
  /// the first row to almost 0 in the last row. Near the lower end of the bar, the blur is so weak that no
  /// pixel depends on the content below the bar.
  private static func mask(_ layout: ImageLayout) throws(BlurError) -> Image {
    var mask = try Image(.gray8, width: layout.width, height: layout.height)
    mask.withMutableView { view in
      for y in 0..<layout.height {
        let value = UInt8(255 * (layout.height - y) / layout.height)
        // SAFETY: y is a row of the mask, and a row of a gray8 image holds one byte for each of its `width`
        // pixels.
        view.unsafeRow(y).initializeMemory(as: UInt8.self, repeating: value, count: layout.width)
      }
    }
    return mask
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    try content.withViews(into: &screen) { (content, screen) throws(BlurError) in
      let target = try screen.cropped(to: strip)
      if plans.isEmpty {
        Canvas(target, scale: 1)
          .fill(Box(0, 0, Double(strip.width), Double(strip.height)), Colour.ground)
      } else {
        let plan = plans[frame.number < Self.half ? 0 : 1]
        try plan.blur(try content.cropped(to: strip), into: target)
      }
      signs.draw(onto: target)
    }
  }

  /// Returns the rows between the status bar and the title. Rows further down are left out, because the
  /// content is hardly blurred there.
  func clear(_ frame: Frame) -> Region? {
    let (top, bottom) = (device.pixels(21), min(device.pixels(39), strip.height))
    return top < bottom ? Region(x: 0, y: top, width: strip.width, height: bottom - top) : nil
  }
}
