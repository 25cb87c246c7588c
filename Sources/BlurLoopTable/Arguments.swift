import CBlurVectors

// This file declares the arguments of the inner loops, as one tuple for each loop. Tuples are passed in
// registers. A structure of more than four words would be passed through memory, which costs 3 ns for each
// call.
//
// Some names mean the same in all tuples, unless a comment says otherwise:
// - `rows`: the addresses of the source rows.
// - `line`, `lines`: lines of intermediate values. The vertical pass writes a line for each output row, and
//   the horizontal pass makes the output row from this line.
// - `count`: the number of components to process in a row.
// - `channels`: the number of components of a pixel, which is 1, 3 or 4.
// - `bytes`: the number of bytes in which a component is stored. It is 4 for floats, and 1 or 2 for integers.
//   Results that are stored as integers are rounded.

// MARK: Window filters

/// The arguments of the vertical pass in fixed point, for images with 16-bit components. It sums `2 · pairs`
/// source rows into four lines of intermediate values, for four neighbouring output rows.
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
  // The address of the first output pixel in the line. It is the first pixel of a pair. The line can be read
  // from one window radius before this pixel to one radius and four vectors after the last output pixel.
  line: UnsafePointer<UInt16>,
  channels: Int,
  // The window around a pair of output pixels. It consists of `pairs` pairs of source pixels. `first` is the
  // position of the first source pair relative to the output pair, as a number of pairs. It is 0 or negative.
  first: Int, pairs: Int,
  // Two 32-bit words for each pair of source pixels. The first word holds the two 16-bit weights that these
  // pixels have for the first output pixel of a pair. The second word holds their weights for the second
  // output pixel.
  weights: UnsafePointer<Int32>,
  target: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of the vertical pass of the averages filter, in 16-bit arithmetic. It computes four lines of
/// intermediate values, for four neighbouring output rows. The two source rows at the same distance from the
/// centre of a window are averaged, and then multiplied by their weight.
public typealias AveragesDown = (
  // The addresses of the rows to sum. The window of output line j is centred on row `radius + j`. The list
  // ends with the four new rows that the next call needs, which are prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Here `bytes` is the size of a source component, which is 1 or 2. Components of 1 byte are multiplied by
  // 256.
  bytes: Int, channels: Int, radius: Int,
  // One vector for each distance, starting at the centre. All lanes of a vector hold the same weight. The
  // weights are in units of 1/65536 and sum to 1.
  weights: UnsafePointer<UInt16>,
  // The first output line. The other lines follow at a distance of `lineStride` values. Each line stores all
  // even pixels first, and all odd pixels from the index `odd` on. After the even pixels and after the odd
  // pixels, there is space for one more vector.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, odd: Int, count: Int
)

/// The arguments of the horizontal pass of the averages filter. It computes one output row from a line of
/// intermediate values. The two pixels at the same distance from the centre of a window are averaged, and
/// then multiplied by their weight.
public typealias AveragesAcross = (
  // The address of the first output pixel in the line. This pixel must be even. The line can be read from
  // `radius` pixels before it to `radius` pixels and four vectors after the last output pixel.
  line: UnsafePointer<UInt16>,
  odd: Int, channels: Int, radius: Int,
  weights: UnsafePointer<UInt16>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether to write rows of bytes with non-temporal stores, because the results are not read soon.
  isStreamed: Bool
)

/// The arguments of the vertical pass in single precision. It sums `taps + 3` source rows into four lines of
/// intermediate values, for four neighbouring output rows.
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
  // The address of the first output pixel in the line. The line can be read from `radius` pixels before this
  // pixel to `radius` pixels and five vectors after the last output pixel.
  line: UnsafePointer<Float>,
  channels: Int, radius: Int,
  // The weight of the centre, followed by the weights at the distances 1 to `radius`.
  weights: UnsafePointer<Float>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)

/// The arguments of the vertical pass of the band filter, in single precision. It sums source rows into four
/// lines of intermediate values, for four neighbouring output rows. Each line has its own weight for each
/// source row.
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
  // The address of the first pixel in the first of the four lines.
  lines: UnsafePointer<Float>,
  lineStride: Int, channels: Int,
  // Five numbers for each group of output pixels. A group reads up to two ranges of source pixels. The first
  // two numbers are the first pixel and the number of pixels of the first range, and the next two describe
  // the second range in the same way. The fifth number is the index of the group's first vector in `weights`.
  groups: UnsafePointer<Int>,
  // One vector of weights for each source pixel that a group of output pixels reads. The vector holds a
  // weight for each output value of the group. The other lanes are 0.
  weights: UnsafePointer<Float>,
  // The addresses of the four output rows. Each row has space for one vector beyond its last value.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  // Here `bytes` is the size of an output component, which is 2 or 4.
  bytes: Int, count: Int
)

// MARK: Resampling

