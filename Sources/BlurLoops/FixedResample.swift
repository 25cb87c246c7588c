import BlurLoopTable
import CBlurVectors

// These loops halve and double the size of images in 16-bit arithmetic. The kernel `pyramid` uses them: it
// blurs a small version of the image and then enlarges it again. The rules for the code in this folder are in
// Loops.swift.
//
// Values range from 0 to 65535. In the levels of 8-bit images, they are 256 times as large as in the image.
// The filters are binomial: their weights are (1 2 1) for order 2, (1 3 3 1) for order 3 and (1 4 6 4 1) for
// order 4. The filters are computed only by averaging two values at a time, with rounding. So no value can
// overflow, and an image whose values are all equal stays exactly as it is. Pixel i of the smaller image lies
// at the position of pixel 2i of the larger image, or half a pixel before it with order 3.

/// Halves the height of an image: computes two lines of the smaller image. Each line is a weighted mean of
/// `order + 1` neighbouring source rows with binomial weights, for example (1 2 1) for order 2. The source
/// rows of the second line begin two rows further down than the source rows of the first line.
@inline(never)
func fixedDownsampleVertical(_ a: DownsampleVertical) {
  withKnownChannels(a.channels) { channels in
    switch a.order {
    case 2: downsample(a, channels, smoothed3)
    case 3: downsample(a, channels, smoothed4)
    default: downsample(a, channels, smoothed5)
    }
  }
}

/// A function that returns a weighted mean of 3, 4 or 5 rows with binomial weights such as (1 2 1), for one
/// vector of columns. Its argument is a function that loads this vector from the row with a given index: 0,
/// 1, 2 and so on.
private typealias Smoothing = ((Int) -> blur_u16) -> blur_u16

@inline(__always)
private func smoothed3(_ load: (Int) -> blur_u16) -> blur_u16 { smoothed(load(0), load(1), load(2)) }

@inline(__always)
private func smoothed4(_ load: (Int) -> blur_u16) -> blur_u16 {
  smoothed(load(0), load(1), load(2), load(3))
}

@inline(__always)
private func smoothed5(_ load: (Int) -> blur_u16) -> blur_u16 {
  smoothed(load(0), load(1), load(2), load(3), load(4))
}

/// Returns (a + 2b + c) / 4.
@inline(__always)
func smoothed(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16) -> blur_u16 {
  blur_average(b, blur_average(a, c))
}

/// Returns (a + 3b + 3c + d) / 8.
@inline(__always)
func smoothed(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16, _ d: blur_u16) -> blur_u16 {
  let middle = blur_average(b, c)
  return blur_average(middle, blur_average(middle, blur_average(a, d)))
}

/// Returns (a + 4b + 6c + 4d + e) / 16.
@inline(__always)
func smoothed(_ a: blur_u16, _ b: blur_u16, _ c: blur_u16, _ d: blur_u16, _ e: blur_u16) -> blur_u16 {
  blur_average(blur_average(b, d), blur_average(c, blur_average(c, blur_average(a, e))))
}

/// Two vectors of means for one line of the smaller image. The second vector continues the first.
private typealias Means = (blur_u16, blur_u16)

