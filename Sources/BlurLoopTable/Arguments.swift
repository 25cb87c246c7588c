import CBlurVectors

// This file declares the arguments of the inner loops, as one tuple for each loop. Tuples are passed in
// registers. A structure of more than four words would be passed through memory, which costs 3 ns for each
// call.
//
// Some names mean the same in all tuples, unless a comment says otherwise:
// - `rows`: the addresses of the source rows.
// - `count`: the number of components to process in a row.
// - `channels`: the number of components of a pixel, which is 1, 3 or 4.
// - `bytes`: the number of bytes in which a component is stored. It is 4 for floats, and 1 or 2 for integers,
//   to which results are rounded.

// MARK: Window filters

/// The arguments of the vertical pass in fixed point, for images with 16-bit components. It sums `2 · pairs`
/// source rows into four neighbouring lines.
public typealias FixedDown = (
  // The addresses of the rows to sum. They are followed by the addresses of the four new rows that the next
  // call needs, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, pairs: Int,
  // Four 32-bit words for each pair of source rows, one for each output line. A word holds two 16-bit
  // weights, one for each row of the pair.
  weights: UnsafePointer<Int32>,
  // The first output line. The other lines follow at a distance of `lineStride` values. Each line has space
  // for `count` values and one more vector. The stored values are those of the image minus 32768.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, count: Int
)

