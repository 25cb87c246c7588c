import CBlurVectors

// This file declares the arguments of the inner loops, as one tuple for each loop. Tuples are passed in
// registers. A structure of more than four words would be passed through memory, which costs 3 ns for each
// call.
//
// The vertical pass of a blur combines pixels of the same column, and the horizontal pass combines pixels of
// the same row. Unless a comment says otherwise, these names mean the same in all tuples:
// - `rows`: the addresses of the source rows.
// - `line`, `lines`: rows of intermediate values. The vertical pass writes one line for each output row, and
//   the horizontal pass turns this line into the output row.
// - `count`: the number of components to process in a row. A component is the value of one channel of a
//   pixel.
// - `channels`: the number of components of a pixel, which is 1, 3 or 4.
// - `bytes`: the number of bytes in which a component is stored. It is 4 for floats, and 1 or 2 for integers.
//   Results that are stored as integers are rounded.

// MARK: Window filters

/// The arguments of the vertical pass of a fixed-point filter for 16-bit images. The pass computes four
/// neighbouring output rows at a time. For each of them, it writes a line of intermediate values, which the
/// horizontal pass reads. A line is the weighted sum of `2 · pairs` source rows.
public typealias FixedDown = (
  // The addresses of the `2 · pairs` rows to sum, followed by the addresses of four more rows. Those four
  // rows are only prefetched, because the next call needs them.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, pairs: Int,
  // The weights of the source rows. For each pair of neighbouring source rows, there are four 32-bit words,
  // one for each of the four output lines. A word holds two 16-bit weights, one for each row of the pair.
  weights: UnsafePointer<Int32>,
  // The first of the four output lines. Each further line begins `lineStride` values after the one before.
  // Each line has space for `count` values and one more vector. Each stored value is a pixel value minus
  // 32768, so that it fits in a signed 16-bit number.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, count: Int
)