@inline(__always)
private func downsample(_ a: DownsampleVertical, _ channels: Int, _ smoothing: Smoothing) {
  let (rows, odd, count) = (a.rows, a.odd, a.count)
  let upper = a.line.assumingMemoryBound(to: UInt16.self)
  let lower = a.next.assumingMemoryBound(to: UInt16.self)
  // The number of values that are processed at a time. These values fill two vectors of 16-bit lanes, so
  // there are as many values as one vector has bytes.
  let lanes = blur_u8_lanes
  @inline(__always) func mean(_ x: Int, _ loaded: Int, from first: Int) -> blur_u16 {
    // SAFETY: `rows` holds the addresses of at least `order + 3` source rows. The means for one line of the
    // smaller image read `order + 1` of these rows, beginning with the row at index `first`, which is 0 or 2.
    // So the index of the last row that is read is at most `order + 2`. Each row has at least `x + loaded`
    // 16-bit values, and no value after these is read.
    smoothing { blur_u16_from_u16(rows[first &+ $0] + 2 &* x, loaded) }
  }
  @inline(__always) func means(_ x: Int, _ loaded: Int, from first: Int) -> Means {
    let half = lanes / 2
    guard loaded > half else { return (mean(x, loaded, from: first), blur_u16()) }
    return (mean(x, half, from: first), mean(x &+ half, loaded &- half, from: first))
  }
  // Returns the means for two lines of the smaller image. The windows of both lines share some source rows.
  // Therefore the means for both lines are computed before either is stored, so that each shared row is
  // loaded only once.
  @inline(__always) func both(_ x: Int, _ loaded: Int) -> (upper: Means, lower: Means) {
    (means(x, loaded, from: 0), means(x, loaded, from: 2))
  }
  var x = 0
  if channels == 3 {
    while x &+ 3 &* lanes <= count {
      three { prefetch(a, 2 &* (x &+ $0 &* lanes)) }
      let (p, q, r) = (both(x, lanes), both(x &+ lanes, lanes), both(x &+ 2 &* lanes, lanes))
      store(sixOf(p.upper, q.upper, r.upper), upper + (x &>> 1), odd)
      store(sixOf(p.lower, q.lower, r.lower), lower + (x &>> 1), odd)
      x &+= 3 &* lanes
    }
  }
  while x < count {
    if x &+ lanes <= count { prefetch(a, 2 &* x) }
    let pixels = x &+ lanes <= count ? both(x, lanes) : both(x, count &- x)
    store(pixels.upper, upper + (x &>> 1), odd, channels)
    store(pixels.lower, lower + (x &>> 1), odd, channels)
    x &+= blur_whole_pairs(lanes, channels)
  }
}

/// Separates the even pixels from the odd pixels in two vectors of an output line. The even pixels are stored
/// at `line`, and the odd pixels are stored `odd` values later.
@inline(__always)
private func store(
  _ means: Means, _ line: UnsafeMutablePointer<UInt16>, _ odd: Int, _ channels: Int
) {
  let (a, b) = means
  // SAFETY: a line stores all even pixels first and then all odd pixels. There is space for one more vector
  // after the even pixels, and again after the odd pixels. So each store of a whole vector stays inside the
  // line.
  blur_store_u16(line, blur_even_u16(a, b, channels))
  blur_store_u16(line + odd, blur_odd_u16(a, b, channels))
}

/// Separates the even pixels from the odd pixels in six vectors of an output line with three channels. The
/// even pixels are stored at `line`, and the odd pixels are stored `odd` values later.
@inline(__always)
private func store(_ six: SixWords, _ line: UnsafeMutablePointer<UInt16>, _ odd: Int) {
  let lanes = blur_u16_lanes
  // SAFETY: a line stores all even pixels first and then all odd pixels. There is space for one more vector
  // after the even pixels, and again after the odd pixels. So each store of a whole vector stays inside the
  // line.
  three { blur_store_u16(line + lanes &* $0, evenPart(six, $0)) }
  three { blur_store_u16(line + (odd &+ lanes &* $0), oddPart(six, $0)) }
}

/// Prefetches data that the next call of the downsampling loop will read: from each of the next four source
/// rows, the cache line that contains the byte at index `offset`.
@inline(__always)
private func prefetch(_ a: DownsampleVertical, _ offset: Int) {
  for i in 3..<7 { blur_prefetch(a.rows[a.order &+ i] + offset) }
}

/// Halves the width of a line and stores the result as one row of the smaller image. Each output pixel is a
/// weighted mean of neighbouring pixels with binomial weights, for example (1 2 1) for order 2.
@inline(never)
func fixedDownsampleHorizontal(_ a: DownsampleHorizontal) {
  let (channels, odd) = (a.channels, a.odd)
  let line = a.line.assumingMemoryBound(to: UInt16.self)
  let target = a.target.assumingMemoryBound(to: UInt16.self)
  let lanes = blur_u16_lanes
  var x = 0
  // SAFETY: the loop loads and stores whole vectors. The caller's line can be read for one vector beyond the
  // pixels that the filter needs, and the target row has space for one more vector after its last value.
  var (evens, odds) = (Shifting(line, channels), Shifting(line + odd, channels))
  switch a.order {
  case 2:
    while x < a.count {
      let (left, right) = odds.next(line + (x &+ odd))
      blur_store_u16(target + x, smoothed(left, blur_load_u16(line + x), right))
      x &+= lanes
    }
  case 3:
    while x < a.count {
      let (left, right) = odds.next(line + (x &+ odd))
      let (evenLeft, here) = evens.next(line + x)
      blur_store_u16(target + x, smoothed(evenLeft, left, here, right))
      x &+= lanes
    }
  default:
    while x < a.count {
      let (left, right) = odds.next(line + (x &+ odd))
      let (evenLeft, here) = evens.next(line + x)
      blur_store_u16(
        target + x, smoothed(evenLeft, left, here, right, blur_load_u16(line + (x &+ channels))))
      x &+= lanes
    }
  }
}

