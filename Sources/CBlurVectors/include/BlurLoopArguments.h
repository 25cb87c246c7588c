#ifndef BLUR_LOOP_ARGUMENTS_H
#define BLUR_LOOP_ARGUMENTS_H

// The arguments of the inner loops, one structure for each. `LoopTable` in Swift lists the loops. They are C structures
// because those have memberwise initialisers in every module; names of types and fields are Swift's.
//
// Unless said otherwise: `rows` are addresses of rows, a `count` counts components (values), `bytes` are those of a
// stored component (1 and 2 for integers, which are rounded to nearest, 4 for float), `channels` are components of a pixel, 1 or 4.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

#define BLUR_ARGUMENTS(NAME) struct __attribute__((swift_name(#NAME)))

// MARK: Window filters

/// Sums `2 · pairs` rows into four neighbouring lines, in 16-bit fixed point.
typedef BLUR_ARGUMENTS(FixedDown) {
  /// The rows of the next block, four more, follow in the list and are prefetched.
  const void *_Nonnull const *_Nonnull rows;
  ptrdiff_t bytes, channels, pairs;
  /// For each pair of rows four 32-bit words, one for each output row: two 16-bit weights.
  const int32_t *weights;
  /// Where the first output row goes; the others follow at a distance of `lineStride` values. Each has room for
  /// `count` values and one vector more. Values are 256 times those of bytes, less 32768.
  uint16_t *lines;
  ptrdiff_t lineStride, count;
} blur_fixed_down;

/// Sums shifted copies of a line into one output row, in 16-bit fixed point.
typedef BLUR_ARGUMENTS(FixedAcross) {
  /// The pair of pixels under the first output pair; readable for the window's radius to both sides, and four vectors
  /// more.
  const uint16_t *line;
  ptrdiff_t channels;
  /// The first pair of the window, relative to the one under it (mostly negative), and how many pairs it touches.
  ptrdiff_t first, pairs;
  /// For each pair two 32-bit words of two weights: for the first pixel of an output pair and for the second.
  const int32_t *weights;
  void *target;
  ptrdiff_t bytes, count;
} blur_fixed_across;

/// Sums `taps + 3` rows into four neighbouring lines, in single precision.
typedef BLUR_ARGUMENTS(FloatDown) {
  /// Output row j sums the `taps` rows that start at number j. The rows of the next block, four more, follow in the list
  /// and are prefetched.
  const void *_Nonnull const *_Nonnull rows;
  ptrdiff_t bytes, taps;
  /// One for each tap.
  const float *weights;
  /// Where the first output row goes; the others follow at a distance of `lineStride` values. Each has room for
  /// `count` values and two vectors more.
  float *lines;
  ptrdiff_t lineStride, count;
} blur_float_down;

/// Sums shifted copies of a line into one output row, in single precision.
typedef BLUR_ARGUMENTS(FloatAcross) {
  /// The value under the first output value; readable for `radius` pixels to both sides, and four vectors more.
  const float *line;
  ptrdiff_t channels, radius;
  /// That of the centre, then those at distances 1 to `radius`.
  const float *weights;
  void *target;
  ptrdiff_t bytes, count;
} blur_float_across;

// MARK: Resampling

/// Takes the binomial mean of `order + 1` rows, as one line of all even pixels, and from `odd` values later all odd ones.
typedef BLUR_ARGUMENTS(DownsampleVertical) {
  /// Source rows, and the two that follow, which are prefetched.
  const void *_Nonnull const *_Nonnull rows;
  ptrdiff_t bytes, channels, order;
  /// Room for half of `count` components and one vector, twice.
  void *line;
  /// The value at which odd pixels begin.
  ptrdiff_t odd;
  /// Components in a row, which begins with an even pixel.
  ptrdiff_t count;
} blur_downsample_vertical;

/// Takes the binomial mean of a line at its even pixels.
typedef BLUR_ARGUMENTS(DownsampleHorizontal) {
  /// The even pixel under the first result; odd pixels stand `odd` values later. Both halves are readable for
  /// `order / 4 + 1` pixels to both sides, and one vector more.
  const void *line;
  ptrdiff_t odd, channels, order;
  /// Room for the result, of `count` values, and one vector.
  void *target;
  ptrdiff_t count;
} blur_downsample_horizontal;

