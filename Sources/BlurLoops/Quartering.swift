import BlurLoopTable
import CBlurVectors

// These loops make images with 8-bit components four times smaller and four times larger in one step. The
// kernel `pyramid` uses them in place of two halvings. The rules for the code in this folder are in
// Loops.swift.
//
// The loops combine two binomial filters. The first filter has order 3, and the second has order 2 or 3.
// Halving with the weights (1 3 3 1) and then with (1 2 1) gives each pixel of the smaller image the weights
// (1 3 5 7 7 5 3 1) / 32. Four neighbouring source pixels are called a group. Pixel i of the smaller image is
// computed from group i and the one or two groups before it, and group i of the larger image is computed from
// pixel i of the smaller image and the one or two pixels after it.

/// Computes one row of an image that is four times smaller, from four source rows and from the intermediate
/// results that earlier calls have saved in `a.state`.
@inline(never)
func quarterDownsample(_ a: QuarterDownsample) {
  withKnownChannels(a.channels) { channels in
    if a.order == 2 {
      downsample(a, channels, isLonger: false)
    } else {
      downsample(a, channels, isLonger: true)
    }
  }
}

/// Four vectors, one for each row of a group of rows, or one for each pixel of a group of pixels.
private typealias Four = (blur_u16, blur_u16, blur_u16, blur_u16)

/// Computes one row of the smaller image.
///
/// - Parameter isLonger: True if the order of the second filter is 3, and false if it is 2.
@inline(__always)
private func downsample(_ a: QuarterDownsample, _ channels: Int, isLonger: Bool) {
  let (rows, count) = (a.rows, a.count)
  let target = a.target.assumingMemoryBound(to: UInt16.self)
  // The number of source bytes for one vector of products. With three channels, a quarter of the vector is
  // unused.
  let half = channels == 3 ? blur_u8_lanes / 4 &* 3 : blur_u8_lanes
  let group = 4 &* channels
  // The weights of the pixels in three groups, multiplied by 256. Each number holds the four weights of one
  // group, and its lowest byte is the weight of the first pixel.
  let weights: (UInt32, UInt32, UInt32) =
    isLonger ? (0x0c04_0000, 0x3030_2818, 0x040c_1828) : (0, 0x3828_1808, 0x0818_2838)
  @inline(__always) func products(_ here: blur_u8, _ before: blur_u8, _ first: blur_u8) -> blur_u16 {
    let sum = blur_byte_products(here, weights.2) &+ blur_byte_products(before, weights.1)
    return isLonger ? sum &+ blur_byte_products(first, weights.0) : sum
  }
  // Downsamples a part of a source row horizontally, and returns the values before they are downsampled
  // vertically. The lanes are in the order of `blur_pair_sums`. `left` is the number of source bytes from `x`
  // to the end of the row. If earlier groups are shifted out of registers (`blur_shifts()`), `last` holds the
  // groups before `x`.
  @inline(__always) func horizontal(_ row: Int, _ x: Int, _ left: Int, _ last: inout blur_u8) -> blur_u16 {
    let p = rows[row] + 4 &* x
    @inline(__always) func groups(_ offset: Int) -> blur_u8 {
      // SAFETY: the row has `left` bytes from `p` on, and bytes beyond its end are not read. Bytes before `p`
      // are read only if `offset` is negative. These bytes are at most two groups of pixels before `p`. They
      // are inside the row, because a loop with negative offsets begins at the third pixel of the target, so
      // `p` is at least two groups after the start of the row.
      blur_grouped(blur_load_bytes(p + offset, left > offset ? left &- offset : 0), channels)
    }
    let (first, second) = (groups(0), groups(half))
    guard blur_shifts() else {
      return blur_pair_sums(
        products(first, groups(-group), isLonger ? groups(-2 &* group) : first),
        products(second, groups(half &- group), isLonger ? groups(half &- 2 &* group) : second))
    }
    let lower = products(
      first, blur_groups_before(last, first, channels, 1), blur_groups_before(last, first, channels, 2))
    let upper = products(
      second, blur_groups_before(first, second, channels, 1), blur_groups_before(first, second, channels, 2))
    last = second
    return blur_pair_sums(lower, upper)
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
    // SAFETY: the state holds four vectors for each block of the target row, and the target row has space for
    // one more vector.
    let lanes = blur_u16_lanes
    let (before2, before1) = (blur_load_u16(state), blur_load_u16(state + lanes))
    let earlier = blur_load_u16(state + 2 &* lanes)
    let even = smoothed(before2, before1, h0, h1)
    let odd = smoothed(h0, h1, h2, h3)
    blur_store_u16(state, h2)
    blur_store_u16(state + lanes, h3)
    blur_store_u16(state + 2 &* lanes, odd)
    let sums: blur_u16
    if isLonger {
      sums = smoothed(blur_load_u16(state + 3 &* lanes), earlier, even, odd)
      blur_store_u16(state + 3 &* lanes, even)
    } else {
      sums = smoothed(earlier, even, odd)
    }
    blur_store_u16(target + x, blur_in_order(sums, channels))
    x &+= half / 2
    state += 4 &* lanes
  }
  while 4 &* (count &- x) >= 2 &* blur_u8_lanes {
    for row in 4..<8 {
      blur_prefetch(rows[row] + 4 &* x)
      if blur_shifts() { blur_prefetch(rows[row] + (4 &* x &+ 64)) }
    }
    block(2 &* blur_u8_lanes)
  }
  while x < count { block(4 &* (count &- x)) }
}

