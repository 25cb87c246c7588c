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
  public init(
    _ effect: BackdropEffect, for layout: ImageLayout, scale: Double, region: Region? = nil,
    kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1,
    scratch: SharedScratch? = nil
  ) throws(EffectError) {
    try effect.check()
    self.effect = effect
    self.region = region ?? layout.bounds
    do throws(BlurError) {
      try layout.check(is: .rgba8, layout.width, layout.height)
      let blurred = effect.precision == .bytes ? layout : try layout.wide
      epilogue = Mutex(
        EffectEpilogue(
          try ColourSteps(effect, isa), self.region,
          effect.precision == .bytes ? nil : try WideImages(blurred, self.region)))
      var parameters = BlurParameters(sigma: try Sigma(effect.radius * scale), edge: effect.edge)
      parameters.region = region
      parameters.instructionSet = isa
      blur =
        if let kernel {
          try BlurPlan(kernel, for: blurred, parameters, threads: threads, scratch: scratch)
        } else {
          try BlurPlan(for: blurred, parameters, threads: threads, scratch: scratch)
        }
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
  /// - Throws: ``Blur/BlurError/layoutMismatch(expected:found:)``, ``Blur/BlurError/overlap(kernel:)``.
  public func apply(
    to screen: ImageView, into target: MutableImageView, opacity: Double = 1, mask: ImageView? = nil,
    clip: ImageView? = nil
  ) throws(BlurError) {
    try target.layout.check(is: .rgba8, region.width, region.height)
    try screen.layout.check(is: .rgba8, blur.layout.width, blur.layout.height)
    try mask?.layout.check(is: .gray8, region.width, region.height)
    try clip?.layout.check(is: .gray8, region.width, region.height)
    // Also 0 where it is not a number.
    let weight = opacity > 0 ? Int((min(opacity, 1) * 256).rounded()) : 0
    let under = try screen.cropped(to: region)
    guard weight > 0 else { return Compositing.copy(under, into: target) }
    try epilogue.withLock { (epilogue) throws(BlurError) in
      epilogue.frame = EffectFrame(screen: under, target: target, weight: weight, mask: mask, clip: clip)
      defer { epilogue.frame = nil }
      guard let wide = epilogue.wide else { return try blur.blur(screen, into: target, epilogue: epilogue) }
      guard !screen.overlaps(target) else { throw .overlap(kernel: blur.kernel.name) }
      try wide.blur(screen, by: blur, epilogue)
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
  /// Where the blur is not rounded to 8 bits: it then writes to these.
  let wide: WideImages?
  var frame: EffectFrame?

  init(_ steps: ColourSteps, _ region: Region, _ wide: WideImages?) {
    (self.steps, self.region, self.wide) = (steps, region, wide)
  }

  func finish(_ rows: Range<Int>, in target: MutableImageView) {
    guard let frame else { return }
    for y in rows {
      // SAFETY: all views have the region's size, checked before the blur.
      steps.finish(
        ColourSteps.Row(
          pixels: frame.target.row(y).assumingMemoryBound(to: UInt8.self),
          screen: frame.screen.row(y).assumingMemoryBound(to: UInt8.self),
          wide: wide == nil ? nil : UnsafePointer(target.row(y).assumingMemoryBound(to: UInt16.self)),
          count: region.width,
          x: region.x, y: region.y + y, weight: frame.weight,
          mask: frame.mask?.row(y).assumingMemoryBound(to: UInt8.self),
          clip: frame.clip?.row(y).assumingMemoryBound(to: UInt8.self)))
    }
  }
}

/// The screen and its blur in 16 bits.
// SAFETY: used under the effect plan's lock; the blur's threads write the rows of `blurred` that are theirs.
private final class WideImages: @unchecked Sendable {
  private var screen: Image, blurred: Image

  init(_ layout: ImageLayout, _ region: Region) throws(BlurError) {
    screen = try Image(layout)
    blurred = try Image(.rgba16, width: region.width, height: region.height)
  }

  func blur(_ source: ImageView, by plan: BlurPlan, _ epilogue: EffectEpilogue) throws(BlurError) {
    screen.withMutableView { view in
      for y in plan.reads.rows {
        // SAFETY: both are of the planned size; one has bytes, the other rows of 16-bit components.
        let from = source.row(y).assumingMemoryBound(to: UInt8.self)
        let to = view.row(y).assumingMemoryBound(to: UInt16.self)
        for i in 4 * plan.reads.columns.lowerBound..<4 * plan.reads.columns.upperBound {
          to[i] = UInt16(from[i]) &* 257
        }
      }
    }
    try screen.withView { (screen) throws(BlurError) in
      try blurred.withMutableView { (blurred) throws(BlurError) in
        try plan.blur(screen, into: blurred, epilogue: epilogue)
      }
    }
  }
}

extension ImageLayout {
  /// The same size in 16 bits.
  fileprivate var wide: ImageLayout {
    get throws(BlurError) { try ImageLayout(.rgba16, width: width, height: height) }
  }
}
