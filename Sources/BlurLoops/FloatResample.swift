import BlurLoopTable
import CBlurVectors

// These loops halve and double the size of images in single precision. The kernel `pyramid` uses them: it
// blurs a small version of the image and then enlarges it again. The comment in FixedResample.swift explains
// where the pixels of the smaller image lie. The filters are binomial, and their orders are 2 to 6 and 8. For
// example, the weights of order 2 are (1 2 1) / 4. Values are in the units of the image format.

/// The weights of a binomial filter, from the centre outwards. If the order is even, the first weight is for
/// the central pixel. If the order is odd, there are two central pixels, and both have the first weight. The
/// other weights are for the pixels that lie 1, 2, 3 and 4 pixels farther out.
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

/// Calls `body` with the order of the filter, for example 2 for the weights (1 2 1) / 4. Inside `body`, the
/// order is a compile-time constant, so the compiler optimises the code separately for each order.
@inline(__always)
private func withKnownOrder(_ order: Int, _ body: (Int) -> Void) {
  switch order {
  case 2: body(2)
  case 3: body(3)
  case 4: body(4)
  case 5: body(5)
  case 6: body(6)
  default: body(8)
  }
}

/// Returns the weighted mean of `order + 1` neighbouring values with binomial weights. `load` returns the
/// value at a given distance from the centre.
///
/// If the order is even, the distances range from −order/2 to order/2. For example, they are −1, 0 and 1 for
/// order 2. If the order is odd, there are two central values at the distances −1 and 0. For example, the
/// distances are −2, −1, 0 and 1 for order 3.
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

/// Halves the height of an image: computes two lines of the smaller image. Each line is a weighted mean of
/// `order + 1` neighbouring source rows with binomial weights, for example (1 2 1) / 4 for order 2. The
/// source rows of the second line begin two rows further down than the source rows of the first line.
@inline(never)
func floatDownsampleVertical(_ a: DownsampleVertical) {
  // The two output lines are computed one after the other. Computing both lines at the same time would take
  // more registers than CPUs have.
  @inline(__always) func run(_ order: Int) {
    for line in 0..<2 {
      switch a.bytes {
      case 1: downsample(a, line, 1, order) { blur_f32_from_u8($0, $1) }
      case 2: downsample(a, line, 2, order) { blur_f32_from_u16($0, $1) }
      default: downsample(a, line, 4, order) { blur_f32_from_f32($0, $1) }
      }
    }
  }
  withKnownOrder(a.order, run)
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
    // SAFETY: `rows` holds the addresses of at least `order + 1` source rows, and the indices of the rows
    // range from 0 to `order`. Each row has at least `x + loaded` components, and no more are read.
    smoothed(order) { load(rows[$0 &+ (order &+ 1) / 2] + bytes &* x, loaded) }
  }
  @inline(__always) func store(_ x: Int, _ first: blur_f32, _ second: blur_f32) {
    // SAFETY: a line stores all even pixels first and then all odd pixels. There is space for one more vector
    // after the even pixels, and again after the odd pixels. So each store of a whole vector stays inside the
    // line.
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
      // SAFETY: a line stores all even pixels first and then all odd pixels. There is space for one more
      // vector after the even pixels, and again after the odd pixels. So each store of a whole vector stays
      // inside the line.
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

/// Halves the width of a line and stores the result as one row of the smaller image. Each output pixel is a
/// weighted mean of neighbouring pixels with binomial weights, for example (1 2 1) / 4 for order 2.
@inline(never)
func floatDownsampleHorizontal(_ a: DownsampleHorizontal) {
  let (channels, odd, count) = (a.channels, a.odd, a.count)
  let line = a.line.assumingMemoryBound(to: Float.self)
  let target = a.target.assumingMemoryBound(to: Float.self)
  @inline(__always) func run(_ order: Int) {
    let lanes = blur_f32_lanes
    var x = 0
    while x < count {
      // SAFETY: the caller's line can be read at all pixels in the windows of the filter, up to the end of
      // the last vector. This includes the pixels before the start and after the end of the row.
      //
      // The line stores all even pixels first, and the odd pixels after them. So a pixel at an odd distance
      // is read from the place where the odd pixels are stored. For example, the pixel just before the first
      // even pixel (index 0) is an odd pixel (index −1).
      let result = smoothed(order) { distance in
        let pixel = distance &>> 1
        return blur_load_f32(line + (x &+ pixel &* channels &+ (distance & 1) &* odd))
      }
      blur_store_f32(target + x, result)
      x &+= lanes
    }
  }
  withKnownOrder(a.order, run)
}

/// Returns two pixels of the larger image, an even one and an odd one, which are computed from pixel i of the
/// smaller image and its neighbours. `load` returns a pixel of the smaller image, given its distance from
/// pixel i, which is from −2 to 2. If the order of the filter is even, the even pixel lies exactly at pixel
/// i, and the odd pixel lies halfway to pixel i + 1. If the order is odd, the two pixels lie one quarter and
/// three quarters of the way from pixel i to pixel i + 1.
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

/// Doubles the height of an image: computes two neighbouring lines of the larger image from five rows of the
/// smaller image. If the order of the filter is even, the first line lies at the position of the middle row,
/// and the second line lies halfway to the row below. With order 2, only the second line is written, because
/// the first would equal the middle row. If the order is odd, both lines lie between the middle row and the
/// row below.
@inline(never)
func floatUpsampleVertical(_ a: UpsampleVertical) {
  let count = a.count
  let even = a.even.assumingMemoryBound(to: Float.self)
  let odd = a.odd.assumingMemoryBound(to: Float.self)
  // The addresses of the rows are copied to constants before the loop. Otherwise, the compiler would have to
  // assume that the stores in the loop change the list of addresses, and would reload the addresses in each
  // iteration.
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
      // SAFETY: each row can be read for one vector beyond its last value, and each output line has space for
      // one more vector. So the last vector can be loaded and stored whole.
      let result = interpolated(order) { blur_load_f32(row($0) + 4 &* x) }
      if order != 2 { blur_store_f32(even + x, result.even) }
      blur_store_f32(odd + x, result.odd)
      x &+= lanes
    }
  }
  withKnownOrder(a.order, run)
}

