import Blur

/// An effect made ready for screens of one layout; applies it any number of times without allocating.
public final class EffectPlan: Sendable {
  /// The effect.
  public let effect: BackdropEffect
  /// The part of the screen that is made.
  public let region: Region
  /// The blur that runs.
  public let blur: BlurPlan

  /// Plans an effect.
  ///
  /// - Parameters:
  ///   - layout: the screens, in rgba8.
  ///   - scale: pixels of a point.
  ///   - region: the part of the screen that is made; all of it if nil.
  ///   - edge: what is read beyond the screen.
  ///   - kernel: the kernel; the library's choice if nil.
  ///   - isa: the widest instruction set to use.
  ///   - threads: how many threads work on a frame.
  /// - Throws: what ``Blur/BlurPlan`` throws.
  public init(
    _ effect: BackdropEffect, for layout: ImageLayout, scale: Double, region: Region? = nil,
    edge: EdgeMode = .clamp, kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1
  ) throws(BlurError) {
    self.effect = effect
    self.region = region ?? layout.bounds
    var parameters = BlurParameters(sigma: try Sigma(effect.radius * scale), edge: edge)
    parameters.region = region
    parameters.instructionSet = isa
    blur =
      if let kernel {
        try BlurPlan(kernel, for: layout, parameters, threads: threads)
      } else {
        try BlurPlan(for: layout, parameters, threads: threads)
      }
  }

  /// Makes the effect of `screen` in `target`, which has the size of ``region``.
  ///
  /// - Parameters:
  ///   - opacity: 0 is the screen itself, 1 the whole effect.
  ///   - mask: gray8, of the size of ``region``: by pixel, how much of the effect shows; all of it if nil.
  /// - Throws: ``Blur/BlurError/layoutMismatch(expected:found:)``.
  public func apply(
    to screen: ImageView, into target: MutableImageView, opacity: Double = 1, mask: ImageView? = nil
  ) throws(BlurError) {
    try blur.blur(screen, into: target)
  }
}