/// Makes the two lines at and below row `rows[2]`. For order 2 the first is that row itself, and is not written.
typedef BLUR_ARGUMENTS(UpsampleVertical) {
  /// Five rows, readable for one vector beyond their last value.
  const void *_Nonnull const *_Nonnull rows;
  ptrdiff_t order;
  /// Room for `count` values and one vector each.
  void *even, *odd;
  ptrdiff_t count;
} blur_upsample_vertical;

/// Makes two pixels for each of a line.
typedef BLUR_ARGUMENTS(UpsampleHorizontal) {
  /// The pixel under the first result; readable for two pixels before, and two and a vector after (in 16 bits, one).
  const void *line;
  ptrdiff_t channels, order;
  /// The first result, an even pixel, with room for two vectors more; `bytes` and `count` are the result's.
  void *target;
  ptrdiff_t bytes, count;
  /// Whether exactly `count` components may be written. Bytes are always written so.
  bool isExact;
} blur_upsample_horizontal;

// MARK: The triple box

/// Advances the sums of all columns by a block of rows: 16 of gray, 4 of rgba. BlurSums.h says what a step is.
typedef BLUR_ARGUMENTS(BoxDown) {
  /// For each row the addresses of those at delays 0, d, e, 2d, d + e, 2d + e.
  const void *_Nonnull const *_Nonnull taps;
  ptrdiff_t bytes, channels, count;
  /// The running sums: for each vector of 16-bit lanes three of 32 or 64 bits.
  void *sums;
  /// Where steps are written: 32 bits, or two limbs, low + high · 2²⁴. Null while the window fills.
  void *_Nullable low, *_Nullable high;
  /// Places by which 64-bit sums are shifted right.
  uint64_t shift;
} blur_box_down;

/// Writes the first `width` steps of a line to rows.
typedef BLUR_ARGUMENTS(BoxWrite) {
  const void *steps;
  /// Where the rows' first pixels go, and how many rows there are.
  void *_Nonnull const *_Nonnull targets;
  ptrdiff_t rows, bytes, channels, width;
} blur_box_write;

/// Sums along a line of steps, and writes the results to rows.
typedef BLUR_ARGUMENTS(BoxAcross) {
  /// The line's steps, and the rows it becomes. Zeros stand before the first step as far as the windows need.
  blur_box_write line;
  /// The upper limbs of the steps, likewise.
  const void *_Nullable high;
  /// The sizes of the boxes in steps: two of `twice`, one of `once`.
  ptrdiff_t twice, once;
  /// Steps before the first result.
  ptrdiff_t lead;
  /// A result is the whole part of sum · scale + bias for sums of 64 bits, and of
  /// (sum + half) · reciprocal / 2ˢʰⁱᶠᵗ for sums of 32.
  double scale, bias;
  uint32_t half, reciprocal;
  uint64_t shift;
  /// `blur_chunk_bytes` bytes.
  void *scratch;
} blur_box_across;

/// Puts the means of all windows of `size` steps of single precision in `target`, which may be `source`.
typedef BLUR_ARGUMENTS(BoxMeans) {
  const void *source;
  void *target;
  /// Steps in the source, at least `size`; there are `size - 1` fewer results.
  ptrdiff_t count, size;
  /// Room for `size` steps in double precision.
  void *block;
} blur_box_means;

/// Transposes a tile of 16 components of a block's rows, one row after the other, into steps.
typedef BLUR_ARGUMENTS(BoxTranspose) {
  const void *tile;
  ptrdiff_t channels;
  /// Room for a step for each pixel of the tile.
  void *steps;
} blur_box_transpose;

// MARK: Sliding cosines

/// What the loops need to know of a window. Numbers are float for few cosines and double for many.
typedef struct {
  /// The weight of the plain sum, then for each cosine 2 cos θ − 2 and the weight of its level.
  const void *_Null_unspecified steps;
  /// For each distance from 0 to the radius, and each cosine: cos θn / cos θR and sin θ sin θn / cos θR.
  const void *_Null_unspecified start;
  ptrdiff_t radius;
  ptrdiff_t cosines;
  /// Whether samples may be NaN, infinite or huge.
  bool checked;
} blur_cosines;

