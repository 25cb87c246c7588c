import Blur

/// What is seen through a modal, a bar or a sheet: an effect made ready, or a plain colour where transparency
/// is reduced. In that case nothing is planned.
struct Backdrop {
  /// The part of the screen that it covers.
  let region: Region
  private let plan: EffectPlan?
  private let isIsolated: Bool
  /// A row of the plain colour.
  private let plain: Image

  /// Plans the effect for a part of a device's screen, or for all of it.
  ///
  /// - Parameters:
  ///   - isIsolated: the region is cut out before it is blurred, so that nothing outside can bleed in.
  init(
    _ effect: BackdropEffect, _ stage: Stage, on device: Device, region: Region? = nil,
    isIsolated: Bool = false
  ) throws(BlurError) {
    let screen = try ImageLayout(.rgba8, width: device.width, height: device.height)
    self.region = region ?? screen.bounds
    self.isIsolated = isIsolated
    var plain = try Image(.rgba8, width: self.region.width, height: 1)
    plain.withMutableView { view in
      Canvas(view, scale: 1).fill(Box(0, 0, Double(view.layout.width), 1), Palette.ground)
    }
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

  /// The image that is blurred.
  var blurred: ImageLayout {
    get throws(BlurError) { try ImageLayout(.rgba8, width: region.width, height: region.height) }
  }

  /// Makes its region of the screen from the content below; the rest of the screen stays.
  ///
  /// - Parameter opacity: 0 shows the content itself, 1 the whole effect.
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
  /// The effect with the screen mirrored at the edge, as whatever is blurred live must be: with a repeated
  /// edge, the row that touches it would colour half of what is seen there, and change from one frame to the
  /// next.
  var mirrored: BackdropEffect {
    var effect = self
    effect.edge = .mirror
    return effect
  }
}

extension EffectPlan {
  /// Plans an effect of a scene, whose numbers are constants and allowed.
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
