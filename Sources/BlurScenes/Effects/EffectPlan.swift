import Blur
import Synchronization

/// A prepared effect, which blurs an image of the screen and changes its colours. The plan can be applied any
/// number of times to images of one layout, and no memory is allocated when it is applied. If the user has
/// reduced transparency, the plan shows a plain colour instead, and no blur is planned.
///
/// The colours of a row are changed as soon as the row has been blurred, while the row is still in the cache.
/// If a strong blur covers a whole image and mirrors its edges, it is computed at a quarter of the width and
/// height (``EnlargedPlan``).
final class EffectPlan: Sendable {
  /// The part of the screen that the plan renders.
  let region: Region
  private let layout: ImageLayout
  /// The plan for the blur, which is the first step of the effect, or nil if a plain colour replaces it.
  private let blur: BlurPlan?
  private let steps: Mutex<ColourSteps>
  private let wide: WideImages?
  /// An image that is one row high and filled with the plain colour.
  private let plain: Image

  /// Plans an effect.
  ///
  /// - Parameters:
  ///   - layout: The layout of the images of the screen, in the format rgba8.
  ///   - region: The part of the screen to render, or nil for the whole screen.
  /// - Throws: The errors that ``Blur/BlurPlan`` throws.
  /// - Precondition: ``BackdropEffect/violation`` of the effect is nil.
  init(
    _ effect: BackdropEffect, for layout: ImageLayout, region: Region? = nil, _ stage: Stage
  ) throws(BlurError) {
    if let violation = effect.violation { preconditionFailure("effect \(violation)") }
    try layout.check("screen", is: ImageLayout(.rgba8, width: layout.width, height: layout.height))
    self.layout = layout
    self.region = region ?? layout.bounds
    var plain = try Image(.rgba8, width: self.region.width, height: 1)
    plain.fill(Colour.ground)
    self.plain = plain
    let isWide = stage.precision != .bytes && !stage.reduceTransparency
    wide = isWide ? stage.wide : nil
    guard !stage.reduceTransparency else {
      blur = nil
      steps = Mutex(try ColourSteps(effect, self.region, stage))
      return
    }
    let blurred =
      isWide ? try ImageLayout(.rgba16, width: layout.width, height: layout.height) : layout
    var parameters = BlurParameters(
      sigma: try Sigma(effect.sigma * stage.device.scale), edge: effect.edge)
    parameters.region = region
    parameters.instructionSet = stage.isa
    var blur =
      if let kernel = stage.kernel {
        try BlurPlan(kernel, for: blurred, parameters, threads: stage.threads, scratch: stage.scratch)
      } else {
        try BlurPlan(for: blurred, parameters, threads: stage.threads, scratch: stage.scratch)
      }
    let isEnlarged = EnlargedPlan.suits(blur)
    let steps = try ColourSteps(effect, self.region, stage, changesColours: !isEnlarged)
    self.steps = Mutex(steps)
    if isEnlarged {
      blur = try BlurPlan(
        EnlargedPlan(blur, steps), blur.kernel, blur.choice, for: layout, blur.parameters,
        threads: stage.threads, scratch: stage.scratch)
    }
    try wide?.reserve(blur)
    self.blur = blur
  }

  /// Applies the effect to `screen` and writes the result to `target`, which must have the size of
  /// ``region``.
  ///
  /// Each result is (screen · (256 − w) + effect · w) / 256, rounded, where w is the opacity in 256ths.
  ///
  /// - Parameter opacity: The opacity of the effect, rounded to 256ths: 0 shows the screen itself, 1 shows
  ///   only the effect.
  /// - Throws: ``Blur/BlurError/layoutMismatch(of:expected:found:)``, ``Blur/BlurError/overlap(kernel:)``.
  func apply(
    to screen: ImageView, into target: MutableImageView, opacity: Double = 1
  ) throws(BlurError) {
    try target.layout.check(
      "result", is: ImageLayout(.rgba8, width: region.width, height: region.height))
    try screen.layout.check("screen", is: layout)
    // This comparison is false if the opacity is NaN, so the weight is 0 in that case.
    let weight = opacity > 0 ? Compositing.share(opacity) : 0
    let under = try screen.cropped(to: region)
    guard weight > 0, let blur else {
      target.copyPixels(of: under)
      return plain.withView { Compositing.mix(row: $0, weight, into: target) }
    }
    try steps.withLock { (steps) throws(BlurError) in
      steps.application = (under, target, weight)
      defer { steps.application = nil }
      guard let wide else { return try blur.blur(screen, into: target, epilogue: steps) }
      let read = try screen.cropped(to: blur.reads)
      guard read.isApart(from: target) else { throw .overlap(kernel: blur.kernel.name) }
      try wide.blur(read, by: blur, steps)
    }
  }
}
