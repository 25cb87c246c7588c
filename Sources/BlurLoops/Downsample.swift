import BlurLoopTable
import CBlurVectors

// These loops halve the size of images, in 16-bit arithmetic or in single precision. The kernel `pyramid`
// uses them: it blurs a small version of the image and then enlarges it again.
//
// The filters are binomial. For example, the weights of the filter of order 2 are (1 2 1) / 4. In 16-bit
// arithmetic, the filters are computed only by averaging two values at a time, with rounding. So no value can
// overflow, and an image whose values are all equal stays exactly as it is. Pixel i of the smaller image lies
// at the position of pixel 2i of the larger image, or half a pixel before it if the order of the filter is
// odd.
//
// Vectors of the source rows are first combined vertically, and then horizontally, without storing them in
// between. The even pixels (0, 2, 4 …) are separated from the odd pixels, and the neighbours of a pixel are
// shifted out of the latest vectors of its row.

/// Computes two rows of the smaller image, in 16-bit arithmetic.
@inline(never)
func fixedDownsample(_ a: Downsample) {
  withKnownChannels(a.channels) { channels in
    switch a.order {
    case 2: downsampleWords(a, channels, 2)
    case 3: downsampleWords(a, channels, 3)
    default: downsampleWords(a, channels, 4)
    }
  }
}

/// Computes two rows of the smaller image, in single precision.
@inline(never)
func floatDownsample(_ a: Downsample) {
  switch a.order {
  case 2: floatDownsample2(a)
  case 3: floatDownsample3(a)
  case 4: floatDownsample4(a)
  case 5: floatDownsample5(a)
  case 6: floatDownsample6(a)
  default: floatDownsample8(a)
  }
}

// There is one function for each order, because the compiler keeps too few values in registers if a function
// contains the loops of several orders.
@inline(never) private func floatDownsample2(_ a: Downsample) { downsampleFloats(a, 2) }
@inline(never) private func floatDownsample3(_ a: Downsample) { downsampleFloats(a, 3) }
@inline(never) private func floatDownsample4(_ a: Downsample) { downsampleFloats(a, 4) }
@inline(never) private func floatDownsample5(_ a: Downsample) { downsampleFloats(a, 5) }
@inline(never) private func floatDownsample6(_ a: Downsample) { downsampleFloats(a, 6) }
@inline(never) private func floatDownsample8(_ a: Downsample) { downsampleFloats(a, 8) }

@inline(__always)
private func downsampleFloats(_ a: Downsample, _ order: Int) {
  withKnownChannels(a.channels) { downsampleFloats(a, $0, order) }
}

// MARK: Pixels of the latest vectors

/// The distance from the latest pixel of a row back to an earlier pixel, as a number of whole vectors and a
/// number of additional lanes.
typealias Place = (vectors: Int, lanes: Int)

/// Returns the place of the pixel that lies `distance` pixels before the latest pixel.
@inline(__always)
func placeBefore(_ distance: Int, _ channels: Int, _ lanes: Int) -> Place {
  (distance &* channels / lanes, distance &* channels % lanes)
}

/// The three latest vectors of 16-bit values of a row, beginning with the most recent one.
typealias LatestWords = (blur_u16, blur_u16, blur_u16)

/// Returns the vector whose last pixel lies at the given place.
@inline(__always)
func pixels(_ latest: LatestWords, _ place: Place) -> blur_u16 {
  let here = place.vectors == 0 ? latest.0 : place.vectors == 1 ? latest.1 : latest.2
  let last = place.vectors == 0 ? latest.1 : latest.2
  return place.lanes == 0 ? here : blur_before_u16(last, here, place.lanes)
}

/// The five latest vectors of floats of a row, beginning with the most recent one.
typealias LatestFloats = (blur_f32, blur_f32, blur_f32, blur_f32, blur_f32)