/// Doubles the width of a line and stores the result as one row of the larger image.
@inline(never)
func floatUpsampleHorizontal(_ a: UpsampleHorizontal) {
  let target = a.target
  switch a.bytes {
  case 1: upsample(a) { blur_u8_from_f32(target + $0, $1, $2) }
  case 2: upsample(a) { blur_u16_from_f32(target + 2 &* $0, $1, $2) }
  default: upsample(a) { blur_f32_to_f32(target + 4 &* $0, $1, $2) }
  }
}

/// Doubles the width of a row, from left to right. `store` writes one vector of the result. It receives the
/// index of a component, the vector of values that begins there, and the number of values to write.
@inline(__always)
private func upsample(_ a: UpsampleHorizontal, _ store: (Int, blur_f32, Int) -> Void) {
  let (channels, count, isExact, lanes) = (a.channels, a.count, a.isExact, blur_f32_lanes)
  let line = a.line.assumingMemoryBound(to: Float.self)
  let whole = blur_whole_pairs(2 &* lanes, channels)
  @inline(__always) func run(_ order: Int) {
    @inline(__always) func pixels(_ p: UnsafePointer<Float>) -> (blur_f32, blur_f32) {
      // SAFETY: the filter loads vectors that begin at most two pixels before `p` or two pixels after `p`.
      // The caller's line can also be read two pixels before its start, and two pixels plus one vector after
      // its end.
      let result = interpolated(order) { blur_load_f32(p + $0 &* channels) }
      return (result.even, result.odd)
    }
    // SAFETY: if `isExact` is true, the stores write no more than `count` components. Otherwise, they may
    // write up to two vectors more, and the caller's target row has space for these.
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
  withKnownOrder(a.order, run)
}
