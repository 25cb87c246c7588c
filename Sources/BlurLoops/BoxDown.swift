import BlurLoopTable
import CBlurVectors

// The triple box approximates a Gaussian blur by three box filters, one after the other. A box filter
// computes the mean over a window in which all weights are equal. This file contains the vertical half for
// integers.
//
// Each column has three running sums, which are updated from one row to the next. The sums may overflow and
// wrap around. The third sum is still correct in the end, because its true value fits in its integer type.

/// Blurs a block of 4 or 16 rows vertically with three box filters, one after the other. Each column has
/// three running sums of 32 bits, which are updated row by row. The results have 32 bits, too.
@inline(never)
func boxDown32(_ block: BoxDown) {
  if block.bytes == 1 {
    down32(block) { difference8($0, $1, $2) }
  } else {
    down32(block) { difference16($0, $1, $2) }
  }
}

/// Blurs a block of 4 or 16 rows vertically with three box filters, one after the other. Each column has
/// three running sums of 64 bits, which are updated row by row. Each result is stored as two 32-bit integers:
/// one holds its lower 24 bits, and the other holds its upper bits.
@inline(never)
func boxDown64(_ block: BoxDown) {
  if block.bytes == 1 {
    down64(block) { difference8($0, $1, $2) }
  } else {
    down64(block) { difference16($0, $1, $2) }
  }
}

private typealias RowAddresses = UnsafePointer<UnsafeRawPointer>

/// 32-bit values for neighbouring columns, with one value per column. There are as many columns as a vector
/// has 16-bit lanes, so their 32-bit values fill two vectors. `low` is for the first half of the columns, and
/// `high` is for the second half.
private struct Pair {
  var low: blur_i32
  var high: blur_i32
}

// MARK: Processing columns from top to bottom

@inline(__always)
private func down32(_ block: BoxDown, _ difference: (RowAddresses, Int, Int) -> Pair) {
  // SAFETY: `block.sums` has space for the running sums of all columns. The number of columns is rounded up
  // to whole vectors, so that each vector of columns has its own sums.
  let sums = block.sums.assumingMemoryBound(to: ColumnSums32.self)
  alongColumns(block) { x, loaded, number in
    var s = sums[number]
    forFourRows(block) { taps, group in
      prefetch(taps, (x &+ prefetchColumns) &* block.bytes)
      let a = s.advanced(by: difference(taps, x, loaded))
      let b = s.advanced(by: difference(taps + 6, x, loaded))
      let c = s.advanced(by: difference(taps + 12, x, loaded))
      let d = s.advanced(by: difference(taps + 18, x, loaded))
      if let line = block.low { store(a, b, c, d, into: line, block.channels, x, group) }
    }
    sums[number] = s
  }
}

@inline(__always)
private func down64(_ block: BoxDown, _ difference: (RowAddresses, Int, Int) -> Pair) {
  // SAFETY: `block.sums` has space for the running sums of all columns. The number of columns is rounded up
  // to whole vectors, so that each vector of columns has its own sums.
  let sums = block.sums.assumingMemoryBound(to: ColumnSums64.self)
  alongColumns(block) { x, loaded, number in
    var s = sums[number]
    forFourRows(block) { taps, group in
      prefetch(taps, (x &+ prefetchColumns) &* block.bytes)
      let a = s.advanced(by: difference(taps, x, loaded), block.shift)
      let b = s.advanced(by: difference(taps + 6, x, loaded), block.shift)
      let c = s.advanced(by: difference(taps + 12, x, loaded), block.shift)
      let d = s.advanced(by: difference(taps + 18, x, loaded), block.shift)
      if let low = block.low, let high = block.high {
        store(a.low, b.low, c.low, d.low, into: low, block.channels, x, group)
        store(a.high, b.high, c.high, d.high, into: high, block.channels, x, group)
      }
    }
    sums[number] = s
  }
}

/// Calls `body` once for each vector of columns. The arguments are the first column, the number of columns to
/// load, and the index of the vector, which selects the running sums.
///
/// The last vector begins earlier, so that it is full. It then shares some columns with the vector before it.
/// These columns are computed twice, with separate running sums. If a row is shorter than a vector, fewer
/// columns are loaded.
@inline(__always)
private func alongColumns(_ block: BoxDown, _ body: (Int, Int, Int) -> Void) {
  let lanes = blur_u16_lanes
  if block.count < lanes { return body(0, block.count, 0) }
  var (x, number) = (0, 0)
  while x < block.count {
    body(min(x, block.count &- lanes), lanes, number)
    x &+= lanes
    number &+= 1
  }
}

/// Calls `body` for each group of four rows in a block. A block has 16 rows, or 4 rows if the image has four
/// channels. For each row, the list `taps` holds the addresses of the six source rows that are needed to
/// update the running sums. `body` receives the part of this list for the four rows of the group, and the
/// index of the group.
@inline(__always)
private func forFourRows(_ block: BoxDown, _ body: (RowAddresses, Int) -> Void) {
  var (group, taps) = (0, block.taps)
  while group < 4 / block.channels {
    body(taps, group)
    taps += 24
    group &+= 1
  }
}

/// The number of columns between the column that is being blurred and the column that is prefetched into the
/// cache. The code has to prefetch explicitly, because the CPU's own prefetcher cannot follow so many rows at
/// once.
private let prefetchColumns = 256

@inline(__always)
private func prefetch(_ taps: RowAddresses, _ offset: Int) {
  blur_prefetch(taps[0] + offset)
  blur_prefetch(taps[6] + offset)
  blur_prefetch(taps[12] + offset)
  blur_prefetch(taps[18] + offset)
}

