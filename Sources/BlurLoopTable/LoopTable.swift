import CBlurVectors

/// A table of all inner loops for one instruction set. Inner loops are the functions in `Sources/BlurLoops`
/// that process rows of pixels.
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
  public let bytes: ByteLoops
  public let convert: Loop<ConvertRow>
  public let cosine: CosineLoops
  public let dual: DualLoops
  public let filter: FilterLoops
  /// The loops that halve and double the size of an image. There is one set of loops in 16-bit arithmetic,
  /// and one in single precision.
  public let fixedResample, floatResample: ResampleLoops
  public let straight: StraightLoops

  @inlinable
  public init(
    box: BoxLoops, bytes: ByteLoops, convert: @escaping Loop<ConvertRow>, cosine: CosineLoops,
    dual: DualLoops, filter: FilterLoops, fixedResample: ResampleLoops, floatResample: ResampleLoops,
    straight: StraightLoops
  ) {
    (self.box, self.bytes, self.convert, self.cosine) = (box, bytes, convert, cosine)
    (self.dual, self.filter) = (dual, filter)
    (self.fixedResample, self.floatResample, self.straight) = (fixedResample, floatResample, straight)
  }
}

/// The type of an inner loop, which is a function that processes a row of pixels. `Arguments` is the tuple of
/// arguments that it receives.
public typealias Loop<Arguments> = @Sendable (Arguments) -> Void

/// The loops of the kernel `box-triple`, which blurs by applying three box filters one after the other.
public struct BoxLoops: Sendable {
  /// The loops of the vertical pass for integers, which compute running sums down the columns. `down32` uses
  /// 32-bit sums, and `down64` uses 64-bit sums.
  public let down32, down64: Loop<BoxDown>
  /// The loops of the horizontal pass for integers, which compute running sums along the rows. `across32`
  /// uses 32-bit sums. It can be used if the third of the three running sums, which gives the result, stays
  /// below 2³¹. `across64` uses 64-bit sums.
  public let across32, across64: Loop<BoxAcross>
  public let means: Loop<BoxMeans>
  public let transpose: Loop<BoxTranspose>
  public let write: Loop<BoxWrite>

  /// The number of additional elements to reserve at the end of two arrays, because the vertical pass may
  /// write beyond their last element. In the array of intermediate values, an element is a step, which is a
  /// group of 16 values. In the array of running sums, an element holds the three sums of a column. The
  /// number equals the number of 16-bit values in the widest vector.
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

/// The loops with which the kernel `pyramid` makes 8-bit images two or four times smaller, and enlarges them
/// again. They read and write the bytes of the image.
public struct ByteLoops: Sendable {
  public let downsample: Loop<ByteDownsample>
  public let upsample: Loop<ByteUpsample>

  @inlinable
  public init(downsample: @escaping Loop<ByteDownsample>, upsample: @escaping Loop<ByteUpsample>) {
    (self.downsample, self.upsample) = (downsample, upsample)
  }
}

/// The loops of the kernel `dct`. A window slides along each column, and later along each row. The kernel
/// keeps several sums over the pixels in the window, in which the pixels are weighted with cosines. When the
/// window moves by one pixel, the kernel updates these sums instead of computing them again.
public struct CosineLoops: Sendable {
  /// The number of single-precision values that fit into a vector of this instruction set.
  public let lanes: Int
  public let beginDown: Loop<CosineBegin>
  /// The loop of the vertical pass, which blurs along columns. It returns whether all results are finite,
  /// which means that no result is infinite or NaN. If `window.checked` is true, the loop handles NaN and
  /// infinite samples itself, and always returns true.
  public let down: @Sendable (CosineDown) -> Bool
  /// The loop of the horizontal pass, which blurs along rows. Its result has the same meaning as the result
  /// of the vertical pass.
  public let across: @Sendable (CosineAcross) -> Bool

  /// Returns the number of bytes that are needed to save the sums for one vector. Each lane of a vector holds
  /// a sample from a different row or column, and has sums of its own. `cosines` is the number of cosines
  /// with which the samples are weighted.
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

/// The loops of the kernel `dual-kawase`, which halves the size of an image several times and then doubles it
/// again.
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

/// The loops of filters that blur first along columns and then along rows, with a window of weights. The name
/// of a loop says how it computes: with products of 16-bit numbers (`fixed`), with averages of 16-bit numbers
/// (`averages`), in single precision (`float`), or in single precision with separate weights for each output
/// pixel (`band`).
public struct FilterLoops: Sendable {
  public let fixedDown: Loop<FixedDown>
  public let fixedAcross: Loop<FixedAcross>
  public let averagesDown: Loop<AveragesDown>
  public let averagesAcross: Loop<AveragesAcross>
  public let floatDown: Loop<FloatDown>
  public let floatAcross: Loop<FloatAcross>
  /// The vertical pass of the band filter. In this filter, each output pixel has weights of its own.
  public let bandDown: Loop<BandDown>
  public let bandAcross: Loop<BandAcross>

  /// The number of output rows that a vertical pass computes at the same time. In this way, each source row
  /// is loaded only once for all of them.
  @inlinable
  public static var rowsPerBlock: Int { 4 }

  /// The number of values that must be reserved after the end of a row of intermediate values, because an
  /// inner loop may read or write beyond it. This is the number of 16-bit values in four vectors of the
  /// widest instruction set.
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

/// The loops with which the kernel `pyramid` downsamples and upsamples. They process its levels, which are
/// smaller versions of the image, and also the image itself unless its components have 8 bits. A
/// ``LoopTable`` contains this structure twice: once with loops in 16-bit arithmetic, and once with loops in
/// single precision.
public struct ResampleLoops: Sendable {
  public let downsample: Loop<Downsample>
  public let upsample: Loop<Upsample>

  @inlinable
  public init(downsample: @escaping Loop<Downsample>, upsample: @escaping Loop<Upsample>) {
    (self.downsample, self.upsample) = (downsample, upsample)
  }
}

/// The loops that convert rows from straight alpha to premultiplied alpha, and back. If the image stores
/// integers, the rows with premultiplied alpha have more bits per component.
public struct StraightLoops: Sendable {
  public let multiply, divide: Loop<StraightRow>

  @inlinable
  public init(multiply: @escaping Loop<StraightRow>, divide: @escaping Loop<StraightRow>) {
    (self.multiply, self.divide) = (multiply, divide)
  }
}
