import CBlurVectors

// The arguments of the inner loops, one tuple for each. They are tuples because those are passed in
// registers; a structure of more than four words goes through memory, which costs a call 3 ns.
//
// Unless said otherwise: `rows` are addresses of rows, a `count` counts components (values), `channels` are
// components of a pixel (1, 3 or 4), `bytes` those of a stored component: 1 and 2 for integers, which are
// rounded to nearest, 4 for float.

// MARK: Window filters

/// Sums `2 · pairs` rows of 16-bit components into four neighbouring lines, in fixed point.
public typealias FixedDown = (
  // The rows of the next block, four more, follow in the list and are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, pairs: Int,
  // For each pair of rows four 32-bit words, one for each output row: two 16-bit weights.
  weights: UnsafePointer<Int32>,
  // Where the first output row goes; the others follow at a distance of `lineStride` values. Each has room
  // for `count` values and one vector more. Values are those of the image, less 32768.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, count: Int
)

/// Sums shifted copies of a line into one output row of 16-bit components, in fixed point.
public typealias FixedAcross = (
  // The pair of pixels under the first output pair; readable for the window's radius to both sides, and four
  // vectors more.
  line: UnsafePointer<UInt16>,
  channels: Int,
  // The first pair of the window, relative to the one under it (mostly negative), and how many pairs it
  // touches.
  first: Int, pairs: Int,
  // For each pair two 32-bit words of two weights: for the first pixel of an output pair and for the second.
  weights: UnsafePointer<Int32>,
  target: UnsafeMutableRawPointer,
  count: Int
)

/// Sums each of four rows and those around it, in 16 bits: the mean of the two rows at a distance, times
/// their weight.
public typealias AveragesDown = (
  // Output row j is around row `radius + j`. The rows of the next block, four more, follow in the list and
  // are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Values are words, or 256 times those of bytes.
  bytes: Int, channels: Int, radius: Int,
  // A vector for each distance, that of the centre first: 65536ths, which sum to 1.
  weights: UnsafePointer<UInt16>,
  // Where the first output row goes; the others follow at a distance of `lineStride` values. All even pixels
  // come first, and from `odd` values later all odd ones. Each half has room for one vector more.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, odd: Int, count: Int
)

/// Sums a line along the row, as `AveragesDown` does rows.
public typealias AveragesAcross = (
  // The value under the first result, which is of an even pixel; readable for `radius` pixels to both sides,
  // and four vectors more.
  line: UnsafePointer<UInt16>,
  odd: Int, channels: Int, radius: Int,
  weights: UnsafePointer<UInt16>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether bytes go past the caches: for results that are not read soon.
  isStreamed: Bool
)

