import BlurLoopTable
import CBlurVectors

// These loops make images with 8-bit components two or four times smaller, and enlarge them again. The kernel
// `pyramid` uses them for its first step, which reads the image, and for its last step, which writes the
// result. The rules for the code in this folder are in Loops.swift.
//
// The argument `ratio` is 2 or 4. If it is 2, a binomial filter of order 3 or 4 halves the image. If it is
// 4, the loops combine two binomial filters. The first has order 3, and the second has order 2 or 3. Halving
// with the weights (1 3 3 1) and then with (1 2 1) gives each pixel of the smaller image the weights
// (1 3 5 7 7 5 3 1) / 32.
//
// A group consists of `ratio` neighbouring source pixels. Pixel i of the smaller image is computed from group
// i and from the one or two groups before it. In the other direction, group i of the larger image is computed
// from pixel i of the smaller image and from the one or two pixels after it. If `ratio` is 2 and `order` is
// 4, the filter is centred on the first pixel of a group. In this case, pixel i of the smaller image is
// counted as pixel i + 1 here.

/// Computes two rows of an image that is two times smaller, or one row of an image that is four times
/// smaller. They are computed from four source rows, and from intermediate results that earlier calls have
/// saved in `a.state`.
@inline(never)
func byteDownsample(_ a: ByteDownsample) {
  if a.ratio == 4 && blur_quarters() { quarter(a) } else { halve(a) }
}

// Each of these functions contains a few versions of the same loop. If they were one function, it would be so
// large that the compiler would keep vectors in memory instead of in registers.

@inline(never)
private func halve(_ a: ByteDownsample) {
  withKnownChannels(a.channels) { channels in
    if a.order == 3 { downsample(a, channels, 2, 3) } else { downsample(a, channels, 2, 4) }
  }
}

@inline(never)
private func quarter(_ a: ByteDownsample) {
  withKnownChannels(a.channels) { channels in
    if a.order == 2 { downsample(a, channels, 4, 2) } else { downsample(a, channels, 4, 3) }
  }
}

/// Four vectors, one for each of four rows, or one for each pixel of a group of pixels. If a group consists
/// of two pixels, the last two vectors are not used.
private typealias Four = (blur_u16, blur_u16, blur_u16, blur_u16)

/// A vector of groups of neighbouring pixels (`here`), and the vectors that begin one group earlier
/// (`before`) and two groups earlier (`first`).
private typealias Groups = (here: blur_u8, before: blur_u8, first: blur_u8)

/// Loads the groups of pixels that begin at `p`, and the groups that lie one and two places before each of
/// them. With AVX-512, these earlier groups are shifted out of `last`, the vector that the previous call
/// loaded. Otherwise, they are loaded from memory.
///
/// - Parameter left: The number of bytes from `p` to the end of the row.
@inline(__always)
private func groups(
  _ p: UnsafeRawPointer, _ left: Int, _ channels: Int, _ ratio: Int, _ last: inout blur_u8
) -> Groups {
  @inline(__always) func loaded(_ offset: Int) -> blur_u8 {
    // SAFETY: bytes beyond the end of the row are not read. Bytes before `p` are read only if `offset` is
    // negative. These bytes are at most two groups of pixels before `p`. They are inside the row, because a
    // loop with negative offsets begins at the third pixel of the target, so `p` is at least two groups after
    // the start of the row.
    blur_grouped(blur_load_bytes(p + offset, left > offset ? left &- offset : 0), channels, ratio)
  }
  let (here, group) = (loaded(0), ratio &* channels)
  guard blur_shifts() else { return (here, loaded(-group), loaded(-2 &* group)) }
  let before = blur_groups_before(last, here, channels, ratio, 1)
  let first = blur_groups_before(last, here, channels, ratio, 2)
  last = here
  return (here, before, first)
}

/// The weights of the pixels in a group and in the two groups before it. They are multiplied by 256, or only
/// by 128 if `ratio` is 2 and `order` is 4, because the sum of two products must be at most 32767. Each
/// number holds four weights, and its lowest byte is the weight of the first pixel. If a group has two
/// pixels, the two weights are repeated.
@inline(__always)
private func weights(_ ratio: Int, _ order: Int) -> (here: UInt32, before: UInt32, first: UInt32) {
  switch (ratio, order) {
  case (2, 3): (0x2060_2060, 0x6020_6020, 0)
  case (2, _): (0x0008_0008, 0x2030_2030, 0x2008_2008)
  case (_, 2): (0x0818_2838, 0x3828_1808, 0)
  default: (0x040c_1828, 0x3030_2818, 0x0c04_0000)
  }
}

