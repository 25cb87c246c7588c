import BlurLoopTable
import CBlurVectors

// This folder is compiled once for each instruction set, with the compiler flags of the set, and vectors are
// as wide as the registers of the set. Functions here must not call generic library code that is not inlined,
// because the linker would keep only one copy of it for all sets. (A test checks the symbols.) Each function
// is either a loop of the table or inlined into a loop.

/// The inner loops, as compiled for the instruction set of this module.
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

/// Calls `body` with the radius as a compile-time constant, if the radius is from 1 to `longest`, which is at
/// most 8. As a result, loops over taps are unrolled, and the rows and weights that several sums share stay
/// in registers. Returns false for any other radius.
@inline(__always)
func withKnownRadius(_ radius: Int, upTo longest: Int, _ body: (Int) -> Void) -> Bool {
  #if BLUR_ROLLED
    // With the checks that a sanitizer adds to each load, the compiler would take many minutes.
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
