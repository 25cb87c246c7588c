import CBlurVectors

/// The inner loops of `Sources/BlurLoops`, as compiled for one instruction set.
///
/// Each folder `BlurLoops…` exports one table, `loops`, and only `InstructionSet.loops` in `Blur` chooses
/// among them. To add
/// - a loop: declare its arguments in Arguments.swift, a function in `Sources/BlurLoops`, and a property
///   here; the compiler then reports every place where it is missing;
/// - an instruction set: add a link next to `Sources/BlurLoops`, its target and flags in Package.swift, and a
///   case and a line in `InstructionSet`.
///
/// Loops are Swift functions and not C function pointers. A C function pointer to a Swift function copies its
/// arguments, so that a call takes 25 ns instead of 4 ns.
public struct LoopTable: Sendable {
  public let box: BoxLoops
  public let cosine: CosineLoops
  public let dual: DualLoops
  public let filter: FilterLoops
  /// The resampling loops in 16 bits and in single precision.
  public let fixedResample, floatResample: ResampleLoops

  @inlinable
  public init(
    box: BoxLoops, cosine: CosineLoops, dual: DualLoops, filter: FilterLoops, fixedResample: ResampleLoops,
    floatResample: ResampleLoops
  ) {
    (self.box, self.cosine, self.dual, self.filter) = (box, cosine, dual, filter)
    (self.fixedResample, self.floatResample) = (fixedResample, floatResample)
  }
}

/// An inner loop that takes `Arguments`.
public typealias Loop<Arguments> = @Sendable (Arguments) -> Void

/// The loops of the triple box, for the kernel `box-triple`.
public struct BoxLoops: Sendable {
  /// Loops that advance the sums of all columns, with 32-bit sums and with 64-bit sums.
  public let down32, down64: Loop<BoxDown>
  /// Loops that accumulate a line of steps: one for third sums that fit in 31 bits, and one for sums that
  /// need 64 bits.
  public let across32, across64: Loop<BoxAcross>
  public let means: Loop<BoxMeans>
  public let transpose: Loop<BoxTranspose>
  public let write: Loop<BoxWrite>

  /// The number of steps (or of columns) that the vertical pass may write beyond the end of a line, which is
  /// one vector of 16-bit lanes.
  @inlinable
  public static var slack: Int { 32 }

  @inlinable
  public init(
    down32: @escaping Loop<BoxDown>, down64: @escaping Loop<BoxDown>,
    across32: @escaping Loop<BoxAcross>, across64: @escaping Loop<BoxAcross>,
    means: @escaping Loop<BoxMeans>, transpose: @escaping Loop<BoxTranspose>,
    write: @escaping Loop<BoxWrite>
  ) {
    (self.down32, self.down64, self.across32, self.across64) = (down32, down64, across32, across64)
    (self.means, self.transpose, self.write) = (means, transpose, write)
  }
}

/// The loops of sliding cosines, for the kernel `dct`.
public struct CosineLoops: Sendable {
  /// The number of single-precision values in a vector.
  public let lanes: Int
  public let beginDown: Loop<CosineBegin>
  /// The vertical pass, which returns whether all sums are finite.
  public let down: @Sendable (CosineDown) -> Bool
  /// The horizontal pass, which returns whether all sums are finite.
  public let across: @Sendable (CosineAcross) -> Bool

  /// Returns the bytes of the saved state of a vector of lines, for the given number of cosines.
  public func stateBytes(_ cosines: Int) -> Int {
    let vectors = cosines > Int(blur_narrow_cosines) ? 2 : 1
    return vectors * (2 + 2 * cosines) * lanes * MemoryLayout<Float>.size
  }

  @inlinable
  public init(
    lanes: Int, beginDown: @escaping Loop<CosineBegin>,
    down: @escaping @Sendable (CosineDown) -> Bool, across: @escaping @Sendable (CosineAcross) -> Bool
  ) {
    (self.lanes, self.beginDown, self.down, self.across) = (lanes, beginDown, down, across)
  }
}

/// The loops of the dual filter, for the kernel `dual-kawase`.
public struct DualLoops: Sendable {
  public let blend: Loop<DualBlend>
  public let downsample: Loop<DualDownsample>
  public let upsample: Loop<DualUpsample>
  public let mix: Loop<DualMix>

  @inlinable
  public init(
    blend: @escaping Loop<DualBlend>, downsample: @escaping Loop<DualDownsample>,
    upsample: @escaping Loop<DualUpsample>, mix: @escaping Loop<DualMix>
  ) {
    (self.blend, self.downsample, self.upsample, self.mix) = (blend, downsample, upsample, mix)
  }
}

/// The loops of separable window filters: with 16-bit products, with 16-bit averages, and in single
/// precision.
public struct FilterLoops: Sendable {
  public let fixedDown: Loop<FixedDown>
  public let fixedAcross: Loop<FixedAcross>
  public let averagesDown: Loop<AveragesDown>
  public let averagesAcross: Loop<AveragesAcross>
  public let floatDown: Loop<FloatDown>
  public let floatAcross: Loop<FloatAcross>
  /// The vertical pass in single precision with separate weights for each pixel. The property `bandAcross`
  /// holds the horizontal pass.
  public let bandDown: Loop<BandDown>
  public let bandAcross: Loop<BandAcross>

  /// The number of output rows that a vertical pass computes together, so that each source row is loaded only
  /// once for all of them.
  @inlinable
  public static var rowsPerBlock: Int { 4 }

  /// The largest number of values that any loop reads or writes beyond the requested part of a line. It is
  /// four vectors of the widest instruction set.
  @inlinable
  public static var slack: Int { 4 * 32 }

  /// The number of 16-bit values in the widest vector.
  @inlinable
  public static var widest: Int { 32 }

  @inlinable
  public init(
    fixedDown: @escaping Loop<FixedDown>, fixedAcross: @escaping Loop<FixedAcross>,
    averagesDown: @escaping Loop<AveragesDown>, averagesAcross: @escaping Loop<AveragesAcross>,
    floatDown: @escaping Loop<FloatDown>, floatAcross: @escaping Loop<FloatAcross>,
    bandDown: @escaping Loop<BandDown>, bandAcross: @escaping Loop<BandAcross>
  ) {
    (self.fixedDown, self.fixedAcross) = (fixedDown, fixedAcross)
    (self.averagesDown, self.averagesAcross) = (averagesDown, averagesAcross)
    (self.floatDown, self.floatAcross) = (floatDown, floatAcross)
    (self.bandDown, self.bandAcross) = (bandDown, bandAcross)
  }
}

/// The loops that downsample and upsample images in one arithmetic, for the kernel `pyramid`.
public struct ResampleLoops: Sendable {
  public let downsampleVertical: Loop<DownsampleVertical>
  public let downsampleHorizontal: Loop<DownsampleHorizontal>
  public let upsampleVertical: Loop<UpsampleVertical>
  public let upsampleHorizontal: Loop<UpsampleHorizontal>

  @inlinable
  public init(
    downsampleVertical: @escaping Loop<DownsampleVertical>,
    downsampleHorizontal: @escaping Loop<DownsampleHorizontal>,
    upsampleVertical: @escaping Loop<UpsampleVertical>,
    upsampleHorizontal: @escaping Loop<UpsampleHorizontal>
  ) {
    (self.downsampleVertical, self.downsampleHorizontal) = (downsampleVertical, downsampleHorizontal)
    (self.upsampleVertical, self.upsampleHorizontal) = (upsampleVertical, upsampleHorizontal)
  }
}