@inline(__always)
private func downsample(_ a: ByteDownsample, _ channels: Int, _ ratio: Int, _ order: Int) {
  let (rows, count) = (a.rows, a.count)
  let target = a.target.assumingMemoryBound(to: UInt16.self)
  let next = a.next.assumingMemoryBound(to: UInt16.self)
  // The number of source bytes for one vector of products. With three channels, a quarter of the vector is
  // unused.
  let part = channels == 3 ? blur_u8_lanes / 4 &* 3 : blur_u8_lanes
  let weights = weights(ratio, order)
  @inline(__always) func products(_ groups: Groups) -> blur_u16 {
    var sum =
      blur_byte_products(groups.here, weights.here) &+ blur_byte_products(groups.before, weights.before)
    if weights.first != 0 { sum = sum &+ blur_byte_products(groups.first, weights.first) }
    return ratio == 2 && order == 4 ? sum &+ sum : sum
  }
  // Returns a part of a source row after downsampling it horizontally, but not yet vertically. If `ratio` is
  // 4, the lanes are in the order of `blur_pair_sums`. `left` is the number of source bytes from `x` to the
  // end of the row.
  @inline(__always) func horizontal(_ row: Int, _ x: Int, _ left: Int, _ last: inout blur_u8) -> blur_u16 {
    // SAFETY: the row has `left` bytes from this address on.
    let p = rows[row] + ratio &* x
    let lower = products(groups(p, left, channels, ratio, &last))
    if ratio == 2 { return lower }
    return blur_pair_sums(lower, products(groups(p + part, left &- part, channels, ratio, &last)))
  }
  // If earlier groups are shifted out of registers (`blur_shifts()`), the first two pixels of the target row
  // get wrong values, because there are no groups before them. The caller computes these two pixels again.
  // Otherwise, the groups before a vector are loaded from memory, so the loop begins with the third pixel.
  var (x, state) = (blur_shifts() ? 0 : 2 &* channels, a.state)
  var last = (blur_u8(), blur_u8(), blur_u8(), blur_u8())
  @inline(__always) func block(_ left: Int) {
    let h0 = horizontal(0, x, left, &last.0)
    let h1 = horizontal(1, x, left, &last.1)
    let h2 = horizontal(2, x, left, &last.2)
    let h3 = horizontal(3, x, left, &last.3)
    // SAFETY: the state holds four vectors for each block of the target row, and the target rows have space
    // for one more vector.
    let lanes = blur_u16_lanes
    let (s0, s1) = (blur_load_u16(state), blur_load_u16(state + lanes))
    let (s2, s3) = (blur_load_u16(state + 2 &* lanes), blur_load_u16(state + 3 &* lanes))
    // The state comes from the previous call. Its last two vectors are the last two rows of that call, and
    // its first two vectors are the two rows before them. If `ratio` is 4, the first two vectors are instead
    // the last two results of the first filter.
    var sums: (blur_u16, blur_u16)
    if ratio == 2 && order == 4 {
      sums = (smoothed(s0, s1, s2, s3, h0), smoothed(s2, s3, h0, h1, h2))
      blur_store_u16(state, h0)
      blur_store_u16(state + lanes, h1)
    } else {
      sums = (smoothed(s2, s3, h0, h1), smoothed(h0, h1, h2, h3))
      if ratio == 4 {
        if order == 3 { blur_store_u16(state, sums.0) }
        blur_store_u16(state + lanes, sums.1)
        sums.0 = order == 2 ? smoothed(s1, sums.0, sums.1) : smoothed(s0, s1, sums.0, sums.1)
      }
    }
    blur_store_u16(state + 2 &* lanes, h2)
    blur_store_u16(state + 3 &* lanes, h3)
    blur_store_u16(target + x, blur_in_order(sums.0, channels, ratio))
    if ratio == 2 { blur_store_u16(next + x, blur_in_order(sums.1, channels, ratio)) }
    x &+= part / 2
    state += 4 &* lanes
  }
  @inline(__always) func prefetch(_ row: Int) {
    blur_prefetch(rows[row] + ratio &* x)
    if blur_shifts() && ratio == 4 { blur_prefetch(rows[row] + (ratio &* x &+ 64)) }
  }
  let whole = ratio / 2 &* blur_u8_lanes
  while ratio &* (count &- x) >= whole {
    prefetch(4)
    prefetch(5)
    prefetch(6)
    prefetch(7)
    block(whole)
  }
  while x < count { block(ratio &* (count &- x)) }
}

/// Computes four rows of an image that is `a.ratio` times larger.
@inline(never)
func byteUpsample(_ a: ByteUpsample) {
  if a.ratio == 4 && blur_quarters() {
    quadruple(a)
  } else if a.order == 3 {
    doubleByOrder3(a)
  } else {
    doubleByOrder4(a)
  }
}

