import BlurLoopTable
import CBlurVectors

// The fixed-point filter is a separable blur filter in 16-bit integer arithmetic, for 16-bit images. The
// rules for the code in this folder are in Loops.swift.
//
// The weights are integers in units of 2⁻¹⁵ and sum to 1. The multiply-add instruction of the CPU works on
// signed numbers. Therefore 32768 is first subtracted from all values of the image, which are unsigned.
// Because the weights sum to 1, each result is then also too small by 32768. So 32768 is added to each result
// at the end.
//
// The multiply-add instruction multiplies two neighbouring values by two weights, and adds both products to a
// sum. The two values must therefore be the same channel of two neighbouring pixels. For this reason, the
// vertical blur stores its results for the horizontal blur in pairs of pixels. Within a pair, the two values
// of each channel are next to each other: r0 r1 g0 g1 b0 b1 a0 a1 r2 r3 …. If a vector ends in the middle of
// a pair, only its whole pairs are used, and the next vector begins after them.

/// Blurs vertically in 16-bit fixed-point arithmetic, and computes four neighbouring output rows. The results
/// are lines of intermediate values, which the horizontal blur reads.
@inline(never)
func fixedDown(_ a: FixedDown) { withKnownChannels(a.channels) { down(a, $0) } }

@inline(__always)
private func down(_ a: FixedDown, _ channels: Int) {
  let lanes = blur_u16_lanes
  let whole = blur_whole_pairs(lanes, channels)
  var x = 0
  while x < a.count {
    let left = a.count &- x
    // SAFETY: the list `rows` has 2 · pairs + 4 addresses. The last four are the addresses of rows that the
    // next call needs. These rows are prefetched. Prefetching never faults, whatever the address is.
    for i in 0..<4 { blur_prefetch(a.rows[2 &* a.pairs &+ i] + 2 &* x) }
    // Loading only a part of a vector is slow. Therefore, if possible, the last load of a row begins earlier
    // and loads a whole vector that ends with the row. But the pixels must still form the same pairs as
    // before. With one channel, this does not matter, because the values of a pair are stored in the order of
    // the image anyway. With four channels, the pairs stay the same if the row has an even number of pixels.
    if left >= lanes {
      downBlock(a, channels, x, lanes)
    } else if a.count >= lanes && (channels == 1 || channels == 4 && a.count & 7 == 0) {
      downBlock(a, channels, a.count &- lanes, lanes)
    } else {
      downBlock(a, channels, x, left)
    }
    x &+= whole
  }
}

@inline(__always)
private func downBlock(_ a: FixedDown, _ channels: Int, _ x: Int, _ loaded: Int) {
  // SAFETY: `rows` begins with the addresses of 2 · pairs source rows. Each of these rows has at least x +
  // loaded components, and no more are read.
  let sums = fixedSums(a.rows, a.pairs, a.weights, start: 1 &<< 14) {
    blur_offset(blur_u16_from_u16($0 + 2 &* x, loaded))
  }
  store(sums, channels, a.lines + x, a.lineStride)
}

/// Sums for four vectors of 16-bit results. Each sum has 32 bits, so the sums for one of these vectors fill
/// two vectors.
///
/// The vertical blur computes four vectors in the same columns of four output rows. The first vector of sums
/// is for the first half of each block of 16 bytes in a source vector, and the second vector is for the
/// second half. The horizontal blur computes four neighbouring vectors of one row. The first vector of sums
/// is for the first pixel of each pair of pixels, and the second vector is for the second pixel.
private typealias BlockSums = (
  (blur_i32, blur_i32), (blur_i32, blur_i32), (blur_i32, blur_i32), (blur_i32, blur_i32)
)

