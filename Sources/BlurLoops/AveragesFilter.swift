import BlurLoopTable
import CBlurVectors

// The separable filter in 16 bits without a sign, for images of bytes. See Loops.swift for the rules of this
// folder.
//
// A window is symmetric: the two values at a distance are averaged first, and one multiplication serves both.
// The upper half of the product is added up; what that rounds down is made up for by the value that sums
// start with.
//
// Sums cannot overflow. Averages and products never fall when a value rises, so the largest sum is that of a
// white image: `PairedTaps.largestSum` computes it, and windows whose sums pass 65535 are not made
// (`IntegerWindow`). Weights sum to 65536 and white is 65280; a half for each product and 128 for rounding
// come on top. So windows fit whatever their weights while both radii together are at most 253. Longer ones
// lose more by rounding down than that adds: a Gaussian of sigma 200 reaches 65185.
//
// A line between the passes holds all even pixels and then all odd ones, so that both serve each other's sums
// and each is loaded once. Only taking pixels apart and joining them again depends on the number of channels.

/// What rounding down takes from the sum of that many products, on the average.
@inline(__always)
private func lost(_ products: Int) -> blur_u16 {
  blur_u16(repeating: UInt16(truncatingIfNeeded: products &>> 1))
}

/// Calls `body` with the radius, as a number that the compiler knows where it is small: then loops of taps
/// are unrolled, and rows that several output rows share are loaded once.
@inline(__always)
private func known(_ radius: Int, _ body: (Int) -> Void) {
  switch radius {
  case 1: body(1)
  case 2: body(2)
  case 3: body(3)
  case 4: body(4)
  default: body(radius)
  }
}

/// A weight, for all lanes.
@inline(__always)
private func weight(_ distance: Int, of weights: UnsafePointer<UInt16>) -> blur_u16 {
  // SAFETY: there are `radius + 1` weights, each for the widest vector.
  blur_load_u16(weights + distance &* FilterLoops.widest)
}

/// The vertical pass.
@inline(never)
func averagesDown(_ a: AveragesDown) {
  switch (a.bytes, a.channels) {
  case (1, 4): known(a.radius) { radius in blocks(a, 4) { bytesDown(a, radius, 4, $0, $1) } }
  case (1, 3):
    known(a.radius) { radius in
      blocks(a, 3) {
        bytesDown(a, radius, 3, $0, $1)
      } six: { x in
        store(a, x, { evenValuesPart($0, $1) }, { oddValuesPart($0, $1) }) {
          byteSums(a, radius, x &+ 2 &* blur_u16_lanes &* $0, 2 &* blur_u16_lanes)
        }
      }
    }
  case (1, _): known(a.radius) { radius in blocks(a, 1) { bytesDown(a, radius, 1, $0, $1) } }
  case (_, 4): blocks(a, 4) { wordsDown(a, a.radius, 4, $0, $1) }
  case (_, 3):
    blocks(a, 3) {
      wordsDown(a, a.radius, 3, $0, $1)
    } six: { x in
      store(a, x, { evenPart($0, $1) }, { oddPart($0, $1) }) {
        wordSums(a, a.radius, x &+ 2 &* blur_u16_lanes &* $0, 2 &* blur_u16_lanes)
      }
    }
  default: blocks(a, 1) { wordsDown(a, a.radius, 1, $0, $1) }
  }
}

/// Runs along the rows, two vectors at a time; `block` gets the index of the first component and how many
/// there are. With three channels, `six` gets as many as fill six vectors.
@inline(__always)
private func blocks(
  _ a: AveragesDown, _ channels: Int, _ block: (Int, Int) -> Void, six: (Int) -> Void = { _ in }
) {
  let lanes = 2 &* blur_u16_lanes
  let whole = blur_whole_pairs(lanes, channels)
  // SAFETY: the rows of the next block are in the list, too; prefetching reads none.
  @inline(__always) func prefetch(_ x: Int) {
    for i in 0..<4 { blur_prefetch(a.rows[2 &* a.radius &+ 4 &+ i] + a.bytes &* x) }
  }
  var x = 0
  if channels == 3 {
    while x &+ 3 &* lanes <= a.count {
      three { prefetch(x &+ lanes &* $0) }
      six(x)
      x &+= 3 &* lanes
    }
  }
  while x < a.count {
    prefetch(x)
    let left = a.count &- x
    // Loads of a part of a vector are slow: the last one reaches back instead, where it then begins with an
    // even pixel and ends with an odd one.
    if left >= lanes {
      block(x, lanes)
    } else if whole == lanes && a.count >= lanes && a.count & (2 &* channels &- 1) == 0 {
      block(a.count &- lanes, lanes)
    } else {
      block(x, left)
    }
    x &+= whole
  }
}

/// The sums of even and of odd bytes.
@inline(__always)
private func byteSums(_ a: AveragesDown, _ radius: Int, _ x: Int, _ loaded: Int) -> (FourRows, FourRows) {
  // SAFETY: the caller names 2 · radius + 4 rows of at least x + loaded bytes.
  (
    sums(radius, a.weights) { blur_even_bytes(blur_load_bytes(a.rows[$0] + x, loaded)) },
    sums(radius, a.weights) { blur_odd_bytes(blur_load_bytes(a.rows[$0] + x, loaded)) }
  )
}

