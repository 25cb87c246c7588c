import Blur

/// The blurred background of a dialog, a bar, or another panel that lies over the screen. It shows the screen
/// content below it under a blur effect. If the user has reduced transparency, it shows a plain colour
/// instead, and no blur is planned.
struct Backdrop {
  /// The part of the screen that the blurred background covers, in pixels.
  let region: Region
  private let plan: EffectPlan?
  private let isIsolated: Bool
  /// An image of one row with the plain colour that replaces the blur if the user has reduced transparency.
  private let plain: Image

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
    let screen = try ImageLayout(.rgba8, width: device.width, height: device.height)
    self.region = region ?? device.bounds
    self.isIsolated = isIsolated
    var plain = try Image(.rgba8, width: self.region.width, height: 1)
    plain.fill(Palette.ground)
    self.plain = plain
    guard !stage.settings.reduceTransparency else {
      plan = nil
      return
    }
    let layout =
      isIsolated
      ? try ImageLayout(
        .rgba8, width: self.region.width, height: self.region.height, stride: screen.stride) : screen
    plan = try EffectPlan.constant(
      effect, for: layout, scale: device.scale, region: isIsolated ? nil : region, stage)
  }

  /// The layout of the blurred image, which has the size of ``region``.
  var blurred: ImageLayout {
    get throws(BlurError) { try ImageLayout(.rgba8, width: region.width, height: region.height) }
  }

  /// Draws the blurred background into its part of `screen`. The rest of the screen does not change.
  ///
  /// - Parameters:
  ///   - content: The image of the whole screen that is blurred.
  ///   - opacity: The opacity of the effect: 0 shows the unblurred content, 1 shows only the effect.
  func show(_ content: Image, in screen: inout Image, opacity: Double = 1) throws(BlurError) {
    try content.withView { (content) throws(BlurError) in
      try screen.withMutableView { (screen) throws(BlurError) in
        let below = try content.cropped(to: region)
        let target = try screen.cropped(to: region)
        guard opacity > 0 else { return Compositing.copy(below, into: target) }
        if let plan {
          try plan.apply(to: isIsolated ? below : content, into: target, opacity: opacity)
        } else {
          Compositing.copy(below, into: target)
          plain.withView { Compositing.mix(row: $0, Compositing.share(opacity), into: target) }
        }
      }
    }
  }
}

extension BackdropEffect {
  /// A copy of the effect that mirrors the image at its edges. If the outermost row of pixels were repeated
  /// instead, it would determine half of the blurred colour next to the edge. The blurred background would
  /// then flash whenever this row changes from one frame to the next.
  var mirrored: BackdropEffect {
    var effect = self
    effect.edge = .mirror
    return effect
  }
}

extension EffectPlan {
  /// Plans an effect that is defined in the code of a scene. Its numbers are constants in this module, so an
  /// invalid number is a programming error.
  static func constant(
    _ effect: BackdropEffect, for layout: ImageLayout, scale: Double, region: Region?, _ stage: Stage
  ) throws(BlurError) -> EffectPlan {
    var effect = effect
    effect.precision = stage.settings.precision
    do throws(EffectError) {
      return try EffectPlan(
        effect, for: layout, scale: scale, region: region, kernel: stage.kernel, isa: stage.isa,
        threads: stage.threads, scratch: stage.scratch, wide: stage.wide)
    } catch {
      switch error {
      case .blur(let error): throw error
      case .invalid: preconditionFailure("\(error)")
      }
    }
  }
}
