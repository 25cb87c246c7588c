import BlurLoopTable
import CBlurVectors

// This folder is compiled once for each instruction set, with its flags; vectors are as wide as the set's
// registers. Functions here must not call generic library code that stays out of line: the linker would keep
// one copy for all sets (a test looks at the symbols). A function is a loop of the table, or is inlined into
// one.

/// The loops as compiled for this module's instruction set.
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

/// Calls `body` with a radius that the compiler knows, if it is from 1 to `longest`, at most 8: then loops of
/// taps are unrolled, and rows and weights that several sums share stay in registers. Returns false for
/// others.
@inline(__always)
func withKnownRadius(_ radius: Int, upTo longest: Int, _ body: (Int) -> Void) -> Bool {
  #if BLUR_ROLLED
    // A sanitizer's checks of each load would make the compiler take many minutes.
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