@inline(never)
private func doubleByOrder3(_ a: ByteUpsample) {
  withKnownChannels(a.channels) { upsample(a, $0, 2) { a, b, _ in two(between(a, b)) } }
}

@inline(never)
private func doubleByOrder4(_ a: ByteUpsample) {
  withKnownChannels(a.channels) { upsample(a, $0, 2) { two(interpolated($0, $1, $2)) } }
}

@inline(never)
private func quadruple(_ a: ByteUpsample) {
  withKnownChannels(a.channels) { channels in
    if a.order == 2 { upsample(a, channels, 4, fourBetween) } else { upsample(a, channels, 4, fourAround) }
  }
}

/// Returns the four pixels of a group of the larger image, which lie between the pixels `a` and `b` of the
/// smaller image. The weights of `a` and `b` are (7 1) / 8 for the first of the four pixels, and (5 3) / 8,
/// (3 5) / 8 and (1 7) / 8 for the others.
@inline(__always)
private func fourBetween(_ a: blur_u16, _ b: blur_u16, _: blur_u16) -> Four {
  let middle = blur_average(a, b)
  let (left, right) = (blur_average(a, middle), blur_average(middle, b))
  return (
    blur_average(a, left), blur_average(left, middle), blur_average(middle, right), blur_average(right, b)
  )
}

/// Returns the four pixels of a group of the larger image, which lie around the pixel `b` of the smaller
/// image. The weights of `a`, `b` and `c` are (10 6 0) / 16 for the first of the four pixels, and (6 10 0) /
/// 16, (3 12 1) / 16 and (1 12 3) / 16 for the others.
@inline(__always)
private func fourAround(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16) -> Four {
  let (before, after) = (blur_average(a, b), blur_average(b, c))
  let (first, second, third) = (blur_average(a, before), blur_average(before, b), blur_average(b, after))
  let middle = blur_average(second, third)
  return (
    blur_average(first, before), blur_average(before, second), blur_average(second, middle),
    blur_average(middle, third)
  )
}

/// Returns the two pixels of a group as four vectors, of which the last two are not used.
@inline(__always)
private func two(_ pixels: (even: blur_u16, odd: blur_u16)) -> Four {
  (pixels.even, pixels.odd, pixels.odd, pixels.odd)
}

@inline(__always)
private func upsample(
  _ a: ByteUpsample, _ channels: Int, _ ratio: Int, _ filter: (blur_u16, blur_u16, blur_u16) -> Four
) {
  let streamed = a.isStreamed ? firstStreamed(a, ratio) : a.count
  upsample(a, channels, ratio, 0..<streamed, isStreamed: false, filter)
  if streamed < a.count { upsample(a, channels, ratio, streamed..<a.count, isStreamed: true, filter) }
}

/// Returns the number of components in each row that must be written with ordinary stores, before
/// non-temporal stores can begin. Non-temporal stores begin at the first component that starts a group and
/// whose address in each of the four rows is a multiple of the size of a vector. If there is no such
/// component, the result is `count`.
@inline(__always)
private func firstStreamed(_ a: ByteUpsample, _ ratio: Int) -> Int {
  let mask = blur_u8_lanes &- 1
  var first = -Int(bitPattern: a.targets[0]) & mask
  for i in 1..<4 where -Int(bitPattern: a.targets[i]) & mask != first { return a.count }
  // With three channels, a group has 6 or 12 bytes. Of three neighbouring addresses that are multiples of the
  // size of a vector, at most one is the start of a group. So if no group begins at the first of these
  // addresses, the next two are tried.
  for _ in 0..<2 where first % (ratio &* a.channels) != 0 { first &+= blur_u8_lanes }
  return first % (ratio &* a.channels) == 0 && first < a.count ? first : a.count
}

