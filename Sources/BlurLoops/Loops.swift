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