/// The arguments of the horizontal pass in fixed point, for images with 16-bit components. It sums shifted
/// copies of a line into one output row.
public typealias FixedAcross = (
  // The place in the line of the first output pixel, which is the first pixel of a pair. The line is readable
  // for as many pixels as the radius before the row and after it, and for another four vectors.
  line: UnsafePointer<UInt16>,
  channels: Int,
  // The pairs of source pixels in a window. `first` is the distance from the pair of output pixels to the
  // first pair in its window, counted in pairs. It is 0 or negative. `pairs` is the number of pairs in the
  // window.
  first: Int, pairs: Int,
  // Two 32-bit words for each pair of source pixels. The first word is for the first pixel of an output pair,
  // and the second word for its second pixel. Each word holds two 16-bit weights, one for each source pixel.
  weights: UnsafePointer<Int32>,
  target: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of the vertical pass of the averages filter, in 16-bit arithmetic. It computes four
/// neighbouring output lines. The two rows at the same distance from the centre are averaged, and then
/// multiplied by their weight.
public typealias AveragesDown = (
  // The addresses of the rows to sum. The window of output line j is centred on row `radius + j`. The list
  // ends with the four new rows that the next call needs, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Here `bytes` is the size of a source component, which is 1 or 2. Components of 1 byte are multiplied by
  // 256.
  bytes: Int, channels: Int, radius: Int,
  // One vector of equal weights for each distance, starting at the centre. The weights are in units of
  // 1/65536 and sum to 1.
  weights: UnsafePointer<UInt16>,
  // The first output line. The other lines follow at a distance of `lineStride` values. Each line stores all
  // even pixels first, and all odd pixels from the index `odd` on. After the even pixels and after the odd
  // pixels, there is space for one more vector.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, odd: Int, count: Int
)

/// The arguments of the horizontal pass of the averages filter. It computes one output row from a line. The
/// two pixels at the same distance from the centre are averaged, and then multiplied by their weight.
public typealias AveragesAcross = (
  // The place in the line of the first output pixel, which must be even. The line is readable for `radius`
  // pixels before the row and after it, and for another four vectors.
  line: UnsafePointer<UInt16>,
  odd: Int, channels: Int, radius: Int,
  weights: UnsafePointer<UInt16>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether to write rows of bytes with non-temporal stores, because the results are not read soon.
  isStreamed: Bool
)

/// The arguments of the vertical pass in single precision. It sums `taps + 3` source rows into four
/// neighbouring lines.
public typealias FloatDown = (
  // The addresses of the rows to sum. Output line j is the weighted sum of `taps` rows, beginning with row
  // number j. The list ends with the four new rows that the next call needs, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, taps: Int,
  // The weights of all taps, from the top of the window to its bottom. They are symmetric.
  weights: UnsafePointer<Float>,
  // The first output line. The other lines follow at a distance of `lineStride` values. Each line has space
  // for `count` values and two more vectors.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// The arguments of the horizontal pass in single precision. It sums shifted copies of a line into one output
/// row.
public typealias FloatAcross = (
  // The place in the line of the first output pixel. The line is readable for `radius` pixels before the row
  // and after it, and for another five vectors.
  line: UnsafePointer<Float>,
  channels: Int, radius: Int,
  // The weight of the centre, followed by the weights at the distances 1 to `radius`.
  weights: UnsafePointer<Float>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)

/// The arguments of the vertical pass of the band filter, in single precision. It sums source rows into four
/// neighbouring lines. Each line has its own weight for each row.
public typealias BandDown = (
  // The addresses of the rows to sum. Each row is readable for one vector beyond its last value.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Here `bytes` is the size of a source component, which is 2 or 4. `taps` is the number of source rows.
  bytes: Int, taps: Int,
  // Four weights for each source row, one for each output line.
  weights: UnsafePointer<Float>,
  // The first output line. The other lines follow at a distance of `lineStride` values. Each line has space
  // for `count` values and one more vector.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// The arguments of the horizontal pass of the band filter, in single precision. It computes four output rows
/// from four lines. Output pixels are processed in groups of as many whole pixels as fit into a vector, and
/// each group has its own weights.
public typealias BandAcross = (
  // The address of the first pixel of the first line.
  lines: UnsafePointer<Float>,
  lineStride: Int, channels: Int,
  // Five numbers for each group of output pixels. A group reads up to two ranges of source pixels, and the
  // first four numbers are the first pixel and the number of pixels of each range. The fifth is the index of
  // the group's first weight vector.
  groups: UnsafePointer<Int>,
  // One vector of weights for each source pixel that a group reads. It holds a weight for each output value
  // of the group. The other lanes are 0.
  weights: UnsafePointer<Float>,
  // The addresses of the four output rows. Each row has space for one vector beyond its last value.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  // Here `bytes` is the size of an output component, which is 2 or 4.
  bytes: Int, count: Int
)

// MARK: Resampling

/// The arguments of vertical downsampling, which computes two lines. The first line is the binomial mean of
/// `order + 1` rows. The second line is the mean of as many rows, two rows further down. Each line stores all
/// even pixels first, and all odd pixels from the index `odd` on.
public typealias DownsampleVertical = (
  // The addresses of the source rows. They are followed by the addresses of four more rows, which are
  // prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, order: Int,
  // The two output lines. After its even pixels and after its odd pixels, each line has space for one more
  // vector.
  line: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer,
  // The index of the first value that belongs to an odd pixel.
  odd: Int,
  // The number of components in each source row. The first pixel of the row counts as even.
  count: Int
)

/// The arguments of horizontal downsampling, which computes one row of the smaller image. Each output pixel
/// is the binomial mean of the pixels around an even pixel of the line.
public typealias DownsampleHorizontal = (
  // The place in the line of the even pixel at the centre of the first mean. The odd pixel after it is stored
  // `odd` values later. Even and odd pixels are readable for `order / 4 + 1` pixels before the row and after
  // it, and for one more vector.
  line: UnsafeRawPointer,
  odd: Int, channels: Int, order: Int,
  // The output row. It has space for `count` values and one more vector.
  target: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of vertical upsampling, which computes two lines from five rows of the smaller image. The
/// first line lies at the position of `rows[2]`, and the second just below it. With order 2, the first line
/// equals this row, so it is not written.
public typealias UpsampleVertical = (
  // The addresses of five rows of the smaller image. Each row is readable for one vector beyond its last
  // value.
  rows: UnsafePointer<UnsafeRawPointer>,
  order: Int,
  // The two output lines. Each has space for `count` values and one more vector.
  even: UnsafeMutableRawPointer, odd: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of horizontal upsampling, which computes one row of the larger image. It makes two pixels
/// from each pixel of the line.
public typealias UpsampleHorizontal = (
  // The pixel of the line from which the first two output pixels are made. The line is readable from two
  // pixels before it to two pixels and one vector after its end. In 16-bit arithmetic, one pixel instead of
  // two is enough.
  line: UnsafeRawPointer,
  channels: Int, order: Int,
  // The first output pixel, which is even. The output row has space for another two vectors. `bytes` and
  // `count` describe the output row.
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether nothing may be written beyond the first `count` components. If components have 1 byte, nothing is
  // ever written beyond them.
  isExact: Bool,
  // Whether to write rows of bytes with non-temporal stores, because the results are not read soon.
  isStreamed: Bool
)

// MARK: The triple box

/// The arguments of the vertical pass of the triple box for integers. It adds a block of rows to the running
/// sums of all columns. The block has 16 rows, or 4 rows if pixels have four channels. It stores the results
/// in steps. A step is a group of 16 values, from one column of the block or from one pixel of four channels
/// (see BlurSums.h). Here `channels` is the number of channels in a step, 1 or 4.
public typealias BoxDown = (
  // The addresses of six source rows for each row of the block: the rows that are 0, d, e, 2d, d + e and 2d +
  // e rows further up, where d and e are the sizes of the boxes.
  taps: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, count: Int,
  // The running sums: three sums for each column, with 32 or 64 bits each. The number of columns is rounded
  // up to whole vectors.
  sums: UnsafeMutableRawPointer,
  // The memory for the results. The loop with 32-bit sums stores each result in `low`. The loop with 64-bit
  // sums stores it in two parts, so that it equals low + high · 2²⁴. Both addresses are null while the first
  // window is not yet full, because there are no results then.
  low: UnsafeMutableRawPointer?, high: UnsafeMutableRawPointer?,
  // The number of bits by which 64-bit sums are shifted right before they are stored.
  shift: UInt64
)

/// The arguments of the loop that writes the first `count` steps of a line to rows. A step is a group of 16
/// values, from one column of 16 rows or from one pixel of four channels in 4 rows.
public typealias BoxWrite = (
  steps: UnsafeRawPointer,
  // The address of the first pixel in each target row, and the number of target rows.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  rows: Int, bytes: Int, channels: Int, count: Int
)

/// The arguments of the horizontal pass of the triple box for integers. It computes running sums along a
/// line, and writes them to rows. The line consists of steps, which are groups of 16 values from different
/// rows.
public typealias BoxAcross = (
  // The source line, whose steps are groups of 16 values, and the rows to which the results are written.
  // Zeros are stored before the first step, as many as the windows reach back.
  line: BoxWrite,
  // The upper parts of the values in the line, also preceded by zeros. It is null if every value fits in one
  // part.
  high: UnsafeRawPointer?,
  // The number of steps (groups of 16 values) in each pixel, and the sizes of the boxes in pixels. There are
  // two boxes of size `twice`, and one of size `once`. If a pixel has several steps, each of them has running
  // sums of its own.
  stride: Int, twice: Int, once: Int,
  // The number of steps (groups of 16 values) at the start of the line that are summed before the first
  // result. It is a whole number of pixels.
  lead: Int,
  // How a sum is divided. With 64-bit sums, the result is the whole part of sum · scale + bias. With 32-bit
  // sums, it is the whole part of (sum + half) · reciprocal / 2ˢʰⁱᶠᵗ.
  scale: Double, bias: Double,
  half: UInt32, reciprocal: UInt32,
  shift: UInt64,
  // Scratch memory of `blur_chunk_bytes` bytes.
  scratch: UnsafeMutableRawPointer
)

/// The arguments of the triple box for floats. The loop computes the mean of each window of `size` pixels
/// along a line, in single precision. It stores the means in `target`, which may be the same memory as
/// `source`.
public typealias BoxMeans = (
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  // The number of steps (groups of 16 values) in each pixel, the number of pixels in the source, and the
  // length of a window in pixels. The source must be at least as long as a window. There are `count - size +
  // 1` means.
  stride: Int, count: Int, size: Int,
  // Scratch memory for sums in double precision: 16 numbers for each pixel of a window.
  block: UnsafeMutableRawPointer
)

/// The arguments of the loop that transposes a tile into steps, which are groups of 16 values. The tile holds
/// 16 components of each row in a block of rows, one row after the other.
public typealias BoxTranspose = (
  tile: UnsafeRawPointer,
  channels: Int,
  // The memory for the output steps. It must have space for all steps of the tile.
  steps: UnsafeMutableRawPointer
)

// MARK: Sliding cosines

/// The arguments of the loop that computes the sums over the first window of every column. It runs at the
/// start of each block of rows, where the sums begin anew.
public typealias CosineBegin = (
  // The addresses of the `2 · radius + 1` rows in the first window.
  rows: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // Space for the state of the sums of each vector of columns.
  states: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of the vertical pass of the cosine filter. It blurs as many rows as a vector has lanes, and
/// moves the windows on by this number of rows.
public typealias CosineDown = (
  // For each output row, the address of the row just below its window, which enters the sums next, and the
  // address of the first row of its window, which then leaves the sums.
  entering: UnsafePointer<UnsafeRawPointer?>, leaving: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // The states that `CosineBegin` has saved. Their number is even.
  states: UnsafeMutableRawPointer,
  // Scratch memory for two square matrices. Each has as many rows and as many columns as a vector has lanes.
  tile: UnsafeMutablePointer<Float>,
  // The output columns. For each column, there is a vector that holds its values in all output rows. Each
  // vector begins `pitch` values after the one before.
  columns: UnsafeMutablePointer<Float>,
  pitch: Int, count: Int
)

/// The arguments of the horizontal pass of the cosine filter. It blurs a part of several rows. Its input
/// consists of vectors, each of which holds the values of several rows in one column.
public typealias CosineAcross = (
  // The first vector of the pixel at which the sums begin. The columns are readable for as many pixels as the
  // radius before the blurred part and after it, and for one more pixel.
  columns: UnsafePointer<Float>,
  // The number of components of a pixel, and the number of vectors for each component, which together hold
  // the values of all rows. The product of the two numbers must be even.
  channels: Int, groups: Int,
  window: blur_cosines,
  // Scratch memory for the states of the sums, one for each vector of a pixel.
  states: UnsafeMutableRawPointer,
  // Scratch memory for square matrices: one for each vector of a pixel, and one more. Each has as many rows
  // and as many columns as a vector has lanes.
  tile: UnsafeMutablePointer<Float>,
  // The number of pixels from the start of the sums to the first wanted pixel, and the number of wanted
  // pixels.
  skipped: Int, count: Int,
  // The addresses of the first wanted pixel in each row. Only the rows from `firstRow` up to, but not
  // including, `endRow` are written.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  firstRow: Int, endRow: Int,
  bytes: Int
)

// MARK: The dual filter
//
// All lines and rows have space for two vectors beyond their last value.

/// The arguments of the loop that computes a line of samples between rows, by interpolation. Each sample is
/// the weighted mean of four rows, or of two rows if the other two weights are 0.
public typealias DualBlend = (
  // The addresses of the four rows that `samples` refers to.
  rows: UnsafePointer<UnsafeRawPointer>,
  samples: blur_samples,
  bytes: Int,
  line: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of the loop that downsamples a row. One half of a result is the mean of two neighbouring
/// pixels, and the other half is the mean of the samples around these pixels.
public typealias DualDownsample = (
  // The line of centre samples, which contains the pairs of neighbouring pixels. It starts at the first pair.
  centre: UnsafePointer<Float>,
  // The line of corner samples, which also starts at the first pair. It is readable as far to both sides as
  // the samples reach.
  corners: UnsafePointer<Float>,
  samples: blur_samples,
  channels: Int,
  // The downsampled row, which has `count` values.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of the loop that upsamples a row. It makes an even and an odd pixel from each pixel of the
/// lines. The samples are given for the odd pixel, and are mirrored for the even pixel. A result is the sum
/// of three products:
/// - 1/6 of the samples that are near vertically and far horizontally,
/// - 1/6 of the samples that are far vertically and near horizontally,
/// - 2/3 of the samples that are at half the distance in both directions.
public typealias DualUpsample = (
  // Three lines of samples between rows, which are readable as far to both sides as the samples reach. They
  // differ in the vertical sample that they contain:
  // - `nearLine` contains the near samples. The far samples are read from it horizontally.
  // - `farLine` contains the far samples. The near sample is read from it horizontally.
  // - `halfLine` contains the samples at half the distance. Samples at half the distance are read from it
  //   horizontally, too.
  nearLine: UnsafePointer<Float>, farLine: UnsafePointer<Float>, halfLine: UnsafePointer<Float>,
  farSamples: blur_samples, nearSample: blur_samples, halfSamples: blur_samples,
  channels: Int,
  // The upsampled row. Here `count` is the number of values in a line, and the row has twice as many values.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of the loop that mixes a blurred row with the same row of the original image, rounds the
/// result, and writes it.
public typealias DualMix = (
  row: UnsafePointer<Float>,
  // The weight of the blurred row. If it is 1, the original image is not read.
  share: Float,
  // The row of the original image, and the row of the result.
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)