/// The arguments of vertical downsampling, which computes two lines. The first line is the binomial mean of
/// `order + 1` source rows. The second line is the same mean, computed two source rows further down. Each
/// line stores all even pixels first, and all odd pixels from the index `odd` on.
public typealias DownsampleVertical = (
  // The addresses of the source rows. They are followed by the addresses of four more rows, which are
  // prefetched.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, order: Int,
  // The two output lines. After its even pixels and after its odd pixels, each line has space for one more
  // vector.
  line: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer,
  // The index in each output line at which the odd pixels begin.
  odd: Int,
  // The number of components in each source row. The first pixel of the row counts as even.
  count: Int
)

/// The arguments of horizontal downsampling, which computes one row of the smaller image. Each output pixel
/// is the binomial mean of the pixels around an even pixel of the line.
public typealias DownsampleHorizontal = (
  // The address of the even pixel at the centre of the first output pixel. In memory, all even pixels of the
  // line come first, and all odd pixels come after them. The odd pixel that follows this even pixel in the
  // image is stored `odd` values after this address.
  //
  // The even pixels are readable from `order / 4 + 1` even pixels before the centre of the first output pixel
  // to `order / 4 + 1` even pixels and one vector after the centre of the last output pixel. The odd pixels
  // that follow these even pixels in the image are readable, too.
  line: UnsafeRawPointer,
  odd: Int, channels: Int, order: Int,
  // The output row. It has space for `count` values and one more vector.
  target: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of vertical upsampling, which computes two lines from five rows of the smaller image. In the
/// larger image, the first line lies at the position of `rows[2]`, and the second line just below it. With
/// order 2, the first line equals `rows[2]`, so it is not written.
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
  // The pixel of the line from which the first two output pixels are made. The line can be read from two
  // pixels before this pixel to two pixels and one vector after the last pixel of the line. In 16-bit
  // arithmetic, only one pixel is needed before the first and after the last pixel.
  line: UnsafeRawPointer,
  channels: Int, order: Int,
  // The first output pixel, which is even. The output row has space for another two vectors. `bytes` and
  // `count` describe the output row.
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether the loop must not write beyond the first `count` components. If components have 1 byte, the loop
  // never writes beyond them, even if this is false.
  isExact: Bool,
  // Whether to write rows of bytes with non-temporal stores, because the results are not read soon.
  isStreamed: Bool
)

// MARK: The triple box

/// The arguments of the vertical pass of the triple box for integers. The pass moves down the image by a
/// block of rows, and updates the running sums of all columns. A block has 4 rows if pixels have four
/// channels, and 16 rows otherwise.
///
/// The results are stored in steps, which are groups of 16 values (see BlurSums.h). If pixels have four
/// channels, a step holds the four pixels of one column in the block, and `channels` is 4. Otherwise, a step
/// holds the 16 values of one column in the block, and `channels` is 1.
public typealias BoxDown = (
  // The addresses of six source rows for each row of the block. The source rows lie 0, d, e, 2d, d + e and 2d
  // + e rows above the row of the block, where d and e are the sizes of the boxes.
  taps: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, count: Int,
  // The running sums: three sums for each column, with 32 or 64 bits each. The number of columns is rounded
  // up to whole vectors.
  sums: UnsafeMutableRawPointer,
  // The memory for the results of the vertical pass. The loop with 32-bit sums stores each result in `low`.
  // The loop with 64-bit sums stores each result in two parts, so that it equals low + high · 2²⁴. Both
  // addresses are null in the first rows, where the window is not yet full and there are no results.
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
  // The source line, and the rows to which the results are written. The line consists of steps, which are
  // groups of 16 values. The first windows begin before the first step, so there must be zeros in the memory
  // before it, as far as the windows reach.
  line: BoxWrite,
  // The upper parts of the values, if the vertical pass has stored each value in two parts. The line then
  // holds the lower parts. As in the line, there are zeros before the first step. The address is null if
  // every value fits in one part.
  high: UnsafeRawPointer?,
  // The number of steps (groups of 16 values) in each pixel, and the sizes of the boxes in pixels. There are
  // two boxes of size `twice`, and one of size `once`. If a pixel has several steps, each of these steps has
  // its own running sums.
  stride: Int, twice: Int, once: Int,
  // The number of steps (groups of 16 values) at the start of the line that are only added to the running
  // sums, and for which no results are written. They make up a whole number of pixels.
  lead: Int,
  // The constants that turn a running sum into a result. The loop with 64-bit sums computes the whole part of
  // sum · scale + bias. The loop with 32-bit sums computes the whole part of (sum + half) · reciprocal /
  // 2ˢʰⁱᶠᵗ.
  scale: Double, bias: Double,
  half: UInt32, reciprocal: UInt32,
  shift: UInt64,
  // Scratch memory of `blur_chunk_bytes` bytes.
  scratch: UnsafeMutableRawPointer
)