@inline(__always)
private func fixedSums(
  _ rows: UnsafePointer<UnsafeRawPointer>, _ pairs: Int, _ weights: UnsafePointer<Int32>, start: Int32,
  load: (UnsafeRawPointer) -> blur_u16
) -> BlockSums {
  let zero = blur_i32(repeating: start)
  var (low0, low1, low2, low3) = (zero, zero, zero, zero)
  var (high0, high1, high2, high3) = (zero, zero, zero, zero)
  @inline(__always) func zipped(_ pair: Int) -> (blur_u16, blur_u16) {
    // SAFETY: `rows` holds the addresses of 2 · pairs source rows. `pair` is less than `pairs`, so 2 · pair +
    // 1 is at most the index of the last row.
    let (a, b) = (load(rows[2 &* pair]), load(rows[2 &* pair &+ 1]))
    return (blur_zip_low(a, b), blur_zip_high(a, b))
  }
  @inline(__always) func addFirst(_ low: blur_u16, _ high: blur_u16, _ w: UnsafePointer<Int32>) {
    low0 = blur_add_products_by(low0, low, w, 0)
    high0 = blur_add_products_by(high0, high, w, 0)
    low1 = blur_add_products_by(low1, low, w, 1)
    high1 = blur_add_products_by(high1, high, w, 1)
  }
  @inline(__always) func addSecond(_ low: blur_u16, _ high: blur_u16, _ w: UnsafePointer<Int32>) {
    low2 = blur_add_products_by(low2, low, w, 2)
    high2 = blur_add_products_by(high2, high, w, 2)
    low3 = blur_add_products_by(low3, low, w, 3)
    high3 = blur_add_products_by(high3, high, w, 3)
  }
  // SAFETY: the source rows are processed in pairs. For each pair, `weights` holds four 32-bit words, one for
  // each output row. `pair` is less than `pairs`, so all reads stay inside this array.
  //
  // The windows of the four output rows do not begin at the same source row. The first pair of source rows
  // lies above the windows of output rows 2 and 3, and the last pair lies below the windows of output rows 0
  // and 1. The weights are 0 there, so these products are not computed.
  let (low, high) = zipped(0)
  addFirst(low, high, weights)
  var pair = 1
  while pair < pairs &- 1 {
    let (low, high) = zipped(pair)
    addFirst(low, high, weights + 4 &* pair)
    addSecond(low, high, weights + 4 &* pair)
    pair &+= 1
  }
  let (lastLow, lastHigh) = zipped(pairs &- 1)
  addSecond(lastLow, lastHigh, weights + 4 &* (pairs &- 1))
  return ((low0, high0), (low1, high1), (low2, high2), (low3, high3))
}

@inline(__always)
private func store(
  _ sums: BlockSums, _ channels: Int, _ lines: UnsafeMutablePointer<UInt16>, _ lineStride: Int
) {
  // A line stores pixels in pairs, in which the two values of each channel are next to each other: r0 r1 g0
  // g1 b0 b1. With four channels, a pair has 16 bytes, so `sum.0` holds the first pixel of each pair and
  // `sum.1` holds the second pixel. In that case, it is enough to interleave the two vectors. With fewer
  // channels, the values are first put into the order of the image, and then into pairs.
  @inline(__always) func put(_ row: Int, _ sum: (blur_i32, blur_i32)) {
    let places = blur_i32(repeating: 1)
    let (low, high) = (sum.0 &<< places, sum.1 &<< places)
    // SAFETY: each line has space for one vector beyond its last value, so the last vector of the line can be
    // stored whole.
    blur_store_u16(
      lines + row &* lineStride,
      channels == 4 ? blur_join_upper(low, high) : blur_paired(blur_unzip_upper(low, high), channels))
  }
  put(0, sums.0)
  put(1, sums.1)
  put(2, sums.2)
  put(3, sums.3)
}

/// Blurs one row horizontally in 16-bit fixed-point arithmetic. The source is a line of intermediate values
/// from the vertical blur.
@inline(never)
func fixedAcross(_ a: FixedAcross) {
  let one = blur_i32(repeating: 1)
  withKnownChannels(a.channels) { channels in
    across(a, channels) { x, even, odd in
      let (even, odd) = (even &<< one, odd &<< one)
      let result =
        channels == 4 ? blur_unzip_upper(even, odd) : blur_unpaired(blur_join_upper(even, odd), channels)
      // SAFETY: the target row holds `count` components, and `a.count - x` of them remain from component `x`
      // on. The store writes no more than these.
      blur_u16_to_u16(a.target + 2 &* x, result, a.count &- x)
    }
  }
}

