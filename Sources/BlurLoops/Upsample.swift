import BlurLoopTable
import CBlurVectors

// These loops double the size of images, in 16-bit arithmetic or in single precision. Downsample.swift
// explains the filters. In 16-bit arithmetic, values range from 0 to 65535. The smaller versions of 8-bit
// images store the values of the image multiplied by 256. In single precision, values are in the units of the
// image.
//
// Vectors of the source rows are first combined vertically. This gives two lines, which lie at the positions
// of two rows of the larger image, but still have as many pixels as a row of the smaller image. Their vectors
// are then combined horizontally, without storing the lines in between. The neighbours of a pixel are shifted
// out of the latest vectors of its line.

// MARK: 16-bit arithmetic

/// Computes two rows of the larger image, in 16-bit arithmetic.
@inline(never)
func fixedUpsample(_ a: Upsample) {
  withKnownChannels(a.channels) { channels in
    switch a.order {
    case 2: upsampleWords(a, channels) { _, b, c in (even: b, odd: blur_average(b, c)) }
    case 3: upsampleWords(a, channels) { _, b, c in between(b, c) }
    default: upsampleWords(a, channels) { interpolated($0, $1, $2) }
    }
  }
}

@inline(__always)
private func upsampleWords(
  _ a: Upsample, _ channels: Int, _ filter: (blur_u16, blur_u16, blur_u16) -> Pixels
) {
  let (lanes, count, isExact, targets) = (blur_u16_lanes, a.count, a.isExact, (a.target, a.next))
  // The addresses of the rows are copied to constants before the loop. Otherwise, the compiler would have to
  // assume that the stores in the loop change the list of addresses, and would reload the addresses in each
  // iteration.
  let rows = (a.rows[1], a.rows[2], a.rows[3])
  // Returns one vector from each of the two lines. Both vectors begin with the value at index `i`.
  @inline(__always) func vertical(_ i: Int) -> Pixels {
    @inline(__always) func load(_ row: UnsafeRawPointer) -> blur_u16 {
      // SAFETY: each row is readable from one vector or four pixels before the address in `rows`, whichever
      // is farther, up to three vectors after the last needed pixel.
      blur_load_u16(row + 2 &* i)
    }
    return filter(load(rows.0), load(rows.1), load(rows.2))
  }
  var x = 0
  // The filter needs the right neighbour of each pixel, so the latest vector of a line lies one pixel ahead
  // of the pixels that are enlarged. The first vector holds the pixels up to pixel 0, which the first result
  // needs as well.
  let first = vertical(channels &- lanes)
  var (even, odd) = ((first.even, first.even, first.even), (first.odd, first.odd, first.odd))
  @inline(__always) func enlarged(_ next: blur_u16, _ latest: inout LatestWords) -> Pixels {
    latest = (next, latest.0, latest.1)
    let latest = latest
    return filter(
      pixels(latest, placeBefore(2, channels, lanes)), pixels(latest, placeBefore(1, channels, lanes)), next)
  }
  @inline(__always) func store(
    _ target: UnsafeMutableRawPointer, _ offset: Int, _ value: blur_u16, _ left: Int
  ) {
    // SAFETY: if `isExact` is true, the stores write no more than `count` values. Otherwise, the last store
    // may write one vector more, and the target rows have space for it.
    blur_u16_to_u16(target + 2 &* (x &+ offset), value, isExact || left > lanes ? left : lanes)
  }
  // Stores the pixels that are made from one vector. `left` is the number of values from `x` to the end of
  // the row.
  @inline(__always) func store(_ target: UnsafeMutableRawPointer, _ pixels: Pixels, _ left: Int) {
    store(target, 0, blur_lower_u16(pixels.even, pixels.odd, channels), left)
    if left > lanes { store(target, lanes, blur_upper_u16(pixels.even, pixels.odd, channels), left &- lanes) }
  }
  // Stores the pixels that are made from three vectors. This version of `store` is used only if pixels have
  // three channels. `left` is the number of values from `x` to the end of the row.
  @inline(__always) func store(
    _ target: UnsafeMutableRawPointer, _ pixels: (Pixels, Pixels, Pixels), _ left: Int
  ) {
    let block = sixOf(pixels.0, pixels.1, pixels.2)
    six { if left > lanes &* $0 { store(target, lanes &* $0, joinedPart(block, $0), left &- lanes &* $0) } }
  }
  @inline(__always) func block(_ left: Int) {
    let lines = vertical(x / 2 &+ channels)
    if channels == 3 {
      let second = vertical(x / 2 &+ lanes &+ channels)
      let third = vertical(x / 2 &+ 2 &* lanes &+ channels)
      let upper = (enlarged(lines.even, &even), enlarged(second.even, &even), enlarged(third.even, &even))
      store(targets.0, upper, left)
      let lower = (enlarged(lines.odd, &odd), enlarged(second.odd, &odd), enlarged(third.odd, &odd))
      store(targets.1, lower, left)
    } else {
      store(targets.0, enlarged(lines.even, &even), left)
      store(targets.1, enlarged(lines.odd, &odd), left)
    }
    x &+= once
  }
  // The number of values of an output row that are computed at a time. With three channels, two vectors would
  // end in the middle of a pair of pixels, so six vectors are computed.
  let once = channels == 3 ? 6 &* lanes : 2 &* lanes
  while x &+ once <= count { block(once) }
  while x < count { block(count &- x) }
}

