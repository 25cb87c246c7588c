import CBlurVectors

/// A table of all inner loops in `Sources/BlurLoops`, compiled for one instruction set.
///
/// Each folder `BlurLoops…` exports one table, which is called `loops`. Only `InstructionSet.loops` in the
/// module `Blur` chooses between the tables.
///
/// To add a loop, declare its arguments in Arguments.swift, write a function in `Sources/BlurLoops`, and add
/// a property here. The compiler then reports every place where the loop is missing.
///
/// To add an instruction set, add a symbolic link next to `Sources/BlurLoops`, a target with compiler flags
/// in Package.swift, and a case in `InstructionSet` with the line that returns its table.
///
/// The loops are Swift functions and not C function pointers. If a C function pointer pointed to a Swift
/// function, each call would copy the arguments and take 25 ns instead of 4 ns.
public struct LoopTable: Sendable {
  public let box: BoxLoops
  public let cosine: CosineLoops
  public let dual: DualLoops
  public let filter: FilterLoops
  /// The loops that downsample and upsample images, in 16-bit arithmetic and in single precision.
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

/// An inner loop with arguments of the given type.
public typealias Loop<Arguments> = @Sendable (Arguments) -> Void

/// The loops of the triple box, which the kernel `box-triple` uses.
public struct BoxLoops: Sendable {
  /// The vertical pass for integers. `down32` has 32-bit running sums, and `down64` has 64-bit running sums.
  public let down32, down64: Loop<BoxDown>
  /// The horizontal pass for integers. `across32` can be used if the third running sum stays below 2³¹, and
  /// `across64` if it can be larger.
  public let across32, across64: Loop<BoxAcross>
  public let means: Loop<BoxMeans>
  public let transpose: Loop<BoxTranspose>
  public let write: Loop<BoxWrite>

  /// The number of steps (groups of 16 values) that must be reserved after the end of each line of
  /// intermediate values, because the vertical pass may write beyond the end. The same number of columns must
  /// be reserved after the last running sum. It equals the number of 16-bit values in the widest vector.
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

/// The loops of sliding cosine sums, which the kernel `dct` uses.
public struct CosineLoops: Sendable {
  /// The number of single-precision values in a vector.
  public let lanes: Int
  public let beginDown: Loop<CosineBegin>
  /// The vertical pass. It returns whether all sums are finite.
  public let down: @Sendable (CosineDown) -> Bool
  /// The horizontal pass. It returns whether all sums are finite.
  public let across: @Sendable (CosineAcross) -> Bool

  /// Returns the number of bytes in which the sums for one vector are saved, if the filter has the given
  /// number of cosines. A vector holds one sample from each of several lines, which are summed side by side.
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

/// The loops of the dual filter, which the kernel `dual-kawase` uses.
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

/// The loops of separable window filters: with 16-bit products (`fixed`), with 16-bit averages (`averages`),
/// in single precision (`float`), and in single precision with separate weights for each output pixel
/// (`band`).
public struct FilterLoops: Sendable {
  public let fixedDown: Loop<FixedDown>
  public let fixedAcross: Loop<FixedAcross>
  public let averagesDown: Loop<AveragesDown>
  public let averagesAcross: Loop<AveragesAcross>
  public let floatDown: Loop<FloatDown>
  public let floatAcross: Loop<FloatAcross>
  /// The vertical pass of the band filter, in which each output pixel has its own weights. The property
  /// `bandAcross` holds its horizontal pass.
  public let bandDown: Loop<BandDown>
  public let bandAcross: Loop<BandAcross>

  /// The number of output rows that a vertical pass computes at the same time, so that each source row is
  /// loaded only once for all of them.
  @inlinable
  public static var rowsPerBlock: Int { 4 }

  /// The largest number of values that an inner loop may read or write beyond the end of a line. This is the
  /// number of 16-bit values in four vectors of the widest instruction set.
  @inlinable
  public static var slack: Int { 4 * 32 }

  /// The number of 16-bit values in a vector of the widest instruction set.
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

/// The loops with which the kernel `pyramid` downsamples and upsamples images. A ``LoopTable`` contains this
/// structure twice: once with loops in 16-bit arithmetic, and once with loops in single precision.
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
