import CBlurVectors

/// The inner loops of `Sources/BlurLoops`, as compiled for one instruction set.
///
/// Each folder `BlurLoops…` exports one of these, `loops`, and `InstructionSet.loops` in `Blur` is the only
/// choice among them. To add
/// - a loop: its arguments in Arguments.swift, a function in `Sources/BlurLoops`, a field here; the compiler
///   then names the places that lack it;
/// - an instruction set: a link beside `Sources/BlurLoops`, its target and flags in Package.swift, a case and
///   a line in `InstructionSet`.
///
/// Loops are Swift functions: a C function pointer to one copies its arguments, so that a call takes 25 ns,
/// not 4.
public struct LoopTable: Sendable {
  public let box: BoxLoops
  public let cosine: CosineLoops
  public let dual: DualLoops
  public let filter: FilterLoops
  /// In 16 bits, and in single precision.
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

/// A loop, by its arguments.
public typealias Loop<Arguments> = @Sendable (Arguments) -> Void

/// The loops of the triple box, for `box-triple`.
public struct BoxLoops: Sendable {
  /// Advances the columns' sums, of 32 or 64 bits.
  public let down32, down64: Loop<BoxDown>
  /// Sums along a line of steps; the third sums fit 31 bits, or need 64.
  public let across32, across64: Loop<BoxAcross>
  public let means: Loop<BoxMeans>
  public let transpose: Loop<BoxTranspose>
  public let write: Loop<BoxWrite>

  /// Steps, and columns, that the vertical pass may write beyond a line: one vector of 16-bit lanes.
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

/// The loops of sliding cosines, for `dct`.
public struct CosineLoops: Sendable {
  /// Single-precision values in a vector.
  public let lanes: Int
  public let beginDown: Loop<CosineBegin>
  /// Whether all sums are finite.
  public let down: @Sendable (CosineDown) -> Bool
  /// Whether all sums are finite.
  public let across: @Sendable (CosineAcross) -> Bool

  /// Bytes of a saved state of a vector of lines, for a number of cosines.
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

/// The loops of the dual filter, for `dual-kawase`.
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

/// The loops of a separable window filter: with products of 16 bits, with averages of 16 bits, in single
/// precision.
public struct FilterLoops: Sendable {
  public let fixedDown: Loop<FixedDown>
  public let fixedAcross: Loop<FixedAcross>
  public let averagesDown: Loop<AveragesDown>
  public let averagesAcross: Loop<AveragesAcross>
  public let floatDown: Loop<FloatDown>
  public let floatAcross: Loop<FloatAcross>
  /// With weights of its own for each pixel, in single precision.
  public let bandDown: Loop<BandDown>
  public let bandAcross: Loop<BandAcross>

  /// How many output rows the vertical passes compute together: source rows are loaded once for all.
  @inlinable
  public static var rowsPerBlock: Int { 4 }

  /// The most values of a line that any loop reads or writes beyond what is asked for: four vectors of the
  /// widest set.
  @inlinable
  public static var slack: Int { 4 * 32 }

  /// Values of 16 bits in the widest vector.
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

/// The loops that downsample and upsample images in one arithmetic, for `pyramid`.
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
