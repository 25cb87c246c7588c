import CBlurVectors

// The arguments of the inner loops, one tuple for each loop. Tuples are passed in registers. A structure of
// more than four words goes through memory, which costs 3 ns per call.
//
// Unless a comment says otherwise: `rows` are the addresses of rows; `count` is a number of components
// (values); `channels` is the number of components of a pixel (1, 3 or 4); `bytes` is the size of a stored
// component, which is 1 or 2 for integers, rounded to nearest, and 4 for floats.

// MARK: Window filters

/// Arguments of the loop that sums `2 · pairs` rows of 16-bit components into four neighbouring lines, in
/// fixed point.
public typealias FixedDown = (
  // The rows to sum. The list continues with the four new rows of the next block, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, pairs: Int,
  // Four 32-bit words for each pair of rows, one for each output row. A word holds two 16-bit weights.
  weights: UnsafePointer<Int32>,
  // The first output line. The others follow at a distance of `lineStride` values. Each line has space for
  // `count` values and one more vector. Its values are those of the image minus 32768.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, count: Int
)

/// Arguments of the loop that sums shifted copies of a line into one output row of 16-bit components, in
/// fixed point.
public typealias FixedAcross = (
  // The pair of pixels under the first output pair. The line is readable for the window's radius to both
  // sides, and for four more vectors.
  line: UnsafePointer<UInt16>,
  channels: Int,
  // The first pair of the window, relative to the pair under the output (usually negative), and the number of
  // pairs that the window touches.
  first: Int, pairs: Int,
  // Two 32-bit words for each pair, for the first pixel of an output pair and for the second. Each word holds
  // two weights.
  weights: UnsafePointer<Int32>,
  target: UnsafeMutableRawPointer,
  count: Int
)

/// Arguments of the loop that sums the windows around each of four rows, in 16 bits. The mean of the two rows
/// at the same distance is multiplied by their weight.
public typealias AveragesDown = (
  // The rows to sum. Output row j is centred on row `radius + j`. The list continues with the four new rows
  // of the next block, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Source values have 1 or 2 bytes. Values of 1 byte are multiplied by 256.
  bytes: Int, channels: Int, radius: Int,
  // One vector of weights for each distance, starting with the centre. The weights are in units of 1/65536
  // and sum to 1.
  weights: UnsafePointer<UInt16>,
  // The first output line. The others follow at a distance of `lineStride` values. Each line holds all even
  // pixels first, and all odd pixels from value number `odd` on. Each half has space for one more vector.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, odd: Int, count: Int
)

/// Arguments of the loop that sums a line horizontally, in the same way as `AveragesDown` sums rows.
public typealias AveragesAcross = (
  // The value under the first result, which belongs to an even pixel. The line is readable for `radius`
  // pixels to both sides, and for four more vectors.
  line: UnsafePointer<UInt16>,
  odd: Int, channels: Int, radius: Int,
  weights: UnsafePointer<UInt16>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether to write bytes with non-temporal stores, for results that are not read soon.
  isStreamed: Bool
)