/// A reader that moves along a line, one vector at a time. For each position, it returns the vector that
/// begins there, and another vector that begins one pixel earlier. With AVX-512, the second vector is not
/// loaded from memory. Instead, it is shifted out of the vectors at this position and at the position before,
/// which are both already in registers.
private struct Shifting {
  private let channels: Int
  private var last: blur_u16

  @inline(__always) init(_ line: UnsafePointer<UInt16>, _ channels: Int) {
    self.channels = channels
    // SAFETY: the caller's line can be read from one pixel before its start. The first vector is loaded from
    // there.
    let before = blur_load_u16(line - channels)
    // `last` holds the vector that was read before the current one. Only its last pixel is used. At the start
    // of the line, no vector has been read yet. Therefore the pixel just before the line is loaded, and moved
    // to the last lanes of `last`.
    last = blur_shifted_u16(before, before, UInt16(truncatingIfNeeded: channels))
  }

  @inline(__always) mutating func next(_ p: UnsafePointer<UInt16>) -> (before: blur_u16, here: blur_u16) {
    let here = blur_load_u16(p)
    if !blur_shifts() { return (blur_load_u16(p - channels), here) }
    let before = blur_shifted_u16(last, here, UInt16(truncatingIfNeeded: blur_u16_lanes &- channels))
    last = here
    return (before, here)
  }
}

/// Doubles the height of an image: computes two neighbouring lines of the larger image from five rows of the
/// smaller image. If the order of the filter is even, the first line lies at the position of the middle row,
/// and the second line lies halfway to the row below. With order 2, only the second line is written, because
/// the first would equal the middle row. If the order is 3, both lines lie between the middle row and the row
/// below.
@inline(never)
func fixedUpsampleVertical(_ a: UpsampleVertical) {
  let even = a.even.assumingMemoryBound(to: UInt16.self)
  let odd = a.odd.assumingMemoryBound(to: UInt16.self)
  let above = a.rows[1].assumingMemoryBound(to: UInt16.self)
  let here = a.rows[2].assumingMemoryBound(to: UInt16.self)
  let below = a.rows[3].assumingMemoryBound(to: UInt16.self)
  let lanes = blur_u16_lanes
  var x = 0
  // SAFETY: each row can be read for one vector beyond its last value, and each output line has space for one
  // more vector. So the last vector can be loaded and stored whole.
  switch a.order {
  case 2:
    while x < a.count {
      blur_store_u16(odd + x, blur_average(blur_load_u16(here + x), blur_load_u16(below + x)))
      x &+= lanes
    }
  case 3:
    while x < a.count {
      let pixels = between(blur_load_u16(here + x), blur_load_u16(below + x))
      blur_store_u16(even + x, pixels.even)
      blur_store_u16(odd + x, pixels.odd)
      x &+= lanes
    }
  default:
    while x < a.count {
      let (b, c) = (blur_load_u16(here + x), blur_load_u16(below + x))
      let pixels = interpolated(blur_load_u16(above + x), b, c)
      blur_store_u16(even + x, pixels.even)
      blur_store_u16(odd + x, pixels.odd)
      x &+= lanes
    }
  }
}

/// The two pixels that enlarging makes from one pixel of the smaller image and its neighbours. If the order
/// of the filter is even, the even pixel lies exactly on the pixel of the smaller image, and the odd pixel
/// lies halfway to the next pixel of the smaller image. If the order is odd, both pixels lie between these
/// two pixels of the smaller image.
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

