import Blur
import Synchronization

/// An effect made ready for screens of one layout; applies it any number of times without allocating.
///
/// Colour steps run on rows that the blur has just written, while they are in the cache.
public final class EffectPlan: Sendable {
  /// The effect.
  public let effect: BackdropEffect
  /// The part of the screen that is made.
  public let region: Region
  /// The blur that runs.
  public let blur: BlurPlan

  private let epilogue: Mutex<EffectEpilogue>
  private let wide: WideImages?

  /// Plans an effect.
  ///
  /// - Parameters:
  ///   - layout: the screens, in rgba8.
  ///   - scale: pixels of a point.
  ///   - region: the part of the screen that is made; all of it if nil.
  ///   - kernel: the kernel; the library's choice if nil.
  ///   - isa: the widest instruction set to use.
  ///   - threads: how many threads work on a frame.
  ///   - scratch: that of plans which blur in turn with this one; its own if nil.
  /// - Throws: ``EffectError/invalid(_:)``, and ``EffectError/blur(_:)`` with what ``Blur/BlurPlan`` throws.
  public convenience init(
    _ effect: BackdropEffect, for layout: ImageLayout, scale: Double, region: Region? = nil,
    kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1,
    scratch: SharedScratch? = nil
  ) throws(EffectError) {
    try self.init(
      effect, for: layout, scale: scale, region: region, kernel: kernel, isa: isa, threads: threads,
      scratch: scratch, wide: WideImages())
  }

  /// Likewise.
  ///
  /// - Parameter wide: images in 16 bits of plans that blur in turn with this one; empty where the effect's
  ///   blur is rounded to bytes.
  init(
    _ effect: BackdropEffect, for layout: ImageLayout, scale: Double, region: Region?, kernel: Kernel?,
    isa: InstructionSet, threads: Int, scratch: SharedScratch?, wide: WideImages
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

  /// Makes the effect of `screen` in `target`, which has the size of ``region``.
  ///
  /// A result is (screen · (1 − w) + effect · w), rounded once, with w the opacity in 256ths times the mask
  /// in 255ths.
  ///
  /// - Parameters:
  ///   - opacity: 0 is the screen itself, 1 the whole effect; rounded to 256ths.
  ///   - mask: gray8, of the size of ``region``: by pixel, how much of the effect shows; all of it if nil.
  ///   - clip: likewise, but for what is under the effect's layers: the mask of the image effects of 2013,
  ///     whose tint covers everything.
  /// - Throws: ``Blur/BlurError/layoutMismatch(of:expected:found:)``, ``Blur/BlurError/overlap(kernel:)``.
  public func apply(
    to screen: ImageView, into target: MutableImageView, opacity: Double = 1, mask: ImageView? = nil,
    clip: ImageView? = nil
  ) throws(BlurError) {
    let part = region == blur.layout.bounds ? "" : " (`region`)"
    try target.layout.check("result\(part)", is: .rgba8, region.width, region.height)
    try screen.layout.check("screen", is: .rgba8, blur.layout.width, blur.layout.height)
    try mask?.layout.check("mask\(part)", is: .gray8, region.width, region.height)
    try clip?.layout.check("clip\(part)", is: .gray8, region.width, region.height)
    // Also 0 where it is not a number.
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

/// What differs from one frame to the next.
private struct EffectFrame {
  /// The screen's pixels in the region.
  let screen: ImageView
  /// Where the result goes.
  let target: MutableImageView
  let weight: Int
  let mask: ImageView?, clip: ImageView?
}

/// The colour steps of an effect, run on rows that the blur has just written: made once, so that frames
/// allocate nothing.
// SAFETY: `frame` is written while no blur runs, under the effect plan's lock, and only read by the blur's
// threads.
private final class EffectEpilogue: RowEpilogue, @unchecked Sendable {
  private let steps: ColourSteps
  private let region: Region
  /// Whether the blur is not rounded to 8 bits, and its rows are not yet the frame's target.
  private let isWide: Bool
  var frame: EffectFrame?

  init(_ steps: ColourSteps, _ region: Region, isWide: Bool) {
    (self.steps, self.region, self.isWide) = (steps, region, isWide)
  }

  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    guard let frame else { return }
    for y in rows {
      // SAFETY: all views have the region's size, checked before the blur.
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
