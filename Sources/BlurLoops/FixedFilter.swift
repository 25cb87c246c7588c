import BlurLoopTable
import CBlurVectors

// This is the separable filter in 16-bit fixed point, for 16-bit images. Loops.swift explains the rules of
// this folder.
//
// Weights are integers in units of 2⁻¹⁵ and sum to 1. The multiply-add instruction works on signed numbers,
// so 32768 is first subtracted from all 16-bit values. Because the weights sum to 1, each result is then too
// small by 32768 as well. This number is added again at the end.
//
// The multiply-add instruction multiplies two neighbouring values by two weights and adds both products to a
// sum. The two values must therefore be the same channel of two neighbouring pixels. For this reason, a line
// between the two passes stores pixels in pairs. Within a pair, the two values of each channel are next to
// each other: r0 r1 g0 g1 b0 b1 a0 a1 r2 r3 …. If a vector ends in the middle of a pair, only its whole pairs
// are used, and the next vector begins after them.

/// Calls `body` with the number of channels as a compile-time constant, so that the compiler optimises the
/// code of `body` separately for each number of channels.
@inline(__always)
private func known(_ channels: Int, _ body: (Int) -> Void) {
  switch channels {
  case 1: body(1)
  case 3: body(3)
  default: body(4)
  }
}

/// Runs the vertical pass of the fixed-point filter for four output rows.
@inline(never)
func fixedDown(_ a: FixedDown) { known(a.channels) { down(a, $0) } }

@inline(__always)
private func down(_ a: FixedDown, _ channels: Int) {
  let lanes = blur_u16_lanes
  let whole = blur_whole_pairs(lanes, channels)
  var x = 0
  while x < a.count {
    let left = a.count &- x
    // SAFETY: the list of rows also contains the four new rows that the next call needs. Prefetching an
    // address never faults.
    for i in 0..<4 { blur_prefetch(a.rows[2 &* a.pairs &+ i] + 2 &* x) }
    // Loading only a part of a vector is slow, and on older CPUs it even takes a function call. Therefore the
    // last load of a row begins earlier, so that it loads a whole vector. The vector must then consist of
    // whole pairs of pixels. With one channel, it always does. With four channels, it does if the row has an
    // even number of pixels.
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
  // SAFETY: the caller passes 2 · pairs rows, and each row has at least x + loaded components.
  let sums = fixedSums(a.rows, a.pairs, a.weights, start: 1 &<< 14) {
    blur_offset(blur_u16_from_u16($0 + 2 &* x, loaded))
  }
  store(sums, channels, a.lines + x, a.lineStride)
}

/// The sums for four results. Each result is one vector of 16-bit values, so its 32-bit sums fill two
/// vectors.
///
/// In the vertical pass, the results belong to four output rows. The first vector of sums is for the first
/// half of each block of 16 bytes in a source vector, and the second vector is for the second half. In the
/// horizontal pass, the results are four neighbouring vectors of one row. The first vector of sums is for the
/// first pixel of each pair of pixels, and the second vector is for the second pixel.
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
    // SAFETY: there are 2 · pairs rows, and `pair` is less than `pairs`.
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
  // SAFETY: for each pair of source rows, there are four words of weights, one for each output row.
  //
  // The first pair of source rows lies above the windows of output rows 2 and 3, and the last pair lies below
  // the windows of output rows 0 and 1. The weights are 0 there, so these products are not computed.
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
  // A line stores pixels in pairs, and the two values of each channel are next to each other, as in r0 r1 g0
  // g1 b0 b1. With four channels, a block of 16 bytes is one pair of pixels. `sum.0` then holds the first
  // pixel of each pair, and `sum.1` holds the second pixel, so it is enough to interleave the two vectors.
  // With fewer channels, the values are first put into the order of the image, and then into pairs.
  @inline(__always) func put(_ row: Int, _ sum: (blur_i32, blur_i32)) {
    let places = blur_i32(repeating: 1)
    let (low, high) = (sum.0 &<< places, sum.1 &<< places)
    // SAFETY: each line has space for one vector beyond its last value.
    blur_store_u16(
      lines + row &* lineStride,
      channels == 4 ? blur_join_upper(low, high) : blur_paired(blur_unzip_upper(low, high), channels))
  }
  put(0, sums.0)
  put(1, sums.1)
  put(2, sums.2)
  put(3, sums.3)
}

/// Runs the horizontal pass of the fixed-point filter for one row.
@inline(never)
func fixedAcross(_ a: FixedAcross) {
  let one = blur_i32(repeating: 1)
  known(a.channels) { channels in
    across(a, channels) { x, even, odd in
      let (even, odd) = (even &<< one, odd &<< one)
      let result =
        channels == 4 ? blur_unzip_upper(even, odd) : blur_unpaired(blur_join_upper(even, odd), channels)
      // SAFETY: the target holds `count` components. From `x` on, no more components are written than remain
      // in the row.
      blur_u16_to_u16(a.target + 2 &* x, result, a.count &- x)
    }
  }
}

/// Filters a row, four vectors at a time. `store` is called for each vector. It receives the index of the
/// vector's first value, the sums for the first pixel of each pair of pixels, and the sums for the second
/// pixel of each pair.
@inline(__always)
private func across(_ a: FixedAcross, _ channels: Int, _ store: (Int, blur_i32, blur_i32) -> Void) {
  let (whole, step) = (blur_whole_pairs(blur_u16_lanes, channels), 2 &* channels)
  // 32768 was subtracted from every value, and the term 2³⁰ = 32768 · 2¹⁵ adds it again. The term 2¹⁴ is for
  // rounding.
  //
  // No sum overflows, in whatever order its products are added. Weights are not negative and sum to 2¹⁵, and
  // values lie between −32768 and 32767. So no sum is below 2³⁰ + 2¹⁴ − 2¹⁵ · 2¹⁵ = 2¹⁴. And no sum is above
  // 2³⁰ + 2¹⁴ + 32767 · 2¹⁵ = 2,147,467,264, which is 16,383 less than the largest 32-bit number.
  let start: Int32 = 1 &<< 30 &+ 1 &<< 14
  var x = 0
  while x < a.count {
    // SAFETY: the sums are for four vectors of output values, and the first of them begins at `x`. The
    // caller's line is readable for all of their windows. There are two words of weights for each pair of
    // source pixels.
    let sums = acrossSums(a.line + (x &+ a.first &* step), whole, step, a.pairs, a.weights, start)
    let left = a.count &- x
    store(x, sums.0.0, sums.0.1)
    if left > whole { store(x &+ whole, sums.1.0, sums.1.1) }
    if left > 2 &* whole { store(x &+ 2 &* whole, sums.2.0, sums.2.1) }
    if left > 3 &* whole { store(x &+ 3 &* whole, sums.3.0, sums.3.1) }
    x &+= 4 &* whole
  }
}

/// Returns the sums for four neighbouring vectors of output values, which begin `whole` values apart. For
/// each of these vectors, the result has two vectors of sums: one for the first pixel of each pair of pixels,
/// and one for the second pixel. Four vectors are computed at the same time to keep the CPU's multipliers
/// busy.
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
  // SAFETY: the caller's line is readable for the windows of four vectors. There are two words of weights for
  // each pair of source pixels.
  //
  // If the radius is odd, the first pair of source pixels lies only in the window of the first output pixel
  // of a pair, and the last pair lies only in the window of the second output pixel. The other weights of
  // these two pairs are 0, so their products are not computed.
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