@inline(__always)
private func bytesDown(_ a: AveragesDown, _ radius: Int, _ channels: Int, _ x: Int, _ loaded: Int) {
  let (even, odd) = byteSums(a, radius, x, loaded)
  store(
    each(even, odd) { blur_even_pixels($0, $1, channels) },
    each(even, odd) { blur_odd_pixels($0, $1, channels) },
    a, x)
}

/// The sums of two vectors of words.
@inline(__always)
private func wordSums(_ a: AveragesDown, _ radius: Int, _ x: Int, _ loaded: Int) -> (FourRows, FourRows) {
  let lanes = blur_u16_lanes
  // SAFETY: as above, of words.
  let first = sums(radius, a.weights) { blur_u16_from_u16(a.rows[$0] + 2 &* x, loaded) }
  let second =
    loaded > lanes
    ? sums(radius, a.weights) { blur_u16_from_u16(a.rows[$0] + 2 &* (x &+ lanes), loaded &- lanes) } : first
  return (first, second)
}

@inline(__always)
private func wordsDown(_ a: AveragesDown, _ radius: Int, _ channels: Int, _ x: Int, _ loaded: Int) {
  let (first, second) = wordSums(a, radius, x, loaded)
  store(
    each(first, second) { blur_even_u16($0, $1, channels) },
    each(first, second) { blur_odd_u16($0, $1, channels) },
    a, x)
}

/// The values of four neighbouring rows.
private typealias FourRows = (blur_u16, blur_u16, blur_u16, blur_u16)

/// The sums of the windows around rows `radius` to `radius + 3`.
@inline(__always)
private func sums(_ radius: Int, _ weights: UnsafePointer<UInt16>, _ row: (Int) -> blur_u16) -> FourRows {
  let (start, centre) = (lost(radius &+ 1), weight(0, of: weights))
  @inline(__always) func first(_ value: blur_u16) -> blur_u16 { start &+ blur_multiply_high(value, centre) }
  // The rows above and below at a distance: at the next one each side has one new row.
  var above = (row(radius), row(radius &+ 1), row(radius &+ 2), row(radius &+ 3))
  var below = above
  var sums = (first(above.0), first(above.1), first(above.2), first(above.3))
  var distance = 1
  while distance <= radius {
    above = (row(radius &- distance), above.0, above.1, above.2)
    below = (below.1, below.2, below.3, row(radius &+ 3 &+ distance))
    let weight = weight(distance, of: weights)
    sums.0 = sums.0 &+ blur_multiply_high(blur_average(above.0, below.0), weight)
    sums.1 = sums.1 &+ blur_multiply_high(blur_average(above.1, below.1), weight)
    sums.2 = sums.2 &+ blur_multiply_high(blur_average(above.2, below.2), weight)
    sums.3 = sums.3 &+ blur_multiply_high(blur_average(above.3, below.3), weight)
    distance &+= 1
  }
  return sums
}

@inline(__always)
private func each(_ a: FourRows, _ b: FourRows, _ of: (blur_u16, blur_u16) -> blur_u16) -> FourRows {
  (of(a.0, b.0), of(a.1, b.1), of(a.2, b.2), of(a.3, b.3))
}

@inline(__always)
private func store(_ even: FourRows, _ odd: FourRows, _ a: AveragesDown, _ x: Int) {
  // SAFETY: each half of a line has room for a vector more. All sums come before the first store, so that
  // rows stay in registers.
  @inline(__always) func put(_ j: Int, _ even: blur_u16, _ odd: blur_u16) {
    let line = a.lines + (j &* a.lineStride &+ x &>> 1)
    blur_store_u16(line, even)
    blur_store_u16(line + a.odd, odd)
  }
  put(0, even.0, odd.0)
  put(1, even.1, odd.1)
  put(2, even.2, odd.2)
  put(3, even.3, odd.3)
}

/// Stores a block of three channels, whose sums `pair` names by the number of a pair of vectors.
@inline(__always)
private func store(
  _ a: AveragesDown, _ x: Int, _ even: (SixWords, Int) -> blur_u16, _ odd: (SixWords, Int) -> blur_u16,
  _ pair: (Int) -> (FourRows, FourRows)
) {
  let (first, second, third) = (pair(0), pair(1), pair(2))
  @inline(__always) func put(_ j: Int, _ row: (FourRows) -> blur_u16) {
    let six = sixOf(
      (row(first.0), row(first.1)), (row(second.0), row(second.1)), (row(third.0), row(third.1)))
    // SAFETY: as above.
    let line = a.lines + (j &* a.lineStride &+ x &>> 1)
    three { blur_store_u16(line + blur_u16_lanes &* $0, even(six, $0)) }
    three { blur_store_u16(line + (a.odd &+ blur_u16_lanes &* $0), odd(six, $0)) }
  }
  put(0) { $0.0 }
  put(1) { $0.1 }
  put(2) { $0.2 }
  put(3) { $0.3 }
}