/// Arguments of the loop that sums `taps + 3` rows into four neighbouring lines, in single precision.
public typealias FloatDown = (
  // The rows to sum. Output row j is the sum of `taps` rows, starting with row number j. The list continues
  // with the four new rows of the next block, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, taps: Int,
  // One weight for each tap. The weights are symmetric.
  weights: UnsafePointer<Float>,
  // The first output line. The others follow at a distance of `lineStride` values. Each line has space for
  // `count` values and two more vectors.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// Arguments of the loop that sums shifted copies of a line into one output row, in single precision.
public typealias FloatAcross = (
  // The value under the first output value. The line is readable for `radius` pixels to both sides, and for
  // five more vectors.
  line: UnsafePointer<Float>,
  channels: Int, radius: Int,
  // The weight of the centre, followed by the weights at the distances 1 to `radius`.
  weights: UnsafePointer<Float>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)

/// Arguments of the loop that sums rows into four neighbouring lines, in single precision. Each line has its
/// own weights.
public typealias BandDown = (
  // The rows to sum, which are readable for one vector beyond their last value.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Source components have 2 or 4 bytes.
  bytes: Int, taps: Int,
  // Four weights for each row, one for each line.
  weights: UnsafePointer<Float>,
  // The first output line. The others follow at a distance of `lineStride` values. Each line has space for
  // `count` values and one more vector.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// Arguments of the loop that sums the pixels of each of four lines into a row. Each group of output pixels
/// has its own weights. A group consists of as many whole pixels as a vector holds.
public typealias BandAcross = (
  // The first pixel of the first line.
  lines: UnsafePointer<Float>,
  lineStride: Int, channels: Int,
  // Five numbers for each group: the first pixel and the number of pixels of its two runs, and the index of
  // its first weight vector.
  groups: UnsafePointer<Int>,
  // One vector of weights for each pixel of the runs. It holds a weight for each value of the group, and 0
  // beyond.
  weights: UnsafePointer<Float>,
  // The addresses of the four output rows, which have space for one vector beyond their last value.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  // Output components have 2 or 4 bytes.
  bytes: Int, count: Int
)

// MARK: Resampling

/// Arguments of the loop that downsamples rows vertically. It takes the binomial mean of `order + 1` rows,
/// and the mean of as many rows that start two rows further down. Each mean is a line that holds all even
/// pixels first, and all odd pixels from value number `odd` on.
public typealias DownsampleVertical = (
  // The source rows, followed by four more rows, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, order: Int,
  // The two output lines. Each half of a line has space for half of `count` components and one more vector.
  line: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer,
  // The index of the value at which the odd pixels begin.
  odd: Int,
  // The number of components in a row, which begins with an even pixel.
  count: Int
)

/// Arguments of the loop that downsamples a line horizontally. It takes the binomial mean around each even
/// pixel of the line.
public typealias DownsampleHorizontal = (
  // The even pixel under the first result. Odd pixels follow `odd` values later. Both halves are readable for
  // `order / 4 + 1` pixels to both sides, and for one more vector.
  line: UnsafeRawPointer,
  odd: Int, channels: Int, order: Int,
  // The output row, with space for `count` values and one more vector.
  target: UnsafeMutableRawPointer,
  count: Int
)

/// Arguments of the loop that upsamples rows vertically. It makes the two lines that lie at row `rows[2]` and
/// just below it. For order 2, the first line equals the row itself and is not written.
public typealias UpsampleVertical = (
  // Five rows, which are readable for one vector beyond their last value.
  rows: UnsafePointer<UnsafeRawPointer>,
  order: Int,
  // The two output lines, each with space for `count` values and one more vector.
  even: UnsafeMutableRawPointer, odd: UnsafeMutableRawPointer,
  count: Int
)

/// Arguments of the loop that upsamples a line horizontally. It makes two pixels for each pixel of the line.
public typealias UpsampleHorizontal = (
  // The pixel under the first result. The line is readable for two pixels before it, and for two pixels and a
  // vector after its end. In 16 bits, one pixel instead of two is enough.
  line: UnsafeRawPointer,
  channels: Int, order: Int,
  // The first result, which is an even pixel, with space for two more vectors. `bytes` and `count` refer to
  // the result.
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether exactly `count` components may be written. Results of 1 byte are always written exactly.
  isExact: Bool,
  // Whether to write bytes with non-temporal stores, for results that are not read soon.
  isStreamed: Bool
)

// MARK: The triple box

/// Arguments of the loop that advances the sums of all columns by a block of rows, which has 16 rows, or 4
/// rows of rgba. BlurSums.h explains what a step is. `channels` is the number of channels of a step, which is
/// 1 or 4.
public typealias BoxDown = (
  // For each row of the block, the addresses of the rows at the delays 0, d, e, 2d, d + e and 2d + e.
  taps: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, count: Int,
  // The running sums: three sums of 32 or 64 bits for each 16-bit lane of a vector.
  sums: UnsafeMutableRawPointer,
  // The output steps, as 32-bit values, or as two limbs with the value low + high · 2²⁴. Both are null while
  // the window fills.
  low: UnsafeMutableRawPointer?, high: UnsafeMutableRawPointer?,
  // The number of places by which 64-bit sums are shifted right.
  shift: UInt64
)

/// Arguments of the loop that writes the first `count` steps of a line to rows.
public typealias BoxWrite = (
  steps: UnsafeRawPointer,
  // The addresses of the first pixel in each row, and the number of rows.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  rows: Int, bytes: Int, channels: Int, count: Int
)

/// Arguments of the loop that accumulates a line of steps and writes the running sums as rows.
public typealias BoxAcross = (
  // The steps of the line, and the rows that it becomes. As many zeros as the windows need precede the first
  // step.
  line: BoxWrite,
  // The upper limbs of the steps, also preceded by zeros. Null if each step has only one limb.
  high: UnsafeRawPointer?,
  // The number of steps of a pixel, each of which belongs to a line of its own, and the sizes of the boxes in
  // pixels: two boxes of `twice` and one of `once`.
  stride: Int, twice: Int, once: Int,
  // The number of steps before the first result, which is a whole number of pixels.
  lead: Int,
  // For 64-bit sums, a result is the whole part of sum · scale + bias. For 32-bit sums, it is the whole part
  // of (sum + half) · reciprocal / 2ˢʰⁱᶠᵗ.
  scale: Double, bias: Double,
  half: UInt32, reciprocal: UInt32,
  shift: UInt64,
  // Scratch memory of `blur_chunk_bytes` bytes.
  scratch: UnsafeMutableRawPointer
)

/// Arguments of the loop that computes the means of all windows of `size` pixels, in single precision. It
/// stores them in `target`, which may be the same as `source`.
public typealias BoxMeans = (
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  // The number of steps of a pixel, the number of pixels in the source, which is at least `size`, and the
  // length of a window. There are `count - size + 1` results.
  stride: Int, count: Int, size: Int,
  // Space for `size` steps in double precision.
  block: UnsafeMutableRawPointer
)

/// Arguments of the loop that transposes a tile into steps. The tile holds 16 components of each row in a
/// block, one row after the other.
public typealias BoxTranspose = (
  tile: UnsafeRawPointer,
  channels: Int,
  // The output steps, with space for every step of the tile.
  steps: UnsafeMutableRawPointer
)

// MARK: Sliding cosines

/// Arguments of the loop that computes the states of all columns for the first row of a block.
public typealias CosineBegin = (
  // The `2 · radius + 1` rows of the first window.
  rows: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // One saved state for each vector of columns.
  states: UnsafeMutableRawPointer,
  count: Int
)

/// Arguments of the loop that blurs as many rows as a vector has lanes. It advances the states by the same
/// number of rows.
public typealias CosineDown = (
  // For each wanted row, the row just below its window, which enters the sums, and the first row of its
  // window, which leaves them.
  entering: UnsafePointer<UnsafeRawPointer?>, leaving: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // The saved states, as in `CosineBegin`. Their number is even.
  states: UnsafeMutableRawPointer,
  // Space for two squares whose sides are as long as a vector has lanes.
  tile: UnsafeMutablePointer<Float>,
  // The results. For each column there is a vector that holds the rows of the column, and each vector begins
  // `pitch` values after the one before.
  columns: UnsafeMutablePointer<Float>,
  pitch: Int, count: Int
)

/// Arguments of the loop that blurs a part of several rows horizontally. It reads vectors that each hold the
/// rows of one column.
public typealias CosineAcross = (
  // The first vector of the first pixel, where the sums begin. The columns are readable for the window's
  // radius to both sides, and for one more pixel.
  columns: UnsafePointer<Float>,
  // The number of components of a pixel, and the number of vectors of rows for each component. Their product
  // is even.
  channels: Int, groups: Int,
  window: blur_cosines,
  // Space for one saved state for each vector of a pixel.
  states: UnsafeMutableRawPointer,
  // Space for one square for each vector of a pixel, and for one more square. The sides of a square are as
  // long as a vector has lanes.
  tile: UnsafeMutablePointer<Float>,
  // The number of pixels before the first wanted pixel, and the number of wanted pixels.
  skipped: Int, count: Int,
  // The address of the first wanted pixel in each row, for the rows from `firstRow` up to `endRow`.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  firstRow: Int, endRow: Int,
  bytes: Int
)

// MARK: The dual filter
//
// Lines and rows have space for two more vectors than they hold.

/// Arguments of the loop that takes samples between rows. A result is the weighted mean of four rows, or of
/// two rows if the other weights are 0.
public typealias DualBlend = (
  // The rows at the four indices of the samples.
  rows: UnsafePointer<UnsafeRawPointer>,
  samples: blur_samples,
  bytes: Int,
  line: UnsafeMutablePointer<Float>,
  count: Int
)

/// Arguments of the loop that downsamples a row. A result is the mean of a pair of pixels and the samples
/// around the pair, in equal parts.
public typealias DualDownsample = (
  // The line that contains the pairs of pixels, starting at the first pair.
  centre: UnsafePointer<Float>,
  // The line that contains the samples, starting at the first pair. It is readable as far as the samples
  // reach.
  corners: UnsafePointer<Float>,
  samples: blur_samples,
  channels: Int,
  // The downsampled row, which has `count` values.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// Arguments of the loop that upsamples a row. It makes an even and an odd pixel for each pixel of the lines.
/// The samples are given for the odd pixel, and the even pixel uses their mirror image. In each direction,
/// far samples have the weight 1/6, and half samples have the weight 2/3.
public typealias DualUpsample = (
  // Three lines of samples between rows, which are readable as far as the samples reach. `nearLine` holds the
  // near sample vertically and is read with the far samples horizontally. `farLine` holds the far samples
  // vertically and is read with the near sample. `halfLine` holds the half samples and is read with the half
  // samples.
  nearLine: UnsafePointer<Float>, farLine: UnsafePointer<Float>, halfLine: UnsafePointer<Float>,
  farSamples: blur_samples, nearSample: blur_samples, halfSamples: blur_samples,
  channels: Int,
  // The upsampled row. `count` is the number of values of a line.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// Arguments of the loop that mixes a row with the same row of the image, rounds the result, and writes it.
public typealias DualMix = (
  row: UnsafePointer<Float>,
  // The weight of the row. If it is 1, the image is not read.
  share: Float,
  // The row of the image, and the row of the result.
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)