@inline(__always)
private func store(
  _ a: Pair, _ b: Pair, _ c: Pair, _ d: Pair, into line: UnsafeMutableRawPointer, _ channels: Int, _ x: Int,
  _ group: Int
) {
  // SAFETY: the memory at `line` holds steps. A step is a group of 16 values and has `blur_step_bytes` bytes.
  // There is one step for each pixel if the image has four channels, and one for each column otherwise. After
  // the last step, there is space for the steps of one more vector of columns. So whole vectors can be
  // stored, even at the end of the line.
  let step = line + (channels == 1 ? x : x / 4) * blur_step_bytes
  let half = (channels == 1 ? blur_f32_lanes : blur_f32_lanes / 4) * blur_step_bytes
  if channels == 1 {
    let quad = step + group * blur_quad_bytes
    blur_scatter_columns(quad, a.low, b.low, c.low, d.low)
    blur_scatter_columns(quad + half, a.high, b.high, c.high, d.high)
  } else {
    blur_scatter_pixels(step, a.low, b.low, c.low, d.low)
    blur_scatter_pixels(step + half, a.high, b.high, c.high, d.high)
  }
}

// MARK: Differences between source rows

@inline(__always)
private func difference8(_ taps: RowAddresses, _ x: Int, _ loaded: Int) -> Pair {
  // SAFETY: `taps` holds the addresses of six source rows. Each row has at least `loaded` components from
  // component x on, and no more are read.
  let outer = blur_i16_from_u8(taps[0] + x, loaded) &- blur_i16_from_u8(taps[5] + x, loaded)
  let middle = blur_i16_from_u8(taps[1] + x, loaded) &- blur_i16_from_u8(taps[4] + x, loaded)
  let inner = blur_i16_from_u8(taps[2] + x, loaded) &- blur_i16_from_u8(taps[3] + x, loaded)
  let sum = outer &- middle &- middle &- inner
  return Pair(low: blur_low_i32(sum), high: blur_high_i32(sum))
}

@inline(__always)
private func difference16(_ taps: RowAddresses, _ x: Int, _ loaded: Int) -> Pair {
  Pair(
    low: difference16Half(taps, x, min(loaded, blur_f32_lanes)),
    high: difference16Half(taps, x &+ blur_f32_lanes, max(0, loaded &- blur_f32_lanes)))
}

@inline(__always)
private func difference16Half(_ taps: RowAddresses, _ x: Int, _ loaded: Int) -> blur_i32 {
  // SAFETY: `taps` holds the addresses of six source rows. Each row has at least `loaded` components of two
  // bytes from component x on, and no more are read.
  let (y, n) = (2 &* x, loaded)
  let outer = blur_i32_from_u16(taps[0] + y, n) &- blur_i32_from_u16(taps[5] + y, n)
  let middle = blur_i32_from_u16(taps[1] + y, n) &- blur_i32_from_u16(taps[4] + y, n)
  let inner = blur_i32_from_u16(taps[2] + y, n) &- blur_i32_from_u16(taps[3] + y, n)
  return blur_optimisation_barrier(outer &- middle &- middle &- inner)
}

// MARK: Running sums

private struct ColumnSums32 {
  var first: Pair
  var second: Pair
  var third: Pair

  @inline(__always)
  mutating func advanced(by difference: Pair) -> Pair {
    first.low &+= difference.low
    first.high &+= difference.high
    second.low &+= first.low
    second.high &+= first.high
    third.low &+= second.low
    third.high &+= second.high
    return third
  }
}

private struct ColumnSums64 {
  var low: HalfColumnSums64
  var high: HalfColumnSums64

  /// Moves the three running sums down by one row: adds `difference` to the first sum, the first sum to the
  /// second, and the second sum to the third. Returns the third sum, shifted right by `shift` bits and
  /// rounded. `low` holds the lower 24 bits of this result, and `high` holds the upper bits.
  @inline(__always)
  mutating func advanced(by difference: Pair, _ shift: UInt64) -> (low: Pair, high: Pair) {
    let a = low.advanced(by: difference.low, shift)
    let b = high.advanced(by: difference.high, shift)
    return (Pair(low: a.low, high: b.low), Pair(low: a.high, high: b.high))
  }
}

/// The three running sums for half of a vector's columns. Each sum has 64 bits, so one sum for each of these
/// columns fills two vectors.
private struct HalfColumnSums64 {
  var first: (blur_u64, blur_u64)
  var second: (blur_u64, blur_u64)
  var third: (blur_u64, blur_u64)

  @inline(__always)
  mutating func advanced(by difference: blur_i32, _ shift: UInt64) -> (low: blur_i32, high: blur_i32) {
    first.0 &+= blur_low_u64(difference)
    first.1 &+= blur_high_u64(difference)
    second.0 &+= first.0
    second.1 &+= first.1
    third.0 &+= second.0
    third.1 &+= second.1
    let half = blur_u64(repeating: (1 &<< shift) &>> 1)
    let places = blur_u64(repeating: shift)
    let a = (third.0 &+ half) &>> places
    let b = (third.1 &+ half) &>> places
    let mask = blur_u64(repeating: (1 &<< UInt64(blur_limb_bits)) &- 1)
    let limb = blur_u64(repeating: UInt64(blur_limb_bits))
    return (blur_i32_from_u64(a & mask, b & mask), blur_i32_from_u64(a &>> limb, b &>> limb))
  }
}