/// Computes four rows of an image that is four times larger.
@inline(never)
func quarterUpsample(_ a: QuarterUpsample) {
  withKnownChannels(a.channels) { channels in
    if a.order == 2 {
      upsample(a, channels, between)
    } else {
      upsample(a, channels, around)
    }
  }
}

/// Returns the four pixels of a group of the larger image, which lie between the pixels `a` and `b` of the
/// smaller image. The weights of `a` and `b` are (7 1) / 8 for the first of the four pixels, and (5 3) / 8,
/// (3 5) / 8 and (1 7) / 8 for the others.
@inline(__always)
private func between(_ a: blur_u16, _ b: blur_u16, _: blur_u16) -> Four {
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
private func around(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16) -> Four {
  let (before, after) = (blur_average(a, b), blur_average(b, c))
  let (first, second, third) = (blur_average(a, before), blur_average(before, b), blur_average(b, after))
  let middle = blur_average(second, third)
  return (
    blur_average(first, before), blur_average(before, second), blur_average(second, middle),
    blur_average(middle, third)
  )
}

@inline(__always)
private func upsample(
  _ a: QuarterUpsample, _ channels: Int, _ filter: (blur_u16, blur_u16, blur_u16) -> Four
) {
  let streamed = a.isStreamed ? firstStreamed(a) : a.count
  upsample(a, channels, 0..<streamed, isStreamed: false, filter)
  if streamed < a.count { upsample(a, channels, streamed..<a.count, isStreamed: true, filter) }
}

/// Returns the number of components in each row that must be written with ordinary stores, before
/// non-temporal stores can begin. Non-temporal stores begin at the first component whose addresses in all
/// four rows are multiples of the size of a vector, and at which a group begins. If there is no such
/// component, the result is `count`.
@inline(__always)
private func firstStreamed(_ a: QuarterUpsample) -> Int {
  let mask = blur_u8_lanes &- 1
  var first = -Int(bitPattern: a.targets[0]) & mask
  for i in 1..<4 where -Int(bitPattern: a.targets[i]) & mask != first { return a.count }
  // With three channels, a group has 12 bytes. Of three neighbouring addresses that are multiples of the size
  // of a vector, at most one is the start of a group. So if no group begins at the first of these addresses,
  // the next two are tried.
  for _ in 0..<2 where first % (4 &* a.channels) != 0 { first &+= blur_u8_lanes }
  return first % (4 &* a.channels) == 0 && first < a.count ? first : a.count
}

@inline(__always)
private func upsample(
  _ a: QuarterUpsample, _ channels: Int, _ range: Range<Int>, isStreamed: Bool,
  _ filter: (blur_u16, blur_u16, blur_u16) -> Four
) {
  let (targets, end) = (a.targets, range.upperBound)
  // One vector of the smaller image gives `2 * half` bytes of each target row.
  let half = channels == 3 ? blur_u8_lanes / 4 &* 3 : blur_u8_lanes
  let rounding = blur_u16(repeating: 128)
  @inline(__always) func vertical(_ x: Int) -> Four {
    @inline(__always) func loaded(_ row: Int) -> blur_u16 {
      // SAFETY: a value of the smaller image has two bytes and gives four components of the larger image. So
      // the values for the components from `x` on begin at byte `x / 2` of the row. A block that begins at
      // `x` reads at most two vectors from this byte on, and every block begins before `count`. So the loop
      // reads no further than two vectors from the value with the index `count / 4` on. The caller guarantees
      // that each row is readable up to there.
      blur_load_spread(a.rows[row] + x / 2, channels) &+ rounding
    }
    return filter(loaded(0), loaded(1), loaded(2))
  }
  var (x, here) = (range.lowerBound, vertical(range.lowerBound))
  @inline(__always) func pixels(_ here: blur_u16, _ next: blur_u16) -> Four {
    filter(here, blur_pixels_after(here, next, channels, 1), blur_pixels_after(here, next, channels, 2))
  }
  // Stores the groups of one row that begin at `x`. `left` is the number of bytes from `x` to the end of the
  // row.
  @inline(__always) func store(_ number: Int, _ pixels: Four, _ left: Int) {
    for part in 0..<2 {
      let left = left &- part &* half
      guard left > 0 else { return }
      let joined = blur_join_groups(pixels.0, pixels.1, pixels.2, pixels.3, channels, part)
      // SAFETY: not more than `left` bytes are written.
      storeBytes(
        targets[number] + (x &+ part &* half),
        channels == 3 ? blur_three_quarters(joined, joined, 0) : joined, left < half ? left : half,
        isStreamed && channels != 3)
    }
  }
  @inline(__always) func block(_ left: Int) {
    let next = vertical(x &+ 2 &* half)
    store(0, pixels(here.0, next.0), left)
    store(1, pixels(here.1, next.1), left)
    store(2, pixels(here.2, next.2), left)
    store(3, pixels(here.3, next.3), left)
    here = next
    x &+= 2 &* half
  }
  // With three channels, two blocks give three whole vectors in each row.
  @inline(__always) func twoBlocks(_ number: Int, _ first: Four, _ second: Four) {
    let a = blur_join_groups(first.0, first.1, first.2, first.3, channels, 0)
    let b = blur_join_groups(first.0, first.1, first.2, first.3, channels, 1)
    let c = blur_join_groups(second.0, second.1, second.2, second.3, channels, 0)
    let d = blur_join_groups(second.0, second.1, second.2, second.3, channels, 1)
    let target = targets[number] + x
    // SAFETY: at least three vectors of the row are left to be written.
    storeBytes(target, blur_three_quarters(a, b, 0), blur_u8_lanes, isStreamed)
    storeBytes(target + blur_u8_lanes, blur_three_quarters(b, c, 1), blur_u8_lanes, isStreamed)
    storeBytes(target + 2 &* blur_u8_lanes, blur_three_quarters(c, d, 2), blur_u8_lanes, isStreamed)
  }
  if channels == 3 {
    while end &- x >= 3 &* blur_u8_lanes {
      let (next, last) = (vertical(x &+ 2 &* half), vertical(x &+ 4 &* half))
      twoBlocks(0, pixels(here.0, next.0), pixels(next.0, last.0))
      twoBlocks(1, pixels(here.1, next.1), pixels(next.1, last.1))
      twoBlocks(2, pixels(here.2, next.2), pixels(next.2, last.2))
      twoBlocks(3, pixels(here.3, next.3), pixels(next.3, last.3))
      here = last
      x &+= 4 &* half
    }
  } else {
    while end &- x >= 2 &* half { block(2 &* half) }
  }
  while x < end { block(end &- x) }
}