/// The arguments of the horizontal pass of a fixed-point filter for 16-bit images. The pass reads one line of
/// intermediate values, which the vertical pass has written, and computes one output row. Each output pixel
/// is a weighted sum of neighbouring pixels of the line.
public typealias FixedAcross = (
  // The address in the line that corresponds to the first output pixel. The line stores pixels in pairs, and
  // a pair must begin at this address. The memory around the line is readable, too: one window radius before
  // this address, and one window radius plus four vectors after the place of the last output pixel.
  line: UnsafePointer<UInt16>,
  channels: Int,
  // The range of source pixels that are summed for two neighbouring output pixels. It consists of `pairs`
  // pairs of pixels. `first` is the position of the first pair, counted in pairs from the two output pixels.
  // For example, −2 means two pairs to their left. `first` is never greater than 0.
  first: Int, pairs: Int,
  // The weights of the source pixels. For each pair of neighbouring source pixels, there are two 32-bit
  // words, one for each of two neighbouring output pixels. A word holds two 16-bit weights, one for each
  // pixel of the source pair.
  weights: UnsafePointer<Int32>,
  target: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of the vertical pass of the averages filter, which blurs in 16-bit arithmetic. The pass
/// computes four neighbouring output rows at a time. For each of them, it writes a line of intermediate
/// values, which the horizontal pass reads. The filter averages the two source rows that lie at the same
/// distance above and below the output row, and multiplies this average by a weight.
public typealias AveragesDown = (
  // The addresses of source rows. Output line j, from 0 to 3, is computed from row number `radius + j`, and
  // from the `radius` rows above it and below it. The last four addresses in the list belong to rows that
  // are only prefetched, because the next call needs them.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Here `bytes` is the size of a component in the source rows, which is 1 or 2. A component of 1 byte is
  // multiplied by 256 when it is loaded, so that all values have 16 bits.
  bytes: Int, channels: Int, radius: Int,
  // The weights of the source rows. For each distance from the output row, from 0 to `radius`, there is one
  // vector with the same weight in all of its lanes. The weights are in units of 1/65536 and sum to 1.
  weights: UnsafePointer<UInt16>,
  // The first of the four output lines. Each further line begins `lineStride` values after the one before. A
  // line stores its even pixels (0, 2, 4 …) first, and its odd pixels (1, 3, 5 …) from the index `odd` on.
  // After the even pixels and after the odd pixels, there is space for one more vector.
  lines: UnsafeMutablePointer<UInt16>,
  lineStride: Int, odd: Int, count: Int
)

/// The arguments of the horizontal pass of the averages filter, which blurs in 16-bit arithmetic. The pass
/// computes one output row from a line of intermediate values. The two pixels at the same distance from the
/// centre of a window have the same weight, so the pass first averages them and then multiplies the average
/// by the weight.
public typealias AveragesAcross = (
  // The address in the line that corresponds to the first output pixel, which must be an even pixel. The line
  // stores its even pixels (0, 2, 4 …) before its odd pixels (1, 3, 5 …). The odd pixel that follows an even
  // pixel in the image is stored `odd` values after it. The memory around the line is readable, too: `radius`
  // pixels before this address, and `radius` pixels plus four vectors after the place of the last output
  // pixel.
  line: UnsafePointer<UInt16>,
  odd: Int, channels: Int, radius: Int,
  weights: UnsafePointer<UInt16>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int,
  // Whether to write rows of bytes with non-temporal stores, which bypass the caches. The caller sets this if
  // the results will not be read soon.
  isStreamed: Bool
)

/// The arguments of the vertical pass of a filter in single precision. The pass computes four neighbouring
/// output rows at a time. For each of them, it writes a line of intermediate values, which the horizontal
/// pass reads. A line is the weighted sum of `taps` source rows. The four lines together need `taps + 3`
/// source rows.
public typealias FloatDown = (
  // The addresses of `taps + 3` source rows, followed by the addresses of four more rows. Output line j, from
  // 0 to 3, is the weighted sum of the rows with the numbers j to j + taps − 1. The last four rows are only
  // prefetched, because the next call needs them.
  rows: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, taps: Int,
  // The weights of the source rows in a window, from the top row to the bottom row. The weights are
  // symmetric: the first one equals the last one, the second equals the last but one, and so on.
  weights: UnsafePointer<Float>,
  // The first of the four output lines. Each further line begins `lineStride` values after the one before.
  // Each line has space for `count` values and two more vectors.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// The arguments of the horizontal pass of a filter in single precision. The pass reads one line of
/// intermediate values, which the vertical pass has written, and computes one output row. Each output pixel
/// is a weighted sum of neighbouring pixels of the line.
public typealias FloatAcross = (
  // The address in the line that corresponds to the first output pixel. The memory around the line is
  // readable, too: `radius` pixels before this address, and `radius` pixels plus five vectors after the place
  // of the last output pixel.
  line: UnsafePointer<Float>,
  channels: Int, radius: Int,
  // The weight of the pixel at the centre of a window, followed by the weights of the pixels at the distances
  // 1 to `radius` from the centre. The pixels on both sides of the centre have the same weights.
  weights: UnsafePointer<Float>,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)

/// The arguments of the vertical pass of the band filter, which computes in single precision. In a band
/// filter, each output pixel has weights of its own. The pass computes four neighbouring output rows at a
/// time. For each of them, it writes a line of intermediate values, which the horizontal pass reads.
public typealias BandDown = (
  // The addresses of the rows to sum. In each row, one more vector after the last value is readable.
  rows: UnsafePointer<UnsafeRawPointer>,
  // Here `bytes` is the size of a component in the source rows, which is 2 or 4. The number of source rows is
  // `taps`.
  bytes: Int, taps: Int,
  // The weights of the source rows. For each source row, there are four weights, one for each of the four
  // output lines.
  weights: UnsafePointer<Float>,
  // The first of the four output lines. Each further line begins `lineStride` values after the one before.
  // Each line has space for `count` values and one more vector.
  lines: UnsafeMutablePointer<Float>,
  lineStride: Int, count: Int
)

/// The arguments of the horizontal pass of the band filter, which computes in single precision. In a band
/// filter, each output pixel has weights of its own. The pass reads four lines of intermediate values, which
/// the vertical pass has written, and computes four output rows. It computes a group of neighbouring output
/// pixels at a time: as many whole pixels as fit into a vector.
public typealias BandAcross = (
  // The address of the first pixel in the first of the four lines that the loop reads. Each further line
  // begins `lineStride` values after the one before.
  lines: UnsafePointer<Float>,
  lineStride: Int, channels: Int,
  // Five numbers for each group of output pixels. The pixels of a group are computed together, from up to two
  // ranges of source pixels. The numbers are:
  // - the index of the first source pixel in the first range, and the number of source pixels in this range,
  // - the same two numbers for the second range,
  // - the index in `weights` of the group's first vector of weights.
  groups: UnsafePointer<Int>,
  // The weights, as vectors. Each group of output pixels has one vector for each of its source pixels. This
  // vector holds the weight of the source pixel for each output value of the group. Its other lanes are 0.
  weights: UnsafePointer<Float>,
  // The addresses of the four output rows. In each row, there is space for one more vector after the last
  // value.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  // Here `bytes` is the size of a component in the output rows, which is 2 or 4.
  bytes: Int, count: Int
)

// MARK: Resampling

/// The arguments of the loop that halves the size of an image. It computes two rows of the smaller image with
/// a binomial filter of the order `order`. For example, the filter of order 2 has the weights (1 2 1) / 4.
/// The first row is computed from the first `order + 1` source rows, and the second row from the `order + 1`
/// source rows that begin two rows further down.
///
/// Along a row, two neighbouring source pixels are called a group. Pixel i of the smaller image is computed
/// from group i and from the groups before it.
public typealias Downsample = (
  // The addresses of the `order + 3` source rows, followed by the addresses of four more rows. Those four
  // rows are only prefetched, because the next call needs them.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, order: Int,
  // The two output rows. Up to `order / 2` pixels at the start of each row get wrong values, because they
  // also depend on source pixels before the start of the rows.
  target: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer,
  // The number of values to compute for each output row. The loop rounds it up to whole blocks. A block has
  // as many values as a vector, or as three vectors if there are three channels. The output rows have space
  // for all blocks, and the source rows are readable for twice as many values.
  count: Int
)

/// The arguments of the loop that doubles the size of an image. It computes two neighbouring rows of the
/// larger image from five rows of the smaller image. It uses a binomial filter, and `order` is the order of
/// this filter.
///
/// If `order` is even, the first row lies at the position of `rows[2]`, and the second row lies half-way
/// between `rows[2]` and `rows[3]`. If `order` is odd, the two rows lie at a quarter and at three quarters of
/// the way from `rows[2]` to `rows[3]`. Columns are treated in the same way.
public typealias Upsample = (
  // The addresses of pixels in five neighbouring rows of the smaller image. The first two output pixels of a
  // row are computed from these pixels and their neighbours. Each row is readable from one vector or four
  // pixels before its address, whichever is farther, up to three vectors after the last needed pixel.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, order: Int,
  // The addresses of the first pixels of the two output rows, which must be even pixels. The caller must
  // provide space for one more vector after each row, unless `isExact` is true. `count` is the number of
  // components of a row.
  target: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer,
  count: Int,
  // Whether the loop must write exactly `count` components to each row. If this is false, the loop may also
  // write to the memory after these components.
  isExact: Bool
)

/// The arguments of the loop that converts a row of integers to floats, or a row of floats to integers.
/// Floats are rounded, and clamped to the values that the integers can have.
public typealias ConvertRow = (
  // `sourceBytes` and `targetBytes` are the sizes of a value: 1 or 2 for an integer, and 4 for a float.
  source: UnsafeRawPointer, sourceBytes: Int, target: UnsafeMutableRawPointer, targetBytes: Int, count: Int
)

/// The arguments of the loop that makes an image with 8-bit components two or four times smaller. The
/// argument `ratio` is this factor. It must be 2 if vectors have 16 bytes.
///
/// Each call reads four source rows, and intermediate results that earlier calls have saved in `state`.
///
/// - If `ratio` is 2, the call computes two rows of the smaller image. It applies one binomial filter, whose
///   order is `order`: 3 or 4.
/// - If `ratio` is 4, the call computes one row of the smaller image. The result is the same as after two
///   binomial filters. The first filter has order 3, with the weights (1 3 3 1) / 8. The order of the second
///   filter is `order`: 2 or 3.
///
/// A group consists of `ratio` neighbouring pixels or rows. Each pixel of the smaller image depends on one
/// group and on the group before it. If `ratio` is 2 and `order` is 4, or if `ratio` is 4 and `order` is 3,
/// the pixel also depends on the group before these two.
public typealias ByteDownsample = (
  // The addresses of the four source rows, followed by the addresses of four more rows. Those four rows are
  // only prefetched, because the next call needs them. Each row is readable for `ratio · count` bytes.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, ratio: Int, order: Int,
  // Intermediate results of earlier source rows, which later rows of the smaller image need. The state has
  // four vectors for each vector that is written to the target row. Before the first call, the state may
  // contain anything, so the first computed row is meaningless. If each pixel depends on three groups, the
  // second row is meaningless, too.
  state: UnsafeMutablePointer<UInt16>,
  // The two output rows. If `ratio` is 4, only the first one is written. Each row has space for `count`
  // values and one more vector. The first two pixels get wrong values, because they also depend on source
  // pixels before the start of the rows. The caller must compute these two pixels again.
  target: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of the loop that makes an image two or four times larger. It computes four rows with 8-bit
/// components from a few rows of the smaller image, which was made with the filters that `ratio` and `order`
/// describe (see ``ByteDownsample``).
public typealias ByteUpsample = (
  // The addresses of four neighbouring rows of the smaller image, which have 16-bit components. If `ratio` is
  // 2, the last row is used only if `order` is 4. If `ratio` is 4, only the first `order` rows are used. Each
  // row is readable for two more vectors after its first `count / ratio` values.
  rows: UnsafePointer<UnsafeRawPointer>,
  channels: Int, ratio: Int, order: Int,
  // The addresses of four rows. Exactly `count` bytes are written to each of them.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  count: Int,
  // Whether to use non-temporal stores, which bypass the caches. The caller sets this if the results will not
  // be read soon.
  isStreamed: Bool
)

// MARK: The triple box

/// The arguments of the vertical pass of the triple box for integers. The triple box applies three box
/// filters, and computes them with running sums. The pass moves down the image by a block of rows, and
/// updates the running sums of all columns. A block has 4 rows if pixels have four channels, and 16 rows
/// otherwise.
///
/// The results are stored in steps. A step is a group of 16 values. If pixels have four channels, a step
/// holds the four pixels of one column in the block, and `channels` is 4. Otherwise, a step holds the 16
/// values of one column in the block, and `channels` is 1.
public typealias BoxDown = (
  // The addresses of six source rows for each row of the block. Two of the three box filters have the same
  // size, here called d, and the third has the size e. The first of the six rows is the lowest row in the
  // window around the row of the block. The other five lie d, e, 2d, d + e and 2d + e rows above this lowest
  // row.
  taps: UnsafePointer<UnsafeRawPointer>,
  bytes: Int, channels: Int, count: Int,
  // The running sums. For each column, there are three sums with 32 or 64 bits each. The memory has space for
  // `count` columns, rounded up to whole vectors.
  sums: UnsafeMutableRawPointer,
  // The memory for the results of the vertical pass. The loop with 32-bit sums stores each result in `low`.
  // The loop with 64-bit sums stores the lower 24 bits of each result in `low`, and its upper bits in `high`.
  // In the first calls, not all rows of a window have been added yet, so there are no results, and both
  // addresses are null.
  low: UnsafeMutableRawPointer?, high: UnsafeMutableRawPointer?,
  // The number of bits by which the loop with 64-bit sums shifts each result to the right before it stores
  // the result. Without the shift, the sums of the horizontal pass could become too large for 64 bits.
  shift: UInt64
)

/// The arguments of the loop that writes the first `count` steps of a line to rows of the image. A step is a
/// group of 16 values: one value from each of 16 rows, or one pixel of four channels from each of 4 rows.
public typealias BoxWrite = (
  steps: UnsafeRawPointer,
  // For each target row, the address of the first pixel that is written. The number of target rows is `rows`.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  rows: Int, bytes: Int, channels: Int, count: Int
)

/// The arguments of the horizontal pass of the triple box for integers. The triple box applies three box
/// filters, and computes them with running sums. The pass blurs several rows side by side. Its source is one
/// line, which holds the values of these rows in groups of 16, called steps. The pass computes the running
/// sums along this line, turns them into pixel values, and writes these values to the rows of the image.
public typealias BoxAcross = (
  // The source line, and the rows to which the results are written. The line consists of steps, which are
  // groups of 16 values. The first windows begin before the first step, so the memory before the line must
  // contain zeros, as far as the windows reach.
  line: BoxWrite,
  // The address of the upper halves of the line's values, or nil. The values are sums that the vertical pass
  // has computed. If a sum can be too large for 32 bits, the vertical pass stores its low bits in
  // `line.steps` and its remaining, high bits here. Otherwise this address is nil, and `line.steps` holds the
  // complete sums. For the first pixels, the running sums also read the 2 · `twice` + `once` pixels before
  // this address. This memory must contain zeros.
  high: UnsafeRawPointer?,
  // The number of steps in each pixel, and the sizes of the box filters in pixels. A step is a group of 16
  // values from different rows. Two of the three box filters have the size `twice`, and one has the size
  // `once`. If a pixel has several steps, for example one for each channel, each step has its own running
  // sums.
  stride: Int, twice: Int, once: Int,
  // The number of steps (groups of 16 values) at the start of the line for which no results are written.
  // These steps are only added to the running sums. They make up a whole number of pixels, and the first
  // result is written for the pixel after them.
  lead: Int,
  // The constants that turn a running sum into a pixel value. The loop with 64-bit sums computes sum · scale
  // + bias and drops the fraction. The loop with 32-bit sums computes (sum + half) · reciprocal / 2ˢʰⁱᶠᵗ and
  // drops the fraction.
  scale: Double, bias: Double,
  half: UInt32, reciprocal: UInt32,
  shift: UInt64,
  // Scratch memory of `blur_chunk_bytes` bytes, for the running sums and for results that are not yet
  // written.
  scratch: UnsafeMutableRawPointer
)

/// The arguments of the loop that computes a box filter for floats. The triple box applies this filter three
/// times. For each window of `size` pixels along a line, the loop computes the mean of the pixels. It stores
/// these means in single precision in `target`, which may be the same memory as `source`.
public typealias BoxMeans = (
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  // `stride` is the number of 16-value groups per pixel. The values of a group are processed side by side.
  // `count` is the number of pixels in the source, and `size` is the number of pixels in a window. `count`
  // must be at least `size`. The number of resulting means is `count - size + 1`.
  stride: Int, count: Int, size: Int,
  // Scratch memory for sums in double precision. It has space for 16 numbers for each of the `size` pixels of
  // a window.
  block: UnsafeMutableRawPointer
)

/// The arguments of the loop that transposes a tile of the image. The tile holds 16 components from each row
/// in a block of rows, one row after the other. The loop transposes it into steps. A step is a group of 16
/// values: one value from each of 16 rows, or one pixel of four channels from each of 4 rows.
public typealias BoxTranspose = (
  tile: UnsafeRawPointer,
  channels: Int,
  // The memory to which the transposed tile is written. It has space for the whole tile.
  steps: UnsafeMutableRawPointer
)

// MARK: Sliding cosines

/// The arguments of the loop that begins the vertical pass of the cosine filter. In this pass, a window
/// slides down each column, and sums over the window are updated. The loop computes the sums over the first
/// window of every column. It runs at the start of each block of rows, because each block begins with new
/// sums.
public typealias CosineBegin = (
  // The addresses of all `2 · radius + 1` rows in the first window.
  rows: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // The memory in which the sums over the first window are saved, and from which the vertical pass later
  // reads them. Each vector of columns has sums of its own. The sums of neighbouring vectors follow each
  // other in this memory.
  states: UnsafeMutableRawPointer,
  count: Int
)

/// The arguments of the vertical pass of the cosine filter. In this pass, a window slides down each column.
/// Each time it moves, the sums over the pixels in the window are updated. One call computes as many output
/// rows as a vector has lanes.
public typealias CosineDown = (
  // Two arrays with the address of one source row for each output row. When an output row is finished, the
  // window slides down to the next row. The row in `entering` then enters the window, so it is added to the
  // sums. The row in `leaving` leaves the window, so it is subtracted.
  entering: UnsafePointer<UnsafeRawPointer?>, leaving: UnsafePointer<UnsafeRawPointer?>,
  bytes: Int,
  window: blur_cosines,
  // The sums over the current window, for each vector of columns. The loop with the arguments `CosineBegin`
  // has computed them, and this loop updates them. The loops process two vectors at a time, so there is
  // memory for an even number of vectors.
  states: UnsafeMutableRawPointer,
  // Scratch memory for two square matrices, each with as many rows and columns as a vector has lanes. The
  // loop collects results there before it transposes them.
  tile: UnsafeMutablePointer<Float>,
  // The memory for the results, which are stored column by column. For each column, there is one vector with
  // the results of this column in all output rows. The vector of the next column begins `pitch` values later.
  // The number of columns is `count`, where each component of a pixel counts as a column of its own.
  columns: UnsafeMutablePointer<Float>,
  pitch: Int, count: Int
)

/// The arguments of the horizontal pass of the cosine filter. In this pass, a window slides along each row.
/// Each time it moves, the sums over the pixels in the window are updated. The loop processes several rows at
/// the same time. Its source is stored column by column: each vector holds the values of several rows in one
/// column.
public typealias CosineAcross = (
  // The address of the column at the centre of the first window. The memory around the wanted columns is
  // readable, too: one window radius before this column, and one window radius plus one column after the last
  // wanted column.
  columns: UnsafePointer<Float>,
  // `channels` is the number of components of a pixel. `groups` is the number of vectors that are needed to
  // hold one component from each row. For example, `groups` is 2 if there are twice as many rows as a vector
  // has lanes. The product of `channels` and `groups` must be even, because the loop processes two vectors at
  // a time.
  channels: Int, groups: Int,
  window: blur_cosines,
  // Scratch memory for the sums over the current window. A column of pixels takes `channels · groups`
  // vectors, and there are sums for each of these vectors.
  states: UnsafeMutableRawPointer,
  // Scratch memory for square matrices of floats, with as many rows and columns as a vector has lanes. There
  // is space for `channels · groups + 1` matrices. The loop collects results in all matrices but the last
  // one. It then transposes one matrix at a time into the last one.
  tile: UnsafeMutablePointer<Float>,
  // The number of pixels from the centre of the first window to the first wanted pixel (`skipped`), and the
  // number of wanted pixels in a row (`count`).
  skipped: Int, count: Int,
  // For each row, the address of its first wanted pixel. Only the rows from `firstRow` up to, but not
  // including, `endRow` are written.
  targets: UnsafePointer<UnsafeMutableRawPointer>,
  firstRow: Int, endRow: Int,
  bytes: Int
)

// MARK: The dual filter
//
// In the tuples of the dual filter, each line and each row has space for two more vectors after its last
// value.

/// The arguments of the loop that computes one line at a position between the rows of an image, by linear
/// interpolation. Each value of the line is a weighted mean of the values in four rows, or in two rows if the
/// other two weights are 0.
public typealias DualBlend = (
  // The addresses of the four rows to which the four weights in `samples` belong.
  rows: UnsafePointer<UnsafeRawPointer>,
  samples: blur_samples,
  bytes: Int,
  line: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of a loop of the dual filter. The loop halves the number of pixels in a row. It computes
/// each output pixel from a pair of neighbouring pixels and from samples around this pair. It reads two
/// lines, which were interpolated vertically from the source rows. The pair comes from the line `centre`, and
/// the samples around the pair come from the line `corners`. The output pixel is the average of the mean of
/// the pair and the mean of the samples.
public typealias DualDownsample = (
  // The line at the vertical centre of the output row, as interpolated from the source rows. The address
  // points to the first pair of pixels from which an output pixel is made.
  centre: UnsafePointer<Float>,
  // The mean of two lines that were interpolated from the source rows. One of them lies above the centre of
  // the output row, and the other lies below it at the same distance. The address points to the first pair of
  // pixels, as for `centre`. For each pair, the loop reads this mean at the positions in `samples`, relative
  // to the pair. Some of these positions lie before the first or after the last pair, so the memory there
  // must be readable.
  corners: UnsafePointer<Float>,
  samples: blur_samples,
  channels: Int,
  // The downsampled row, which has `count` values. It has half as many pixels as the source rows.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of the loop that doubles the number of columns. It reads three lines, which the vertical
/// half of the filter has computed for positions between the source rows. From each pixel of these lines and
/// its neighbours, the loop makes two output pixels, an even one and an odd one. Each output pixel is a sum
/// of three terms:
/// - 1/6 of the mean of `nearLine` at the positions `farSamples`,
/// - 1/6 of `farLine` at the position `nearSample`,
/// - 2/3 of the mean of `halfLine` at the positions `halfSamples`.
///
/// These positions lie between the pixels of a line.
///
/// The sample positions in this tuple are the positions for the odd output pixel. For the even output pixel,
/// they are mirrored.
public typealias DualUpsample = (
  // Three lines with values at positions between the source rows:
  // - `nearLine` lies at the vertical centre of the output row.
  // - `farLine` is the mean of two lines, which lie at the same distance above and below this centre.
  // - `halfLine` is also the mean of two lines, which lie at half that distance above and below this centre.
  //
  // Some of the pixels that the loop reads lie before the start or after the end of a line, and the memory
  // there must be readable.
  nearLine: UnsafePointer<Float>, farLine: UnsafePointer<Float>, halfLine: UnsafePointer<Float>,
  farSamples: blur_samples, nearSample: blur_samples, halfSamples: blur_samples,
  channels: Int,
  // The upsampled row. Each of the three source lines has `count` values, and this row has twice as many.
  row: UnsafeMutablePointer<Float>,
  count: Int
)

/// The arguments of the last loop of the blur. It mixes a blurred row with the same row of the original
/// image, rounds the result, and writes it to the output image.
public typealias DualMix = (
  row: UnsafePointer<Float>,
  // The weight of the blurred row in the result. The original image has the weight 1 − `share`. If `share` is
  // 1, the original image is not read.
  share: Float,
  // `source` is the same row of the original image, and `target` is the row to which the result is written.
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  bytes: Int, count: Int
)

// MARK: Straight alpha

/// The arguments of two loops. One loop multiplies the colours of a row by alpha, and the other divides them
/// by alpha. Each loop reads one row and writes another one. A pixel has four components.
///
/// One of the two rows has straight alpha, in the format of the user's image. The other row has premultiplied
/// alpha and wider components: 16-bit integers if the user's image has 8 bits, and otherwise floats. If the
/// user's image has 16 bits, these floats are fractions of full scale.
public typealias StraightRow = (
  source: UnsafeRawPointer,
  target: UnsafeMutableRawPointer,
  // `bytes` is the size of a component in the row with straight alpha, and `alpha` is the index of the alpha
  // component in a pixel, which is 0 or 3.
  bytes: Int, alpha: Int, count: Int
)
