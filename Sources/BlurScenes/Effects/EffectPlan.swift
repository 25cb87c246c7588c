import Blur
import Synchronization

/// A prepared effect, which blurs an image of the screen and changes its colours. It can be applied to images
/// of one layout, any number of times, without allocating memory.
///
/// The colours of a row are changed as soon as the row has been blurred, while the row is still in the cache.
final class EffectPlan: Sendable {
  /// The effect that the plan applies.
  let effect: BackdropEffect
  /// The part of the screen that the plan renders.
  let region: Region
  /// The plan for the blur, which is the first step of the effect.
  let blur: BlurPlan

  private let epilogue: Mutex<EffectEpilogue>
  private let wide: WideImages?

  /// Plans an effect.
  ///
  /// - Parameters:
  ///   - layout: The layout of the images of the screen, in the format rgba8.
  ///   - scale: The number of pixels per point.
  ///   - region: The part of the screen to render, or nil for the whole screen.
  ///   - kernel: The kernel that blurs, or nil for the library's choice.
  ///   - isa: The widest instruction set to use.
  ///   - threads: The number of threads that work on a frame.
  ///   - scratch: The scratch memory of other plans that never blur at the same time as this one, or nil to
  ///     allocate separate memory.
  ///   - wide: The 16-bit images that this plan shares with plans that never blur at the same time. No memory
  ///     is allocated for the images if all of these plans round their blurs to bytes.
  /// - Throws: ``EffectError/invalid(_:)``, and ``EffectError/blur(_:)`` with an error of ``Blur/BlurPlan``.
  init(
    _ effect: BackdropEffect, for layout: ImageLayout, scale: Double, region: Region? = nil,
    kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1, scratch: SharedScratch? = nil,
    wide: WideImages = WideImages()
  ) throws(EffectError) {
    try effect.check()
    self.effect = effect
    self.region = region ?? layout.bounds
    do throws(BlurError) {
      try layout.check("screen", is: .rgba8, layout.width, layout.height)
      let isWide = effect.precision != .bytes
      let blurred =
        isWide ? try ImageLayout(.rgba16, width: layout.width, height: layout.height) : layout
      epilogue = Mutex(EffectEpilogue(try ColourSteps(effect, isa), self.region, isWide: isWide))
      var parameters = BlurParameters(sigma: try Sigma(effect.radius * scale), edge: effect.edge)
      parameters.region = region
      parameters.instructionSet = isa
      blur =
        if let kernel {
          try BlurPlan(kernel, for: blurred, parameters, threads: threads, scratch: scratch)
        } else {
          try BlurPlan(for: blurred, parameters, threads: threads, scratch: scratch)
        }
      self.wide = isWide ? wide : nil
      if isWide { try wide.reserve(blur) }
    } catch { throw .blur(error) }
  }

  /// Renders `screen` under the effect into `target`, which has the size of ``region``.
  ///
  /// Each result is (screen · (1 − w) + effect · w), rounded once. The weight w is the opacity in 256ths
  /// times the mask in 255ths.
  ///
  /// - Parameters:
  ///   - opacity: The opacity of the effect, rounded to 256ths: 0 shows the screen itself, 1 shows only the
  ///     effect.
  ///   - mask: A gray8 image with the size of ``region`` that contains the visibility of the effect at each
  ///     pixel, or nil to show the effect everywhere.
  ///   - clip: A gray8 image with the size of ``region``, or nil. It limits only the blurred image, before
  ///     the layers of exclusion and tint are painted over it, so the tint still covers everything. The
  ///     sample code UIImage+ImageEffects (2013) uses a mask in this way.
  /// - Throws: ``Blur/BlurError/layoutMismatch(of:expected:found:)``, ``Blur/BlurError/overlap(kernel:)``.
  func apply(
    to screen: ImageView, into target: MutableImageView, opacity: Double = 1, mask: ImageView? = nil,
    clip: ImageView? = nil
  ) throws(BlurError) {
    let part = region == blur.layout.bounds ? "" : " (`region`)"
    try target.layout.check("result\(part)", is: .rgba8, region.width, region.height)
    try screen.layout.check("screen", is: .rgba8, blur.layout.width, blur.layout.height)
    try mask?.layout.check("mask\(part)", is: .gray8, region.width, region.height)
    try clip?.layout.check("clip\(part)", is: .gray8, region.width, region.height)
    // If the opacity is NaN, the comparison is false, and the weight is 0.
    let weight = opacity > 0 ? Int((min(opacity, 1) * 256).rounded()) : 0
    let under = try screen.cropped(to: region)
    guard weight > 0 else { return Compositing.copy(under, into: target) }
    try epilogue.withLock { (epilogue) throws(BlurError) in
      epilogue.frame = EffectFrame(screen: under, target: target, weight: weight, mask: mask, clip: clip)
      defer { epilogue.frame = nil }
      guard let wide else { return try blur.blur(screen, into: target, epilogue: epilogue) }
      guard !screen.overlaps(target) else { throw .overlap(kernel: blur.kernel.name) }
      try wide.blur(screen.cropped(to: blur.reads), by: blur, epilogue)
    }
  }
}

/// The values that change from frame to frame: the images to read and write, the opacity of the effect, and
/// the optional masks.
private struct EffectFrame {
  /// The pixels of the screen in the region that the plan renders, before the effect.
  let screen: ImageView
  /// The view that receives the result of the effect.
  let target: MutableImageView
  let weight: Int
  let mask: ImageView?, clip: ImageView?
}

/// Changes the colours of rows that the blur has just written. The object is created once, so that rendering
/// a frame allocates nothing.
// SAFETY: `frame` is written only while no blur runs, under the lock of the effect plan. The threads of the
// blur only read it.
private final class EffectEpilogue: RowEpilogue, @unchecked Sendable {
  private let steps: ColourSteps
  private let region: Region
  /// Whether the blur produces 16 bits per component. In that case, the blurred rows are in a separate 16-bit
  /// image, and the target of the effect does not contain them.
  private let isWide: Bool
  var frame: EffectFrame?

  init(_ steps: ColourSteps, _ region: Region, isWide: Bool) {
    (self.steps, self.region, self.isWide) = (steps, region, isWide)
  }

  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    guard let frame else { return }
    for y in rows {
      // SAFETY: `apply` has checked that the target, the part of the screen and both masks have the size of
      // the region. `y` is a row of the region, so the pixels `0..<region.width` of this row exist in all of
      // them.
      steps.finish(
        ColourSteps.Row(
          pixels: frame.target.row(y).assumingMemoryBound(to: UInt8.self),
          screen: frame.screen.row(y).assumingMemoryBound(to: UInt8.self),
          wide: isWide ? UnsafePointer(target.row(y).assumingMemoryBound(to: UInt16.self)) : nil,
          count: region.width,
          x: region.x, y: region.y + y, weight: frame.weight,
          mask: frame.mask?.row(y).assumingMemoryBound(to: UInt8.self),
          clip: frame.clip?.row(y).assumingMemoryBound(to: UInt8.self)))
    }
  }
}