@inline(__always)
private func upsample(
  _ a: ByteUpsample, _ channels: Int, _ ratio: Int, _ range: Range<Int>, isStreamed: Bool,
  _ filter: (blur_u16, blur_u16, blur_u16) -> Four
) {
  let (targets, end) = (a.targets, range.upperBound)
  // One vector of the smaller image gives one part of each target row if `ratio` is 2, and two parts if it is
  // 4. A part has as many bytes as a vector. With three channels, a quarter of these bytes are unused.
  let part = channels == 3 ? blur_u8_lanes / 4 &* 3 : blur_u8_lanes
  let once = ratio / 2 &* part
  let rounding = blur_u16(repeating: 128)
  @inline(__always) func vertical(_ x: Int) -> Four {
    @inline(__always) func loaded(_ row: Int) -> blur_u16 {
      // SAFETY: a value of the smaller image has two bytes and gives `ratio` components of the larger image.
      // So the values for the components from `x` on begin at byte `2 * x / ratio` of the row. A block that
      // begins at `x` reads at most two vectors from this byte on, and every block begins before `count`.
      // With three channels, a larger block ends before `count`, and reads only one vector beyond its end. So
      // the loop reads at most two vectors from the value with the index `count / ratio` on. The caller
      // guarantees that each row is readable up to there.
      blur_load_spread(a.rows[row] + 2 &* x / ratio, channels) &+ rounding
    }
    let (a, b, c) = (loaded(0), loaded(1), loaded(2))
    if ratio == 4 { return filter(a, b, c) }
    let (upper, lower) = (filter(a, b, c), filter(b, c, loaded(3)))
    return (upper.0, upper.1, lower.0, lower.1)
  }
  var (x, here) = (range.lowerBound, vertical(range.lowerBound))
  @inline(__always) func pixels(_ here: blur_u16, _ next: blur_u16) -> Four {
    filter(here, blur_pixels_after(here, next, channels, 1), blur_pixels_after(here, next, channels, 2))
  }
  @inline(__always) func joined(_ pixels: Four, _ number: Int) -> blur_u8 {
    ratio == 2
      ? blur_join_pairs(pixels.0, pixels.1, channels)
      : blur_join_groups(pixels.0, pixels.1, pixels.2, pixels.3, channels, number)
  }
  // Stores groups of pixels in one row, from component `x` on. `left` is the number of bytes from `x` to the
  // end of the row.
  @inline(__always) func store(_ row: Int, _ pixels: Four, _ left: Int) {
    @inline(__always) func store(_ number: Int, _ left: Int) {
      let bytes = joined(pixels, number)
      // SAFETY: not more than `left` bytes are written.
      storeBytes(
        targets[row] + (x &+ number &* part), channels == 3 ? blur_three_quarters(bytes, bytes, 0) : bytes,
        left < part ? left : part, isStreamed && channels != 3)
    }
    store(0, left)
    if ratio == 4, left > part { store(1, left &- part) }
  }
  @inline(__always) func block(_ left: Int) {
    let next = vertical(x &+ once)
    store(0, pixels(here.0, next.0), left)
    store(1, pixels(here.1, next.1), left)
    store(2, pixels(here.2, next.2), left)
    store(3, pixels(here.3, next.3), left)
    here = next
    x &+= once
  }
  // With three channels, a quarter of each of the vectors `a` to `d` is unused, so together they fill three
  // whole vectors of a row.
  @inline(__always) func fourParts(_ row: Int, _ a: blur_u8, _ b: blur_u8, _ c: blur_u8, _ d: blur_u8) {
    let target = targets[row] + x
    // SAFETY: at least three vectors of the row are left to be written.
    storeBytes(target, blur_three_quarters(a, b, 0), blur_u8_lanes, isStreamed)
    storeBytes(target + blur_u8_lanes, blur_three_quarters(b, c, 1), blur_u8_lanes, isStreamed)
    storeBytes(target + 2 &* blur_u8_lanes, blur_three_quarters(c, d, 2), blur_u8_lanes, isStreamed)
  }
  @inline(__always) func fourParts(_ row: Int, _ a: blur_u16, _ b: blur_u16, _ c: blur_u16) {
    let (p, q) = (pixels(a, b), pixels(b, c))
    fourParts(row, joined(p, 0), joined(p, 1), joined(q, 0), joined(q, 1))
  }
  if channels == 3 {
    while end &- x >= 3 &* blur_u8_lanes {
      let b = vertical(x &+ once)
      let c = vertical(x &+ 2 &* once)
      if ratio == 4 {
        fourParts(0, here.0, b.0, c.0)
        fourParts(1, here.1, b.1, c.1)
        fourParts(2, here.2, b.2, c.2)
        fourParts(3, here.3, b.3, c.3)
        here = c
      } else {
        let (d, e) = (vertical(x &+ 3 &* once), vertical(x &+ 4 &* once))
        @inline(__always) func parts(_ row: Int, _ v: (blur_u16, blur_u16, blur_u16, blur_u16, blur_u16)) {
          fourParts(
            row, joined(pixels(v.0, v.1), 0), joined(pixels(v.1, v.2), 0), joined(pixels(v.2, v.3), 0),
            joined(pixels(v.3, v.4), 0))
        }
        parts(0, (here.0, b.0, c.0, d.0, e.0))
        parts(1, (here.1, b.1, c.1, d.1, e.1))
        parts(2, (here.2, b.2, c.2, d.2, e.2))
        parts(3, (here.3, b.3, c.3, d.3, e.3))
        here = e
      }
      x &+= 4 &* part
    }
  } else {
    while end &- x >= once { block(once) }
  }
  while x < end { block(end &- x) }
}
