import Blur

/// A layer that blurs either the whole screen or a bar at the top of the screen.
final class BackdropLayer: Layer {
  /// The appearance of the layer in one frame.
  struct Look {
    let effect: BackdropEffect
    /// The height of the bar in points, or nil to cover the whole screen.
    var height: Double?
    /// The opacity of the effect. If it is 0, the layer is invisible and nothing is planned for it.
    var opacity = 1.0
  }

  private(set) var blur: LargestBlur?
  private let devices: [Device]
  /// For each frame, the blurred background of the layer (`backdrops`), which is nil if no blur is drawn, and
  /// the layer's opacity (`opacities`). Frames with the same effect, height and orientation share one plan.
  private var backdrops: [Backdrop?] = []
  private var opacities: [Double] = []
  /// Memory for an image of the app together with all lower layers, or nil if the layer blurs only the app.
  private var below: Image?

  /// Plans a layer that blurs either the whole screen or a bar at the top.
  ///
  /// - Parameters:
  ///   - blursLayers: Whether the layer blurs the lower layers together with the app. Such a layer must cover
  ///     the whole screen. Drawing it replaces the prepared image of the screen, so a frame must be prepared
  ///     again before it is drawn a second time.
  ///   - isDecoration: Whether the layer is left out if the user has reduced transparency. Other layers are
  ///     drawn in a plain colour in that case.
  ///   - look: A closure that returns the appearance of the layer in a frame.
  init(
    _ scene: Scene, _ stage: Stage, blursLayers: Bool = false, isDecoration: Bool = false,
    look: (_ frame: Int) -> Look
  ) throws(BlurError) {
    struct Key: Hashable { let effect: BackdropEffect, region: Region, orientation: Int }
    devices = scene.orientations(of: stage.device)
    below = blursLayers ? try stage.device.image() : nil
    var planned: [Key: Backdrop] = [:]
    for frame in 0..<scene.frames {
      let (look, orientation) = (look(frame), scene.orientation(frame))
      opacities.append(look.opacity)
      backdrops.append(nil)
      guard look.opacity > 0 else { continue }
      let device = devices[orientation]
      let region = look.height.map { device.bar(height: $0) } ?? device.bounds
      let sigma = look.effect.sigma * device.scale
      if sigma > blur?.sigma ?? 0 {
        blur = (try ImageLayout(.rgba8, width: region.width, height: region.height), sigma, look.effect.edge)
      }
      if isDecoration, stage.reduceTransparency { continue }
      let key = Key(effect: look.effect, region: region, orientation: orientation)
      if planned[key] == nil {
        planned[key] = try Backdrop(
          look.effect, stage, on: device, region: region, isIsolated: stage.isIsolated)
      }
      backdrops[frame] = planned[key]
    }
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    guard let backdrop = backdrops[frame.number] else { return }
    if below != nil { swap(&screen, &below!) }
    try backdrop.show(below ?? content, in: &screen, opacity: opacities[frame.number])
  }

  func clear(_ frame: Frame) -> Region? {
    backdrops[frame.number]?.region ?? devices[frame.orientation].bounds
  }
}