/// The horizontal pass.
@inline(never)
func averagesAcross(_ a: AveragesAcross) {
  // Numbers that the compiler knows become part of addresses.
  switch (a.bytes, a.channels) {
  case (1, 1): known(a.radius) { across(a, $0, 1, 1) }
  case (1, 3): known(a.radius) { across(a, $0, 1, 3) }
  case (1, _): known(a.radius) { across(a, $0, 1, 4) }
  case (_, 1): known(a.radius) { across(a, $0, 2, 1) }
  case (_, 3): known(a.radius) { across(a, $0, 2, 3) }
  default: known(a.radius) { across(a, $0, 2, 4) }
  }
}

/// Runs along the row.
///
/// What stores the sums is no closure: the compiler leaves those out of line here, and each vector's sums
/// would go through memory.
@inline(__always)
private func across(_ a: AveragesAcross, _ radius: Int, _ depth: Int, _ channels: Int) {
  let lanes = 2 &* blur_u16_lanes
  var x = 0
  if channels == 3 {
    while x &+ 3 &* lanes <= a.count {
      let pixels = sixOf(
        sums(a, radius, depth, 3, x), sums(a, radius, depth, 3, x &+ lanes),
        sums(a, radius, depth, 3, x &+ 2 &* lanes))
      if depth == 1 { storeBytes(a, x, pixels) } else { storeWords(a, x, pixels) }
      x &+= 3 &* lanes
    }
  }
  while x < a.count {
    let (even, odd) = sums(a, radius, depth, channels, x)
    if depth == 1 { storeBytes(a, channels, x, even, odd) } else { storeWords(a, channels, x, even, odd) }
    x &+= blur_whole_pairs(lanes, channels)
  }
}

/// The sums of even and of odd pixels from component `x` on.
@inline(__always)
private func sums(
  _ a: AveragesAcross, _ radius: Int, _ depth: Int, _ channels: Int, _ x: Int
) -> (blur_u16, blur_u16) {
  // Half a byte's unit, so that bytes are rounded to nearest.
  let start = lost(radius) &+ (depth == 1 ? 128 : 0)
  let centre = weight(0, of: a.weights)
  let (even, odd) = (a.line + x &>> 1, a.line + (x &>> 1 &+ a.odd))
  // SAFETY: the caller's line is readable this far.
  var (evenBefore, oddAfter) = (blur_load_u16(even), blur_load_u16(odd))
  var first = start &+ blur_multiply_high(evenBefore, centre)
  var second = start &+ blur_multiply_high(oddAfter, centre)
  @inline(__always) func add(
    _ distance: Int, _ a0: blur_u16, _ b0: blur_u16, _ a1: blur_u16, _ b1: blur_u16
  ) {
    let weight = weight(distance, of: a.weights)
    first = first &+ blur_multiply_high(blur_average(a0, b0), weight)
    second = second &+ blur_multiply_high(blur_average(a1, b1), weight)
  }
  var (distance, step) = (1, channels)
  while distance <= radius {
    // At an odd distance stand pixels of the other half, at an even one those of the same.
    let (oddBefore, evenAfter) = (blur_load_u16(odd - step), blur_load_u16(even + step))
    add(distance, oddBefore, oddAfter, evenBefore, evenAfter)
    if distance < radius {
      (evenBefore, oddAfter) = (blur_load_u16(even - step), blur_load_u16(odd + step))
      add(distance &+ 1, evenBefore, evenAfter, oddBefore, oddAfter)
    }
    distance &+= 2
    step &+= channels
  }
  return (first, second)
}

@inline(__always)
private func storeBytes(
  _ a: AveragesAcross, _ channels: Int, _ x: Int, _ even: blur_u16, _ odd: blur_u16
) {
  // SAFETY: the target holds `count` components.
  blur_store_bytes(a.target + x, blur_join_bytes(even, odd, channels), a.count &- x)
}

/// A block of three channels.
@inline(__always)
private func storeBytes(_ a: AveragesAcross, _ x: Int, _ pixels: SixWords) {
  let lanes = 2 &* blur_u16_lanes
  // SAFETY: as above.
  three { blur_store_bytes(a.target + (x &+ lanes &* $0), bytesPart(pixels, $0), lanes) }
}

@inline(__always)
private func storeWords(
  _ a: AveragesAcross, _ channels: Int, _ x: Int, _ even: blur_u16, _ odd: blur_u16
) {
  let (lanes, left) = (blur_u16_lanes, a.count &- x)
  // SAFETY: as above.
  blur_u16_to_u16(a.target + 2 &* x, blur_lower_u16(even, odd, channels), left)
  if left > lanes {
    blur_u16_to_u16(a.target + 2 &* (x &+ lanes), blur_upper_u16(even, odd, channels), left &- lanes)
  }
}

/// A block of three channels.
@inline(__always)
private func storeWords(_ a: AveragesAcross, _ x: Int, _ pixels: SixWords) {
  let lanes = blur_u16_lanes
  // SAFETY: as above.
  six { blur_u16_to_u16(a.target + 2 &* (x &+ lanes &* $0), joinedPart(pixels, $0), lanes) }
}