/// Sums `taps + 3` rows into four neighbouring lines, in single precision.
public typealias FloatDown = (
  // Output row j sums the `taps` rows that start at number j. The rows of the next block, four more, follow
  // in the list and are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, taps: Int,
  // One for each tap, the same from both ends.
  weights: UnsafePointer<Float>,
  // Where the first output row goes; the others follow at a distance of `lineStride` values. Each has room
  // for `count` values and two vectors more.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// Sums shifted copies of a line into one output row, in single precision.
public typealias FloatAcross = (
  // The value under the first output value; readable for `radius` pixels to both sides, and five vectors
  // more.
  line: UnsafePointer<Float>,
  channels: Int, radius: Int,
  // That of the centre, then those at distances 1 to `radius`.
  weights: UnsafePointer<Float>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)

/// Sums rows into four neighbouring lines, each with weights of its own, in single precision.
public typealias BandDown = (
  // The rows, readable for one vector beyond their last value.
  rows: UnsafePointer<UnsafeRawPointer>,
  // 2 or 4.
  bytes: Int, taps: Int,
  // Four for each row, one for each line.
  weights: UnsafePointer<Float>,
  // Where the first line goes; the others follow at a distance of `lineStride` values. Each has room for
  // `count` values and one vector more.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// Sums pixels of each of four lines into a row, with other weights for each group of output pixels: as many
/// whole ones as a vector holds.
public typealias BandAcross = (
  // The first pixel of the first line.
  lines: UnsafePointer<Float>,
  lineStride: Int, channels: Int,
  // Five numbers for each group: the first and the number of pixels in two runs, and where their weights
  // begin, in vectors.
  groups: UnsafePointer<Int>,
  // A vector for each pixel of the runs, a weight for each value of the group; 0 beyond.
  weights: UnsafePointer<Float>,
  // Where the four rows go, with room for one vector beyond their last value.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  // 2 or 4.
  bytes: Int, count: Int
)

// MARK: Resampling

/// Takes the binomial means of `order + 1` rows, and of those two rows further down, each as one line of all
/// even pixels, and from `odd` values later all odd ones.
public typealias DownsampleVertical = (
  // Source rows, and the four that follow, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, order: Int,
  // Two lines, with room for half of `count` components and one vector, twice.
  line: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer,
  // The value at which odd pixels begin.
  odd: Int,
  // Components in a row, which begins with an even pixel.
  count: Int
)

/// Takes the binomial mean of a line at its even pixels.
public typealias DownsampleHorizontal = (
  // The even pixel under the first result; odd pixels stand `odd` values later. Both halves are readable for
  // `order / 4 + 1` pixels to both sides, and one vector more.
  line: UnsafeRawPointer,
  odd: Int, channels: Int, order: Int,
  // Room for the result, of `count` values, and one vector.
  target: UnsafeMutableRawPointer,
  count: Int
)

/// Makes the two lines at and below row `rows[2]`. For order 2 the first is that row itself, and is not
/// written.
public typealias UpsampleVertical = (
  // Five rows, readable for one vector beyond their last value.
  rows: UnsafePointer<UnsafeRawPointer>,
  order: Int,
  // Room for `count` values and one vector each.
  even: UnsafeMutableRawPointer, odd: UnsafeMutableRawPointer,
  count: Int
)

/// Makes two pixels for each of a line.
public typealias UpsampleHorizontal = (
  // The pixel under the first result; readable for two pixels before, and two and a vector after (in 16 bits,
  // one).
  line: UnsafeRawPointer,
  channels: Int, order: Int,
  // The first result, an even pixel, with room for two vectors more; `bytes` and `count` are the result's.
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether exactly `count` components may be written. Bytes are always written so.
  isExact: Bool,
  // Whether bytes go past the caches: for results that are not read soon.
  isStreamed: Bool
)

// MARK: The triple box

/// Advances the sums of all columns by a block of rows: 16, or 4 of rgba. BlurSums.h says what a step is, and
/// that `channels` are those of a step, 1 or 4.
public typealias BoxDown = (
  // For each row the addresses of those at delays 0, d, e, 2d, d + e, 2d + e.
  taps: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, count: Int,
  // The running sums: for each vector of 16-bit lanes three of 32 or 64 bits.
  sums: UnsafeMutableRawPointer,
  // Where steps are written: 32 bits, or two limbs, low + high · 2²⁴. Null while the window fills.
  low: UnsafeMutableRawPointer?, high: UnsafeMutableRawPointer?,
  // Places by which 64-bit sums are shifted right.
  shift: UInt64
)

/// Writes the first `count` steps of a line to rows.
public typealias BoxWrite = (
  steps: UnsafeRawPointer,
  // Where the rows' first pixels go, and how many rows there are.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  rows: Int, bytes: Int, channels: Int, count: Int
)

/// Sums along a line of steps, and writes the results to rows.
public typealias BoxAcross = (
  // The line's steps, and the rows it becomes. Zeros stand before the first step as far as the windows need.
  line: BoxWrite,
  // The upper limbs of the steps, likewise.
  high: UnsafeRawPointer?,
  // The steps of a pixel, each the start of another line; the sizes of the boxes in pixels: two of
  // `twice`, one of `once`.
  stride: Int, twice: Int, once: Int,
  // Steps before the first result, those of whole pixels.
  lead: Int,
  // A result is the whole part of sum · scale + bias for sums of 64 bits, and of
  // (sum + half) · reciprocal / 2ˢʰⁱᶠᵗ for sums of 32.
  scale: Double, bias: Double,
  half: UInt32, reciprocal: UInt32,
  shift: UInt64,
  // `blur_chunk_bytes` bytes.
  scratch: UnsafeMutableRawPointer
)

/// Puts the means of all windows of `size` pixels of single precision in `target`, which may be `source`.
public typealias BoxMeans = (
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  // The steps of a pixel; pixels in the source, at least `size`; there are `size - 1` fewer results.
  stride: Int, count: Int, size: Int,
  // Room for `size` steps in double precision.
  block: UnsafeMutableRawPointer
)

/// Transposes a tile of 16 components of a block's rows, one row after the other, into steps.
public typealias BoxTranspose = (
  tile: UnsafeRawPointer,
  channels: Int,
  // Room for each step of the tile.
  steps: UnsafeMutableRawPointer
)

// MARK: Sliding cosines

/// Computes the states of all columns for the first row of a block.
public typealias CosineBegin = (
  // The rows of the first window, `2 · radius + 1` of them.
  rows: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // A saved state for each vector of columns.
  states: UnsafeMutableRawPointer,
  count: Int
)

/// Blurs as many rows as a vector has lanes, and moves the states on by that many.
public typealias CosineDown = (
  // The rows below the windows of the rows wanted, and the first rows of those windows.
  entering: UnsafePointer<UnsafeRawPointer?>, leaving: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // An even number of states, see `CosineBegin`.
  states: UnsafeMutableRawPointer,
  // Room for two squares of lanes.
  tile: UnsafeMutablePointer<Float>,
  // Where results go: a vector for each column, which holds its rows, each `pitch` values after the one
  // before.
  columns: UnsafeMutablePointer<Float>,
  pitch: Int, count: Int
)

/// Blurs part of some rows along the row, from vectors that hold the rows of a column each.
public typealias CosineAcross = (
  // The first vector under the first pixel, where the sums begin; readable for the radius to both sides, and
  // one pixel more.
  columns: UnsafePointer<Float>,
  // Components of a pixel, and vectors of rows for each; their product is even.
  channels: Int, groups: Int,
  window: blur_cosines,
  // Room for a saved state for each vector of a pixel.
  states: UnsafeMutableRawPointer,
  // Room for a square of lanes for each vector of a pixel, and one more.
  tile: UnsafeMutablePointer<Float>,
  // Pixels before the first wanted one, and wanted pixels.
  skipped: Int, count: Int,
  // Where the first wanted pixels of rows go: an address for each row from `firstRow` up to `endRow`.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  firstRow: Int, endRow: Int,
  bytes: Int
)

// MARK: The dual filter
//
// Lines and rows have room for two vectors more than they hold.

/// Samples between rows: the mean of four rows, of two where the other weights are 0.
public typealias DualBlend = (
  // The rows at the samples' indices.
  rows: UnsafePointer<UnsafeRawPointer>,
  samples: blur_samples,
  bytes: Int,
  line: UnsafeMutablePointer<Float>,
  count: Int
)

/// Downsamples a row: the mean of each pair of pixels, and samples around it, in equal parts.
public typealias DualDownsample = (
  // The line of the pairs, from the first pair on.
  centre: UnsafePointer<Float>,
  // That of the samples, likewise; readable as far as they are.
  corners: UnsafePointer<Float>,
  samples: blur_samples,
  channels: Int,
  // The downsampled row, of `count` values.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// Upsamples a row: an even and an odd pixel for each pixel of the lines. The samples are those of the odd
/// one, of which the even one is the mirror image; far ones weigh 1/6 in each direction, half ones 2/3.
public typealias DualUpsample = (
  // The line of one sample near the row, for samples far across; that of the samples far from the row, for
  // one near across; that of the samples half as far, for samples half as far. All are readable as far as the
  // samples are.
  nearLine: UnsafePointer<Float>, farLine: UnsafePointer<Float>, halfLine: UnsafePointer<Float>,
  farSamples: blur_samples, nearSample: blur_samples, halfSamples: blur_samples,
  channels: Int,
  // The upsampled row; `count` are the values of a line.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// Mixes a row with that of the image, and writes it, rounded.
public typealias DualMix = (
  row: UnsafePointer<Float>,
  // The row's weight. Where it is 1, the image is not read.
  share: Float,
  // The row of the image, and the result.
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)
