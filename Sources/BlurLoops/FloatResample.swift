import BlurLoopTable
import CBlurVectors

// These loops downsample and upsample images in single precision, for the pyramid. FixedResample.swift
// explains where the pixels of the smaller image lie. The filters here are binomial, and their orders are 2
// to 6 and 8. Values are in the units of the image format.

/// The weights of a binomial filter, from the centre outwards. The first weight is for the central pixel, or
/// for each of the two central pixels if the order is odd. The other weights are for the pixels that lie 1,
/// 2, 3 and 4 pixels farther out.
private typealias Weights = (Float, Float, Float, Float, Float)

@inline(__always)
private func binomial(_ order: Int) -> Weights {
  switch order {
  case 2: (2.0 / 4, 1.0 / 4, 0, 0, 0)
  case 3: (3.0 / 8, 1.0 / 8, 0, 0, 0)
  case 4: (6.0 / 16, 4.0 / 16, 1.0 / 16, 0, 0)
  case 5: (10.0 / 32, 5.0 / 32, 1.0 / 32, 0, 0)
  case 6: (20.0 / 64, 15.0 / 64, 6.0 / 64, 1.0 / 64, 0)
  default: (70.0 / 256, 56.0 / 256, 28.0 / 256, 8.0 / 256, 1.0 / 256)
  }
}

/// Calls `body` with the order of the filter as a compile-time constant, so that the compiler optimises the
/// code of `body` separately for each order.
@inline(__always)
private func known(_ order: Int, _ body: (Int) -> Void) {
  switch order {
  case 2: body(2)
  case 3: body(3)
  case 4: body(4)
  case 5: body(5)
  case 6: body(6)
  default: body(8)
  }
}

/// Returns the binomial mean of `order + 1` neighbouring values. `load` returns the value at a given distance
/// from the centre. If the order is even, the distances reach from −order/2 to order/2. If it is odd, there
/// are two central values, at the distances −1 and 0, and the distances reach from −(order + 1)/2 to (order −
/// 1)/2.
@inline(__always)
private func smoothed(_ order: Int, _ load: (Int) -> blur_f32) -> blur_f32 {
  let w = binomial(order)
  @inline(__always) func both(_ farther: Int) -> blur_f32 { load(-(order & 1) - farther) + load(farther) }
  var sum = (order & 1 == 1 ? both(0) : load(0)) * w.0
  sum = blur_add_product(sum, both(1), w.1)
  if order >= 4 { sum = blur_add_product(sum, both(2), w.2) }
  if order >= 6 { sum = blur_add_product(sum, both(3), w.3) }
  if order >= 8 { sum = blur_add_product(sum, both(4), w.4) }
  return sum
}

/// Downsamples vertically, and computes two lines. The first line is the binomial mean of `order + 1` source
/// rows. The second line is the same mean, computed two source rows further down.
@inline(never)
func floatDownsampleVertical(_ a: DownsampleVertical) {
  // The two lines are computed one after the other. Computing them at the same time would take more registers
  // than CPUs have.
  @inline(__always) func run(_ order: Int) {
    for line in 0..<2 {
      switch a.bytes {
      case 1: downsample(a, line, 1, order) { blur_f32_from_u8($0, $1) }
      case 2: downsample(a, line, 2, order) { blur_f32_from_u16($0, $1) }
      default: downsample(a, line, 4, order) { blur_f32_from_f32($0, $1) }
      }
    }
  }
  known(a.order, run)
}

@inline(__always)
private func downsample(
  _ a: DownsampleVertical, _ number: Int, _ bytes: Int, _ order: Int,
  _ load: (UnsafeRawPointer, Int) -> blur_f32
) {
  let (rows, channels, odd, count) = (a.rows + 2 &* number, a.channels, a.odd, a.count)
  let line = (number == 0 ? a.line : a.next).assumingMemoryBound(to: Float.self)
  let lanes = blur_f32_lanes
  let whole = blur_whole_pairs(2 &* lanes, channels)
  @inline(__always) func mean(_ x: Int, _ loaded: Int) -> blur_f32 {
    // SAFETY: `rows` holds the addresses of at least `order + 1` source rows, and each of these rows has at
    // least `x + loaded` components.
    smoothed(order) { load(rows[$0 &+ (order &+ 1) / 2] + bytes &* x, loaded) }
  }
  @inline(__always) func store(_ x: Int, _ first: blur_f32, _ second: blur_f32) {
    // SAFETY: a line stores even and odd pixels in separate parts, and each part has space for one more
    // vector at its end.
    blur_store_f32(line + (x &>> 1), blur_even_f32(first, second, channels))
    blur_store_f32(line + ((x &>> 1) &+ odd), blur_odd_f32(first, second, channels))
  }
  @inline(__always) func prefetch(_ x: Int) {
    blur_prefetch(rows[order &+ 3] + bytes &* x)
    blur_prefetch(rows[order &+ 4] + bytes &* x)
    if bytes == 4 {
      blur_prefetch(rows[order &+ 3] + bytes &* (x &+ lanes))
      blur_prefetch(rows[order &+ 4] + bytes &* (x &+ lanes))
    }
  }
  @inline(__always) func means(_ x: Int) -> (blur_f32, blur_f32) { (mean(x, lanes), mean(x &+ lanes, lanes)) }
  var x = 0
  if channels == 3 {
    while x &+ 6 &* lanes <= count {
      three { prefetch(x &+ 2 &* lanes &* $0) }
      let pixels = sixOf(means(x), means(x &+ 2 &* lanes), means(x &+ 4 &* lanes))
      // SAFETY: a line stores even and odd pixels in separate parts, and each part has space for one more
      // vector at its end.
      let target = line + (x &>> 1)
      three { blur_store_f32(target + lanes &* $0, evenPart(pixels, $0)) }
      three { blur_store_f32(target + (odd &+ lanes &* $0), oddPart(pixels, $0)) }
      x &+= 6 &* lanes
    }
  }
  while x &+ 2 &* lanes <= count {
    prefetch(x)
    let (first, second) = means(x)
    store(x, first, second)
    x &+= whole
  }
  while x < count {
    let left = count &- x
    let first = left > lanes ? mean(x, lanes) : mean(x, left)
    store(x, first, left > lanes ? mean(x &+ lanes, left &- lanes) : first)
    x &+= whole
  }
}