/// The two pixels of the larger image that are made from one pixel of the smaller image and its neighbours.
/// If the order of the filter is even, the even pixel lies exactly on the pixel of the smaller image, and the
/// odd pixel lies halfway to the next pixel of the smaller image. If the order is odd, both pixels lie
/// between these two pixels of the smaller image.
typealias Pixels = (even: blur_u16, odd: blur_u16)

/// Returns the two pixels of the larger image that lie between the neighbouring pixels `a` and `b` of the
/// smaller image. The even pixel is (3a + b) / 4, and the odd pixel is (a + 3b) / 4.
@inline(__always)
func between(_ a: blur_u16, _ b: blur_u16) -> Pixels {
  let middle = blur_average(a, b)
  return (blur_average(a, middle), blur_average(middle, b))
}

/// Returns two pixels of the larger image, given three neighbouring pixels of the smaller image. The even
/// pixel is (a + 6b + c) / 8 and lies at the position of `b`. The odd pixel is (b + c) / 2 and lies halfway
/// between `b` and `c`.
@inline(__always)
func interpolated(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16) -> Pixels {
  (blur_average(b, blur_average(b, blur_average(a, c))), blur_average(b, c))
}

// MARK: Single precision

/// The two pixels of the larger image that are made from one pixel of the smaller image and its neighbours
/// (see ``Pixels``), as floats.
typealias FloatPixels = (even: blur_f32, odd: blur_f32)

/// Computes two rows of the larger image, in single precision.
@inline(never)
func floatUpsample(_ a: Upsample) {
  switch a.order {
  case 2: floatUpsample2(a)
  case 3: floatUpsample3(a)
  case 4: floatUpsample4(a)
  case 5: floatUpsample5(a)
  case 6: floatUpsample6(a)
  default: floatUpsample8(a)
  }
}

// There is one function for each order, for the reason given in Downsample.swift.
@inline(never) private func floatUpsample2(_ a: Upsample) { upsampleFloats(a, 2) }
@inline(never) private func floatUpsample3(_ a: Upsample) { upsampleFloats(a, 3) }
@inline(never) private func floatUpsample4(_ a: Upsample) { upsampleFloats(a, 4) }
@inline(never) private func floatUpsample5(_ a: Upsample) { upsampleFloats(a, 5) }
@inline(never) private func floatUpsample6(_ a: Upsample) { upsampleFloats(a, 6) }
@inline(never) private func floatUpsample8(_ a: Upsample) { upsampleFloats(a, 8) }

@inline(__always)
private func upsampleFloats(_ a: Upsample, _ order: Int) {
  withKnownChannels(a.channels) { upsampleFloats(a, $0, order) }
}