/// Computes the states of all columns for the first row of a block.
typedef BLUR_ARGUMENTS(CosineBegin) {
  /// The rows of the first window, `2 · radius + 1` of them.
  const void *_Nullable const *_Nonnull rows;
  ptrdiff_t bytes;
  blur_cosines window;
  /// A saved state for each vector of columns.
  void *states;
  ptrdiff_t count;
} blur_cosine_begin;

/// Blurs as many rows as a vector has lanes, and moves the states on by that many.
typedef BLUR_ARGUMENTS(CosineDown) {
  /// The rows below the windows of the rows wanted, and the first rows of those windows.
  const void *_Nullable const *_Nonnull entering, *_Nullable const *_Nonnull leaving;
  ptrdiff_t bytes;
  blur_cosines window;
  /// An even number of states, see `CosineBegin`.
  void *states;
  /// Room for two squares of lanes.
  float *tile;
  /// Where results go: a vector for each column, which holds its rows, each `pitch` values after the one before.
  float *columns;
  ptrdiff_t pitch, count;
} blur_cosine_down;

/// Blurs part of some rows along the row, from vectors that hold the rows of a column each.
typedef BLUR_ARGUMENTS(CosineAcross) {
  /// The first vector under the first pixel, where the sums begin; readable for the radius to both sides, and one pixel
  /// more.
  const float *columns;
  /// Components of a pixel, and vectors of rows for each; their product is even.
  ptrdiff_t channels, groups;
  blur_cosines window;
  /// Room for a saved state for each vector of a pixel.
  void *states;
  /// Room for a square of lanes for each vector of a pixel, and one more.
  float *tile;
  /// Pixels before the first wanted one, and wanted pixels.
  ptrdiff_t skipped, count;
  /// Where the first wanted pixels of rows go: an address for each row from `firstRow` up to `endRow`.
  void *_Nonnull const *_Nonnull targets;
  ptrdiff_t firstRow, endRow;
  ptrdiff_t bytes;
} blur_cosine_across;

// MARK: The dual filter
//
// Lines and rows have room for two vectors more than they hold.

/// The mean of bilinear samples along one axis: pixels and their weights, which sum to 1. Where the last two weights are
/// 0, it is one sample.
typedef struct {
  ptrdiff_t index[4];
  float weight[4];
} blur_samples;

/// Samples between rows: the mean of four rows, of two where the other weights are 0.
typedef BLUR_ARGUMENTS(DualBlend) {
  /// The rows at the samples' indices.
  const void *_Nonnull const *_Nonnull rows;
  blur_samples samples;
  ptrdiff_t bytes;
  float *line;
  ptrdiff_t count;
} blur_dual_blend;

/// Downsamples a row: the mean of each pair of pixels, and samples around it, in equal parts.
typedef BLUR_ARGUMENTS(DualDownsample) {
  /// The line of the pairs, from the first pair on.
  const float *centre;
  /// That of the samples, likewise; readable as far as they are.
  const float *corners;
  blur_samples samples;
  ptrdiff_t channels;
  /// The downsampled row, of `count` values.
  float *row;
  ptrdiff_t count;
} blur_dual_downsample;

/// Upsamples a row: an even and an odd pixel for each pixel of the lines. The samples are those of the odd one, of which
/// the even one is the mirror image; far ones weigh 1/6 in each direction, half ones 2/3.
typedef BLUR_ARGUMENTS(DualUpsample) {
  /// The line of one sample near the row, for samples far across; that of the samples far from the row, for one near
  /// across; that of the samples half as far, for samples half as far. All are readable as far as the samples are.
  const float *nearLine, *farLine, *halfLine;
  blur_samples farSamples, nearSample, halfSamples;
  ptrdiff_t channels;
  /// The upsampled row; `count` are the values of a line.
  float *row;
  ptrdiff_t count;
} blur_dual_upsample;

/// Mixes a row with that of the image, and writes it, rounded.
typedef BLUR_ARGUMENTS(DualMix) {
  const float *row;
  /// The row's weight. Where it is 1, the image is not read.
  float share;
  /// The row of the image, and the result.
  const void *source;
  void *target;
  ptrdiff_t bytes, count;
} blur_dual_mix;

#undef BLUR_ARGUMENTS
#pragma clang assume_nonnull end
#endif