/// Downsamples a line horizontally into one row of the smaller image.
@inline(never)
func floatDownsampleHorizontal(_ a: DownsampleHorizontal) {
  let (channels, odd, count) = (a.channels, a.odd, a.count)
  let line = a.line.assumingMemoryBound(to: Float.self)
  let target = a.target.assumingMemoryBound(to: Float.self)
  @inline(__always) func run(_ order: Int) {
    let lanes = blur_f32_lanes
    var x = 0
    while x < count {
      // SAFETY: the caller's line is readable as far as the filter reaches. The line stores even and odd
      // pixels in separate parts, so a pixel at an odd distance is read from the part for odd pixels. For
      // example, the pixel just before even pixel number 0 is odd pixel number −1.
      let result = smoothed(order) { distance in
        let pixel = distance &>> 1
        return blur_load_f32(line + (x &+ pixel &* channels &+ (distance & 1) &* odd))
      }
      blur_store_f32(target + x, result)
      x &+= lanes
    }
  }
  known(a.order, run)
}

/// Returns the two pixels of the larger image, an even and an odd one, that upsampling makes from a pixel of
/// the smaller image and its neighbours. `load` returns the pixel at a given distance from this pixel,
/// between −2 and 2. With even orders, the even pixel lies exactly at this pixel, and the odd pixel lies
/// half-way to the next one. With odd orders, the two pixels lie at a quarter and at three quarters of the
/// way to the next one.
@inline(__always)
private func interpolated(_ order: Int, _ load: (Int) -> blur_f32) -> (even: blur_f32, odd: blur_f32) {
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

/// Upsamples vertically: makes two neighbouring lines of the larger image from five rows of the smaller
/// image. The first line lies at the position of the middle row, and the second line lies just below it.
@inline(never)
func floatUpsampleVertical(_ a: UpsampleVertical) {
  let count = a.count
  let even = a.even.assumingMemoryBound(to: Float.self)
  let odd = a.odd.assumingMemoryBound(to: Float.self)
  // The addresses are copied to local constants before the loop. Otherwise the compiler would have to assume
  // that the stores in the loop change the addresses.
  let rows = (a.rows[0], a.rows[1], a.rows[2], a.rows[3], a.rows[4])
  @inline(__always) func row(_ distance: Int) -> UnsafeRawPointer {
    switch distance {
    case -2: rows.0
    case -1: rows.1
    case 0: rows.2
    case 1: rows.3
    default: rows.4
    }
  }
  @inline(__always) func run(_ order: Int) {
    let lanes = blur_f32_lanes
    var x = 0
    while x < count {
      // SAFETY: rows are readable for one vector beyond their last value.
      let result = interpolated(order) { blur_load_f32(row($0) + 4 &* x) }
      if order != 2 { blur_store_f32(even + x, result.even) }
      blur_store_f32(odd + x, result.odd)
      x &+= lanes
    }
  }
  known(a.order, run)
}

/// Upsamples a line horizontally into one row of the larger image.
@inline(never)
func floatUpsampleHorizontal(_ a: UpsampleHorizontal) {
  let target = a.target
  switch a.bytes {
  case 1: upsample(a) { blur_u8_from_f32(target + $0, $1, $2) }
  case 2: upsample(a) { blur_u16_from_f32(target + 2 &* $0, $1, $2) }
  default: upsample(a) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
  }
}

/// Upsamples a row from left to right. `store` writes a part of the result. It receives the index of a
/// component, the vector of values that begins there, and the number of values to write.
@inline(__always)
private func upsample(_ a: UpsampleHorizontal, _ store: (Int, blur_f32, Int) -> Void) {
  let (channels, count, isExact, lanes) = (a.channels, a.count, a.isExact, blur_f32_lanes)
  let line = a.line.assumingMemoryBound(to: Float.self)
  let whole = blur_whole_pairs(2 &* lanes, channels)
  @inline(__always) func run(_ order: Int) {
    @inline(__always) func pixels(_ p: UnsafePointer<Float>) -> (blur_f32, blur_f32) {
      // SAFETY: the caller's line is readable from two pixels before its start to two pixels and one vector
      // after its end.
      let result = interpolated(order) { blur_load_f32(p + $0 &* channels) }
      return (result.even, result.odd)
    }
    // SAFETY: if `isExact` is true, no more than `count` components are written. Otherwise, the target has
    // space for another two vectors.
    var x = 0
    if channels == 3 {
      while x &+ 6 &* lanes <= count {
        let p = line + (x &>> 1)
        let block = sixOf(pixels(p), pixels(p + lanes), pixels(p + 2 &* lanes))
        six { store(x &+ lanes &* $0, joinedPart(block, $0), lanes) }
        x &+= 6 &* lanes
      }
    }
    while x < count {
      let (even, odd) = pixels(line + (x &>> 1))
      let left = isExact ? count &- x : 2 &* lanes
      store(x, blur_lower_f32(even, odd, channels), left)
      if left > lanes {
        store(x &+ lanes, blur_upper_f32(even, odd, channels), left &- lanes)
      }
      x &+= whole
    }
  }
  known(a.order, run)
}
