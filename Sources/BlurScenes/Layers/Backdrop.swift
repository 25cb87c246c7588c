import Blur

/// The blurred background of a dialog, a bar, or another panel that lies over the screen. It shows the screen
/// content below the panel, changed by a blur effect.
struct Backdrop {
  /// The part of the screen that the blurred background covers, in pixels.
  let region: Region
  private let plan: EffectPlan
  private let isIsolated: Bool

  /// Plans the blur for the background of a panel. The background covers a part of a device's screen, or the
  /// whole screen.
  ///
  /// - Parameters:
  ///   - region: The part of the screen to cover, or nil for the whole screen.
  ///   - isIsolated: Whether the region is cropped out of the screen before the blur, so that pixels outside
  ///     the region do not affect the result.
  init(
    _ effect: BackdropEffect, _ stage: Stage, on device: Device, region: Region? = nil,
    isIsolated: Bool = false
  ) throws(BlurError) {
    self.region = region ?? device.bounds
    self.isIsolated = isIsolated
    let screen = try device.layout
    let cropped = try ImageLayout(
      .rgba8, width: self.region.width, height: self.region.height, stride: screen.stride)
    plan = try EffectPlan(
      effect, for: isIsolated ? cropped : screen, region: isIsolated ? nil : region, stage)
  }

  /// Draws the blurred background into its part of `screen`. The rest of the screen does not change.
  ///
  /// - Parameters:
  ///   - content: The image of the whole screen, which is to be blurred.
  ///   - opacity: The opacity of the effect: 0 shows the unblurred content, 1 shows only the effect.
  func show(_ content: Image, in screen: inout Image, opacity: Double = 1) throws(BlurError) {
    try content.withViews(into: &screen) { (content, screen) throws(BlurError) in
      try plan.apply(
        to: isIsolated ? try content.cropped(to: region) : content,
        into: try screen.cropped(to: region), opacity: opacity)
    }
  }
}
