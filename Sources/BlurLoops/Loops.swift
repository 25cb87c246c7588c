import BlurLoopTable
import CBlurVectors

// This folder is compiled once for each instruction set, with the compiler flags for that set. Vectors are as
// wide as the registers of the instruction set.
//
// Functions in this folder must not call generic library functions that are not inlined. The linker keeps
// only one copy of such a function for all instruction sets, and a CPU without AVX-512, for example, may not
// be able to run that copy. (A test checks the symbols.) Therefore each function is either an inner loop of
// the table below or inlined into one.

/// The table of all inner loops, compiled for the instruction set of this module.
public let loops = LoopTable(
  box: BoxLoops(
    down32: boxDown32, down64: boxDown64, across32: boxAcross32, across64: boxAcross64, means: boxMeans,
    transpose: boxTranspose, write: boxWrite),
  cosine: CosineLoops(
    lanes: blur_f32_lanes, beginDown: cosineBeginDown, down: cosineDown, across: cosineAcross),
  dual: DualLoops(blend: dualBlend, downsample: dualDownsample, upsample: dualUpsample, mix: dualMix),
  filter: FilterLoops(
    fixedDown: fixedDown, fixedAcross: fixedAcross, averagesDown: averagesDown,
    averagesAcross: averagesAcross, floatDown: floatDown, floatAcross: floatAcross,
    bandDown: bandDown, bandAcross: bandAcross),
  fixedResample: ResampleLoops(
    downsampleVertical: fixedDownsampleVertical, downsampleHorizontal: fixedDownsampleHorizontal,
    upsampleVertical: fixedUpsampleVertical, upsampleHorizontal: fixedUpsampleHorizontal),
  floatResample: ResampleLoops(
    downsampleVertical: floatDownsampleVertical, downsampleHorizontal: floatDownsampleHorizontal,
    upsampleVertical: floatUpsampleVertical, upsampleHorizontal: floatUpsampleHorizontal))

/// Calls `body` with the radius if it is between 1 and `longest`, which must be at most 8. Inside the call,
/// the compiler knows the radius as a constant. So it can unroll loops over the taps, and keep the rows and
/// weights that several sums share in registers. Returns false without calling `body` if the radius is not in
/// this range.
@inline(__always)
func withKnownRadius(_ radius: Int, upTo longest: Int, _ body: (Int) -> Void) -> Bool {
  #if BLUR_ROLLED
    // `BLUR_ROLLED` is set in builds that must compile quickly: debug builds of the tests, and builds with
    // sanitizers. Sanitizers add checks to each load, so that compiling the unrolled loops would take many
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