/// Returns the vector whose last pixel lies at the given place.
@inline(__always)
func pixels(_ latest: LatestFloats, _ place: Place) -> blur_f32 {
  @inline(__always) func vector(_ index: Int) -> blur_f32 {
    switch index {
    case 0: latest.0
    case 1: latest.1
    case 2: latest.2
    case 3: latest.3
    default: latest.4
    }
  }
  let here = vector(place.vectors)
  return place.lanes == 0 ? here : blur_before_f32(vector(place.vectors &+ 1), here, place.lanes)
}

// MARK: 16-bit arithmetic

@inline(__always)
private func downsampleWords(_ a: Downsample, _ channels: Int, _ order: Int) {
  let (rows, count, target, next) = (a.rows, a.count, a.target, a.next)
  let (lanes, before) = (blur_u16_lanes, (order &+ 1) / 2)
  @inline(__always) func vertical(_ row: Int, _ x: Int) -> blur_u16 {
    // SAFETY: `rows` holds the addresses of at least `order + 3` source rows, and `row` is 0 or 2. Each row
    // is readable until the end of the last block of values.
    smoothed(order) { blur_load_u16(rows[row &+ before &+ $0] + 2 &* x) }
  }
  @inline(__always) func halved(
    _ even: blur_u16, _ odd: blur_u16, _ evens: inout LatestWords, _ odds: inout LatestWords
  ) -> blur_u16 {
    evens = (even, evens.0, evens.1)
    odds = (odd, odds.0, odds.1)
    let (evens, odds) = (evens, odds)
    // The centre of the filter lies `order / 4` pairs of pixels before the latest pair.
    return smoothed(order) {
      pixels($0 & 1 == 0 ? evens : odds, placeBefore(order / 4 &- $0 &>> 1, channels, lanes))
    }
  }
  // Computes a part of an output row, and stores it. `x` is the index of the first source value.
  @inline(__always) func row(
    _ number: Int, _ target: UnsafeMutableRawPointer, _ x: Int, _ evens: inout LatestWords,
    _ odds: inout LatestWords
  ) {
    @inline(__always) func two(_ i: Int) -> (blur_u16, blur_u16) {
      (vertical(2 &* number, x &+ i &* lanes), vertical(2 &* number, x &+ (i &+ 1) &* lanes))
    }
    let ((a, b), p) = (two(0), target + x)
    // SAFETY: the target rows have space for `count` values and three more vectors.
    if channels == 3 {
      let six = sixOf((a, b), two(2), two(4))
      three {
        blur_store_u16(p + $0 &* blur_u8_lanes, halved(evenPart(six, $0), oddPart(six, $0), &evens, &odds))
      }
    } else {
      blur_store_u16(p, halved(blur_even_u16(a, b, channels), blur_odd_u16(a, b, channels), &evens, &odds))
    }
  }
  let none = (blur_u16(), blur_u16(), blur_u16())
  var (evens, odds, nextEvens, nextOdds, x) = (none, none, none, none, 0)
  // The number of source values that are processed at a time. With three channels, two vectors would end in
  // the middle of a pair of pixels, so six vectors are processed.
  let once = channels == 3 ? 6 &* lanes : 2 &* lanes
  while x < 2 &* count {
    for i in 3..<7 { blur_prefetch(rows[order &+ i] + 2 &* x) }
    row(0, target, x, &evens, &odds)
    row(1, next, x, &nextEvens, &nextOdds)
    x &+= once
  }
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

/// Returns the weighted mean of `order + 1` neighbouring values with binomial weights. `value` returns the
/// value at a given distance from the centre. The distances begin with −1 if `order` is 2, and with −2
/// otherwise.
@inline(__always)
private func smoothed(_ order: Int, _ value: (Int) -> blur_u16) -> blur_u16 {
  switch order {
  case 2: smoothed(value(-1), value(0), value(1))
  case 3: smoothed(value(-2), value(-1), value(0), value(1))
  default: smoothed(value(-2), value(-1), value(0), value(1), value(2))
  }
}

// MARK: Single precision

@inline(__always)
private func downsampleFloats(_ a: Downsample, _ channels: Int, _ order: Int) {
  let (rows, count, target, next) = (a.rows, a.count, a.target, a.next)
  let (lanes, before) = (blur_f32_lanes, (order &+ 1) / 2)
  @inline(__always) func vertical(_ row: Int, _ x: Int) -> blur_f32 {
    // SAFETY: `rows` holds the addresses of at least `order + 3` source rows, and `row` is 0 or 2. Each row
    // is readable until the end of the last block of values.
    smoothed(order) { blur_load_f32(rows[row &+ before &+ $0] + 4 &* x) }
  }
  @inline(__always) func halved(
    _ even: blur_f32, _ odd: blur_f32, _ evens: inout LatestFloats, _ odds: inout LatestFloats
  ) -> blur_f32 {
    evens = (even, evens.0, evens.1, evens.2, evens.3)
    odds = (odd, odds.0, odds.1, odds.2, odds.3)
    let (evens, odds) = (evens, odds)
    // The centre of the filter lies `order / 4` pairs of pixels before the latest pair.
    return smoothed(order) {
      pixels($0 & 1 == 0 ? evens : odds, placeBefore(order / 4 &- $0 &>> 1, channels, lanes))
    }
  }
  // Computes a part of an output row, and stores it. `x` is the index of the first source value.
  @inline(__always) func row(
    _ number: Int, _ target: UnsafeMutableRawPointer, _ x: Int, _ evens: inout LatestFloats,
    _ odds: inout LatestFloats
  ) {
    @inline(__always) func two(_ i: Int) -> (blur_f32, blur_f32) {
      (vertical(2 &* number, x &+ i &* lanes), vertical(2 &* number, x &+ (i &+ 1) &* lanes))
    }
    let ((a, b), p) = (two(0), target + 2 &* x)
    // SAFETY: the target rows have space for `count` values and three more vectors.
    if channels == 3 {
      let six = sixOf((a, b), two(2), two(4))
      three {
        blur_store_f32(p + $0 &* blur_u8_lanes, halved(evenPart(six, $0), oddPart(six, $0), &evens, &odds))
      }
    } else {
      blur_store_f32(p, halved(blur_even_f32(a, b, channels), blur_odd_f32(a, b, channels), &evens, &odds))
    }
  }
  let none = (blur_f32(), blur_f32(), blur_f32(), blur_f32(), blur_f32())
  var (evens, odds, nextEvens, nextOdds, x) = (none, none, none, none, 0)
  // The number of source values that are processed at a time. With three channels, two vectors would end in
  // the middle of a pair of pixels, so six vectors are processed.
  let once = channels == 3 ? 6 &* lanes : 2 &* lanes
  while x < 2 &* count {
    for i in 3..<7 {
      blur_prefetch(rows[order &+ i] + 4 &* x)
      blur_prefetch(rows[order &+ i] + (4 &* x &+ 64))
    }
    row(0, target, x, &evens, &odds)
    row(1, next, x, &nextEvens, &nextOdds)
    x &+= once
  }
}

/// The weights of a binomial filter, from the centre outwards. If the order is even, the first weight is for
/// the central pixel. If the order is odd, there are two central pixels, and both have the first weight. The
/// other weights are for the pixels that lie 1, 2, 3 and 4 pixels farther out.
typealias Weights = (Float, Float, Float, Float, Float)

@inline(__always)
func binomial(_ order: Int) -> Weights {
  switch order {
  case 2: (2.0 / 4, 1.0 / 4, 0, 0, 0)
  case 3: (3.0 / 8, 1.0 / 8, 0, 0, 0)
  case 4: (6.0 / 16, 4.0 / 16, 1.0 / 16, 0, 0)
  case 5: (10.0 / 32, 5.0 / 32, 1.0 / 32, 0, 0)
  case 6: (20.0 / 64, 15.0 / 64, 6.0 / 64, 1.0 / 64, 0)
  default: (70.0 / 256, 56.0 / 256, 28.0 / 256, 8.0 / 256, 1.0 / 256)
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