/// Blurs a row, four vectors at a time. `store` is called for each vector of results. It receives the index
/// of the first result and two vectors of 32-bit sums. The first vector is for the first pixel of each pair
/// of pixels, and the second vector is for the second pixel.
@inline(__always)
private func across(_ a: FixedAcross, _ channels: Int, _ store: (Int, blur_i32, blur_i32) -> Void) {
  let (whole, step) = (blur_whole_pairs(blur_u16_lanes, channels), 2 &* channels)
  // Each sum starts with two terms. The term 2³⁰ = 32768 · 2¹⁵ makes up for the 32768 that was subtracted
  // from every value. The term 2¹⁴ is half a unit of the result, for rounding.
  //
  // No sum overflows, in whatever order its products are added. The weights are not negative and sum to 2¹⁵,
  // and the values lie between −32768 and 32767. So no sum is below 2³⁰ + 2¹⁴ − 2¹⁵ · 2¹⁵ = 2¹⁴. And no sum
  // is above 2³⁰ + 2¹⁴ + 32767 · 2¹⁵ = 2,147,467,264, which is 16,383 less than the largest 32-bit number.
  let start: Int32 = 1 &<< 30 &+ 1 &<< 14
  var x = 0
  while x < a.count {
    // SAFETY: `acrossSums` reads the windows of four vectors of output pixels, and the first of these pixels
    // is at `x`. The caller's line can also be read outside the row: one radius before it, and one radius
    // plus four vectors after it. So all of these windows can be read. `weights` holds two 32-bit words for
    // each pair of source pixels in a window.
    let sums = acrossSums(a.line + (x &+ a.first &* step), whole, step, a.pairs, a.weights, start)
    let left = a.count &- x
    store(x, sums.0.0, sums.0.1)
    if left > whole { store(x &+ whole, sums.1.0, sums.1.1) }
    if left > 2 &* whole { store(x &+ 2 &* whole, sums.2.0, sums.2.1) }
    if left > 3 &* whole { store(x &+ 3 &* whole, sums.3.0, sums.3.1) }
    x &+= 4 &* whole
  }
}

/// Computes the 32-bit sums for four neighbouring vectors of results, which begin `whole` values apart. For
/// each vector of results, there are two vectors of sums. The first vector is for the first pixel of each
/// pair of pixels, and the second vector is for the second pixel. Four vectors are computed at the same time
/// to keep the CPU's multipliers busy.
@inline(__always)
private func acrossSums(
  _ line: UnsafePointer<UInt16>, _ whole: Int, _ step: Int, _ pairs: Int, _ weights: UnsafePointer<Int32>,
  _ start: Int32
) -> BlockSums {
  let zero = blur_i32(repeating: start)
  var (even0, even1, even2, even3) = (zero, zero, zero, zero)
  var (odd0, odd1, odd2, odd3) = (zero, zero, zero, zero)
  @inline(__always) func addEven(_ p: UnsafePointer<UInt16>, _ w: UnsafePointer<Int32>) {
    even0 = blur_add_products_by(even0, blur_load_u16(p), w, 0)
    even1 = blur_add_products_by(even1, blur_load_u16(p + whole), w, 0)
    even2 = blur_add_products_by(even2, blur_load_u16(p + 2 &* whole), w, 0)
    even3 = blur_add_products_by(even3, blur_load_u16(p + 3 &* whole), w, 0)
  }
  @inline(__always) func addOdd(_ p: UnsafePointer<UInt16>, _ w: UnsafePointer<Int32>) {
    odd0 = blur_add_products_by(odd0, blur_load_u16(p), w, 1)
    odd1 = blur_add_products_by(odd1, blur_load_u16(p + whole), w, 1)
    odd2 = blur_add_products_by(odd2, blur_load_u16(p + 2 &* whole), w, 1)
    odd3 = blur_add_products_by(odd3, blur_load_u16(p + 3 &* whole), w, 1)
  }
  // SAFETY: all values of `line` in the windows of the four vectors of results can be read. The source pixels
  // in a window are processed in pairs, and `weights` holds two 32-bit words for each pair.
  //
  // If the radius is odd, the windows of the two output pixels of a pair do not begin with the same pair of
  // source pixels. The first source pair lies only in the window of the first output pixel, and the last
  // source pair lies only in the window of the second output pixel. For the other output pixel, the weights
  // of these two source pairs are 0, so these products are not computed.
  var (pair, end) = (0, pairs)
  if weights[1] == 0 {
    addEven(line, weights)
    addOdd(line + (pairs &- 1) &* step, weights + 2 &* (pairs &- 1))
    (pair, end) = (1, pairs &- 1)
  }
  var p = line + pair &* step
  while pair < end {
    addEven(p, weights + 2 &* pair)
    addOdd(p, weights + 2 &* pair)
    p += step
    pair &+= 1
  }
  return ((even0, odd0), (even1, odd1), (even2, odd2), (even3, odd3))
}