@inline(__always)
private func upsampleFloats(_ a: Upsample, _ channels: Int, _ order: Int) {
  let (lanes, count, isExact, targets) = (blur_f32_lanes, a.count, a.isExact, (a.target, a.next))
  let rows = (a.rows[0], a.rows[1], a.rows[2], a.rows[3], a.rows[4])
  // The number of pixels by which the latest vector of a line lies ahead of the pixels that are enlarged.
  let ahead = order < 5 ? 1 : 2
  @inline(__always) func vertical(_ i: Int) -> FloatPixels {
    interpolated(order) { distance in
      let row =
        switch distance {
        case -2: rows.0
        case -1: rows.1
        case 0: rows.2
        case 1: rows.3
        default: rows.4
        }
      // SAFETY: each row is readable from one vector or four pixels before the address in `rows`, whichever
      // is farther, up to three vectors after the last needed pixel.
      return blur_load_f32(row + 4 &* i)
    }
  }
  let none = (blur_f32(), blur_f32(), blur_f32(), blur_f32(), blur_f32())
  var (even, odd, x) = (none, none, 0)
  @inline(__always) func add(_ next: blur_f32, to latest: inout LatestFloats) {
    latest = (next, latest.0, latest.1, latest.2, latest.3)
  }
  // Loads the vectors before the first vector that is enlarged, because the filter reaches up to four pixels
  // back from the latest pixel.
  for i in 0..<4 where (4 &- i) &* lanes < 4 &* channels &+ lanes {
    let lines = vertical(ahead &* channels &- (4 &- i) &* lanes)
    add(lines.even, to: &even)
    add(lines.odd, to: &odd)
  }
  @inline(__always) func enlarged(_ next: blur_f32, _ latest: inout LatestFloats) -> FloatPixels {
    add(next, to: &latest)
    let latest = latest
    return interpolated(order) { pixels(latest, placeBefore(ahead &- $0, channels, lanes)) }
  }
  @inline(__always) func store(
    _ target: UnsafeMutableRawPointer, _ offset: Int, _ value: blur_f32, _ left: Int
  ) {
    // SAFETY: if `isExact` is true, the stores write no more than `count` values. Otherwise, the last store
    // may write one vector more, and the target rows have space for it.
    blur_f32_to_f32(target + 4 &* (x &+ offset), value, isExact || left > lanes ? left : lanes)
  }
  // Stores the pixels that are made from one vector. `left` is the number of values from `x` to the end of
  // the row.
  @inline(__always) func store(_ target: UnsafeMutableRawPointer, _ pixels: FloatPixels, _ left: Int) {
    store(target, 0, blur_lower_f32(pixels.even, pixels.odd, channels), left)
    if left > lanes { store(target, lanes, blur_upper_f32(pixels.even, pixels.odd, channels), left &- lanes) }
  }
  @inline(__always) func barrier(_ pixels: FloatPixels) -> FloatPixels {
    (blur_optimisation_barrier_f32(pixels.even), blur_optimisation_barrier_f32(pixels.odd))
  }
  // Stores the pixels that are made from three vectors. This version of `store` is used only if pixels have
  // three channels. `left` is the number of values from `x` to the end of the row.
  @inline(__always) func store(
    _ target: UnsafeMutableRawPointer, _ pixels: (FloatPixels, FloatPixels, FloatPixels), _ left: Int
  ) {
    // Without the barrier, the compiler would multiply after the shuffles, which takes more instructions.
    let block = sixOf(barrier(pixels.0), barrier(pixels.1), barrier(pixels.2))
    six { if left > lanes &* $0 { store(target, lanes &* $0, joinedPart(block, $0), left &- lanes &* $0) } }
  }
  @inline(__always) func block(_ left: Int) {
    let lines = vertical(x / 2 &+ ahead &* channels)
    if channels == 3 {
      let second = vertical(x / 2 &+ lanes &+ ahead &* channels)
      let third = vertical(x / 2 &+ 2 &* lanes &+ ahead &* channels)
      let upper = (enlarged(lines.even, &even), enlarged(second.even, &even), enlarged(third.even, &even))
      store(targets.0, upper, left)
      let lower = (enlarged(lines.odd, &odd), enlarged(second.odd, &odd), enlarged(third.odd, &odd))
      store(targets.1, lower, left)
    } else {
      store(targets.0, enlarged(lines.even, &even), left)
      store(targets.1, enlarged(lines.odd, &odd), left)
    }
    x &+= once
  }
  // The number of values of an output row that are computed at a time. With three channels, two vectors would
  // end in the middle of a pair of pixels, so six vectors are computed.
  let once = channels == 3 ? 6 &* lanes : 2 &* lanes
  while x &+ once <= count { block(once) }
  while x < count { block(count &- x) }
}

/// Returns two pixels of the larger image, an even one and an odd one, which are computed from pixel i of the
/// smaller image and its neighbours. `load` returns a pixel of the smaller image, given its distance from
/// pixel i, which is from −2 to 2. If the order of the filter is even, the even pixel lies exactly at pixel
/// i, and the odd pixel lies halfway to pixel i + 1. If the order is odd, the two pixels lie one quarter and
/// three quarters of the way from pixel i to pixel i + 1.
@inline(__always)
private func interpolated(_ order: Int, _ load: (Int) -> blur_f32) -> FloatPixels {
  let w = binomial(order)
  let (b, c) = (load(0), load(1))
  var even = b * (2 * w.0)
  if order & 1 == 1 {
    even = blur_add_product(even, c, 2 * w.1)
    var odd = blur_add_product(c * (2 * w.0), b, 2 * w.1)
    if order >= 5 {
      even = blur_add_product(even, load(-1), 2 * w.2)
      odd = blur_add_product(odd, load(2), 2 * w.2)
    }
    return (even, odd)
  }
  var odd = (b + c) * (2 * w.1)
  if order >= 4 { even = blur_add_product(even, load(-1) + c, 2 * w.2) }
  if order >= 6 { odd = blur_add_product(odd, load(-1) + load(2), 2 * w.3) }
  if order >= 8 { even = blur_add_product(even, load(-2) + load(2), 2 * w.4) }
  return (even, odd)
}