/// Doubles the width of a line and stores the result as one row of the larger image.
@inline(never)
func fixedUpsampleHorizontal(_ a: UpsampleHorizontal) { withKnownChannels(a.channels) { upsample(a, $0) } }

@inline(__always)
private func upsample(_ a: UpsampleHorizontal, _ channels: Int) {
  let (target, count, isExact, lanes) = (a.target, a.count, a.isExact, blur_u16_lanes)
  let line = a.line.assumingMemoryBound(to: UInt16.self)
  // SAFETY: if `isExact` is true, the stores write no more than `count` components. Otherwise, they may write
  // up to two vectors more, and the caller's target row has space for these.
  @inline(__always) func run(_ filter: (blur_u16, blur_u16, blur_u16) -> Pixels) {
    upsampled(line, channels, count, filter: filter) { x, even, odd in
      let left = isExact ? count &- x : 2 &* lanes
      blur_u16_to_u16(target + 2 &* x, blur_lower_u16(even, odd, channels), left)
      if left > lanes {
        blur_u16_to_u16(target + 2 &* (x &+ lanes), blur_upper_u16(even, odd, channels), left &- lanes)
      }
    } block: { x, pixels in
      six { blur_u16_to_u16(target + 2 &* (x &+ lanes &* $0), joinedPart(pixels, $0), lanes) }
    }
  }
  switch a.order {
  case 2: run { (even: $1, odd: blur_average($1, $2)) }
  case 3: run { between($1, $2) }
  default: run(interpolated)
  }
}

/// Computes one row of an image that is twice as wide as the input line. From each input pixel and its two
/// neighbours, the function computes two output pixels: one with an even index, and the next one with an odd
/// index. It processes a whole vector of input pixels at a time, from left to right.
///
/// - Parameters:
///   - start: The first input pixel.
///   - count: The number of components (pixels times channels) in the output row.
///   - filter: A closure that computes a vector of even and a vector of odd output pixels. Its arguments are
///     three vectors of input pixels: the left neighbours, the pixels themselves, and the right neighbours.
///   - store: A closure that stores one vector of even output pixels and one vector of odd output pixels. Its
///     first argument is the index in the output row of the first component to store.
///   - block: A closure that stores a block of six vectors at once. The block consists of three pairs: a
///     vector of even pixels and a vector of odd pixels each. The first argument is the same as for `store`.
///     The closure is called only for three channels, as long as at least six whole vectors of the row
///     remain. The rest of the row is stored with `store`.
@inline(__always)
private func upsampled(
  _ start: UnsafePointer<UInt16>, _ channels: Int, _ count: Int,
  filter: (blur_u16, blur_u16, blur_u16) -> Pixels, store: (Int, blur_u16, blur_u16) -> Void,
  block: (Int, SixWords) -> Void
) {
  let lanes = blur_u16_lanes
  var line = Shifting(start, channels)
  @inline(__always) func pixels(_ p: UnsafePointer<UInt16>) -> (blur_u16, blur_u16) {
    // SAFETY: the vectors that are loaded here begin one pixel before `p`, at `p`, and one pixel after `p`.
    // The caller's line can also be read one pixel before its start, and one pixel plus one vector after its
    // end.
    let ((a, b), c) = (line.next(p), blur_load_u16(p + channels))
    return filter(a, b, c)
  }
  var x = 0
  if channels == 3 {
    while x &+ 6 &* lanes <= count {
      let p = start + x &>> 1
      block(x, sixOf(pixels(p), pixels(p + lanes), pixels(p + 2 &* lanes)))
      x &+= 6 &* lanes
    }
  }
  let whole = blur_whole_pairs(2 &* lanes, channels)
  while x < count {
    let p = start + x &>> 1
    // A `Shifting` reader assumes that each vector begins where the previous vector ended. With three
    // channels, this is not true here. A vector may then end in the middle of a pair of pixels, and the next
    // iteration begins after the last whole pair. Therefore each iteration creates a new reader.
    if channels == 3 { line = Shifting(p, channels) }
    let (even, odd) = pixels(p)
    store(x, even, odd)
    x &+= whole
  }
}
