import BlurLoopTable
import CBlurVectors

// This folder is compiled once for each instruction set, with the compiler flags for that set. Vectors are as
// wide as the registers of the instruction set.
//
// Functions in this folder must not call generic library functions that are not inlined. Each compilation of
// the folder would produce a copy of such a function, and the linker would keep only one of these copies.
// That copy may contain instructions that the user's CPU does not have, for example AVX-512. Therefore each
// function is either one of the inner loops in the table below, or is inlined into one. A test checks that no
// two compilations of the folder have a function in common.

/// The table of all inner loops, which are the functions that process rows of pixels. Each module that is
/// compiled from this folder has its own table, with the loops for the module's instruction set.
public let loops = LoopTable(
  box: BoxLoops(
    down32: boxDown32, down64: boxDown64, across32: boxAcross32, across64: boxAcross64, means: boxMeans,
    transpose: boxTranspose, write: boxWrite),
  bytes: ByteLoops(downsample: byteDownsample, upsample: byteUpsample),
  convert: convert,
  cosine: CosineLoops(
    lanes: blur_f32_lanes, beginDown: cosineBeginDown, down: cosineDown, across: cosineAcross),
  dual: DualLoops(blend: dualBlend, downsample: dualDownsample, upsample: dualUpsample, mix: dualMix),
  filter: FilterLoops(
    fixedDown: fixedDown, fixedAcross: fixedAcross, averagesDown: averagesDown,
    averagesAcross: averagesAcross, floatDown: floatDown, floatAcross: floatAcross,
    bandDown: bandDown, bandAcross: bandAcross),
  fixedResample: ResampleLoops(downsample: fixedDownsample, upsample: fixedUpsample),
  floatResample: ResampleLoops(downsample: floatDownsample, upsample: floatUpsample),
  straight: StraightLoops(multiply: straightMultiply, divide: straightDivide))

/// Calls `body` with `radius` and returns true if `radius` is between 1 and `longest`, which must be at most
/// 8. Otherwise, returns false without calling `body`. Inside the call, the radius is a compile-time
/// constant. So the compiler can unroll loops over the pixels of a window with this radius, and can keep
/// values in registers.
@inline(__always)
func withKnownRadius(_ radius: Int, upTo longest: Int, _ body: (Int) -> Void) -> Bool {
  #if BLUR_ROLLED
    // `BLUR_ROLLED` is set in builds that must compile quickly: debug builds of the tests, and builds with
    // sanitizers. Sanitizers add checks to each load, so compiling the unrolled loops would take many
    // minutes. If this function returns false, its callers run a loop that is not unrolled.
    return false
  #else
    switch radius {
    case 1: body(1)
    case 2: body(2)
    case 3: body(3)
    case 4: body(4)
    case 5 where longest >= 5: body(5)
    case 6 where longest >= 6: body(6)
    case 7 where longest >= 7: body(7)
    case 8 where longest >= 8: body(8)
    default: return false
    }
    return true
  #endif
}

/// Calls `body` with the number of channels, which must be 1, 3 or 4. Inside `body`, the number is a
/// compile-time constant, so the compiler optimises the code separately for each number of channels.
@inline(__always)
func withKnownChannels(_ channels: Int, _ body: (Int) -> Void) {
  switch channels {
  case 1: body(1)
  case 3: body(3)
  default: body(4)
  }
}