/// The arguments of the triple box for floats. The loop computes the mean of each window of `size` pixels
/// along a line. It stores the means in single precision in `target`, which may be the same memory as
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
  // The memory for the steps into which the tile is transposed. It must have space for all of them.
  steps: UnsafeMutableRawPointer
)

// MARK: Sliding cosines

/// The arguments of the loop that begins the vertical pass of the cosine filter. It computes the sums over
/// the first window of every column. It runs at the start of each block of rows, because each block begins
/// with new sums.
public typealias CosineBegin = (
  // The addresses of the `2 · radius + 1` rows in the first window.
  rows: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // The memory in which this loop saves the sums. The vertical pass later continues from them. Each vector of
  // columns has sums of its own, which are stored one after the other.
  states: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of the vertical pass of the cosine filter. It blurs as many rows as a vector has lanes, and
/// slides the windows down by this number of rows.
public typealias CosineDown = (
  // Two arrays with the address of one source row for each output row. When the window slides down to this
  // output row, the row in `entering` is added to the sums, because it enters the window. The row in
  // `leaving` is subtracted, because it leaves the window.
  entering: UnsafePointer<UnsafeRawPointer?>, leaving: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // The running sums for each vector of columns, which the loop with the arguments `CosineBegin` has
  // computed. The loops process two vectors of columns at a time, so the number of vectors is even.
  states: UnsafeMutableRawPointer,
  // Scratch memory for two square matrices, each with as many rows and columns as a vector has lanes.
  tile: UnsafeMutablePointer<Float>,
  // The memory for the results, which are stored column by column. For each column, there is a vector with
  // the values of this column in all output rows. The vectors begin `pitch` values apart.
  columns: UnsafeMutablePointer<Float>,
  pitch: Int, count: Int
)

/// The arguments of the horizontal pass of the cosine filter. It blurs a range of columns in several rows at
/// the same time. The source is stored column by column: each vector holds the values of several rows in one
/// column.
public typealias CosineAcross = (
  // The address of the pixel at the centre of the first window. The line can be read from one window radius
  // before this pixel to one radius and one pixel after the last wanted pixel.
  columns: UnsafePointer<Float>,
  // The number of components of a pixel, and the number of vectors that it takes to hold one component of a
  // pixel from each of the rows. The product of the two numbers must be even.
  channels: Int, groups: Int,
  window: blur_cosines,
  // Scratch memory for the running sums. A pixel consists of `channels · groups` vectors, and each vector has
  // sums of its own.
  states: UnsafeMutableRawPointer,
  // Scratch memory for square matrices, which have as many rows and columns as a vector has lanes. There is
  // one matrix for each of the `channels · groups` vectors of a pixel, and one more for the result of a
  // transposition.
  tile: UnsafeMutablePointer<Float>,
  // The number of pixels from the centre of the first window to the first wanted pixel, and the number of
  // wanted pixels.
  skipped: Int, count: Int,
  // For each row, the address of its first wanted pixel. Only the rows from `firstRow` up to, but not
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
  // The addresses of four rows, one for each of the four weights in `samples`.
  rows: UnsafePointer<UnsafeRawPointer>,
  samples: blur_samples,
  bytes: Int,
  line: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of the loop that downsamples a row. The loop makes one pixel from each pair of neighbouring
/// pixels, from two lines that lie between the source rows. The pixel is the average of two means: the mean
/// of the pair in the line of centre samples, and the mean of the samples around the pair in the line of
/// corner samples.
public typealias DualDownsample = (
  // The line of centre samples. It starts at the first pair of pixels from which an output pixel is made.
  centre: UnsafePointer<Float>,
  // The line of corner samples. It begins at the same pair of pixels as the line `centre`. The samples that
  // surround a pair lie at the positions in `samples`, relative to the pair. The memory before and after the
  // line must be readable wherever such a sample lies.
  corners: UnsafePointer<Float>,
  samples: blur_samples,
  channels: Int,
  // The downsampled row, which has `count` values.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of the loop that upsamples a row. It makes an even and an odd pixel from each pixel of three
/// lines that were interpolated between the source rows. The sample positions are those for the odd pixel,
/// and they are mirrored for the even pixel. Each output pixel is a sum of three terms:
/// - 1/6 of the mean of the samples `farSamples` in `nearLine`,
/// - 1/6 of the sample `nearSample` in `farLine`,
/// - 2/3 of the mean of the samples `halfSamples` in `halfLine`.
public typealias DualUpsample = (
  // Three lines that were interpolated vertically:
  // - `nearLine` lies at the vertical centre of the output row.
  // - `farLine` is the mean of two lines, which lie above and below this centre at the distance of the outer
  //   samples.
  // - `halfLine` is the mean of two lines at half this distance.
  //
  // The memory before and after each line must be readable wherever one of its samples lies.
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
  // The row of the original image at the same place as the blurred row, and the row of the result.
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)
