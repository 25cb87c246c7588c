import BlurLoopTable
import CBlurVectors

// This file contains the horizontal half of the averages filter, which blurs in 16-bit integer arithmetic.
// The comment in Averages.swift explains the method.

/// Blurs one row horizontally with the averages filter. This filter averages the two pixels at the same
/// distance from the centre of a window, and multiplies this average by their common weight.
@inline(never)
func averagesAcross(_ a: AveragesAcross) {
  if a.isStreamed { return averagesAcrossStreamed(a) }
  // Each case compiles its own copy of the loop for one component size and one number of channels. Because
  // both numbers are then constants, the compiler can make them part of the addresses in loads and stores.
  switch (a.bytes, a.channels) {
  case (1, 1): knownRadius(a.radius) { across(a, $0, 1, 1) }
  case (1, 4): knownRadius(a.radius) { across(a, $0, 1, 4) }
  case (_, 1): knownRadius(a.radius) { across(a, $0, 2, 1) }
  case (_, 3): threeAcross(a)
  default: knownRadius(a.radius) { across(a, $0, 2, 4) }
  }
}

/// Blurs one row horizontally, for an image with three channels. The loops for three channels are in this
/// separate function, because the compiler would not inline them if all loops were in one function.
@inline(never)
private func threeAcross(_ a: AveragesAcross) {
  if a.bytes == 1 {
    knownRadius(a.radius) { across(a, $0, 1, 3) }
  } else {
    knownRadius(a.radius) { across(a, $0, 2, 3) }
  }
}

/// Blurs one row of an 8-bit image and writes the result with non-temporal stores. These stores need aligned
/// addresses, so the components before the first aligned address are written with ordinary stores.
@inline(never)
private func averagesAcrossStreamed(_ a: AveragesAcross) {
  var (first, rest) = (a, a)
  first.count = unstreamed(a.target, a.bytes, a.channels, a.count)
  first.isStreamed = false
  averagesAcross(first)
  // SAFETY: `first.count` is at most `a.count`, so both new addresses lie in the caller's memory or directly
  // at its end. `target` is the output row, and advances by one byte for each finished component. `line` is
  // the row of intermediate values that the loop reads. It stores the even pixels (0, 2, 4 …) separately from
  // the odd pixels, and its address points to the next even pixel. Half of the finished components are
  // components of even pixels, so `line` advances by `first.count / 2` values.
  (rest.line, rest.target) = (a.line + first.count / 2, a.target + first.count)
  rest.count &-= first.count
  switch a.channels {
  case 1: knownRadius(a.radius) { across(rest, $0, 1, 1, isStreamed: true) }
  case 3: knownRadius(a.radius) { across(rest, $0, 1, 3, isStreamed: true) }
  default: knownRadius(a.radius) { across(rest, $0, 1, 4, isStreamed: true) }
  }
}

/// Computes a weighted sum for each pixel of a row, over the window around this pixel, and stores the sums as
/// output pixels.
///
/// The code that stores the sums is part of this function and is not passed in as a closure. The compiler
/// would not inline such a closure here, so each vector of sums would be written to memory and read again.
@inline(__always)
private func across(
  _ a: AveragesAcross, _ radius: Int, _ depth: Int, _ channels: Int, isStreamed: Bool = false
) {
  let lanes = 2 &* blur_u16_lanes
  let weights = AcrossWeights(a.weights, radius)
  var x = 0
  if channels == 3 {
    while x &+ 3 &* lanes <= a.count {
      let pixels = sixOf(
        sums(a, radius, depth, 3, x, weights), sums(a, radius, depth, 3, x &+ lanes, weights),
        sums(a, radius, depth, 3, x &+ 2 &* lanes, weights))
      if depth == 1 {
        three { storeBytes(a.target + (x &+ lanes &* $0), bytesPart(pixels, $0), lanes, isStreamed) }
      } else {
        storeWords(a, x, pixels)
      }
      x &+= 3 &* lanes
    }
  }
  while x < a.count {
    let (even, odd) = sums(a, radius, depth, channels, x, weights)
    if depth == 1 {
      let pixels = blur_join_bytes(even, odd, channels)
      storeBytes(a.target + x, pixels, a.count &- x, isStreamed && channels != 3)
    } else {
      storeWords(a, channels, x, even, odd)
    }
    x &+= blur_whole_pairs(lanes, channels)
  }
}

/// The weights of the horizontal window, from its centre outwards. With AVX-512 and a radius of 1 to 8, all
/// weights are loaded into registers before the loop over the row. Otherwise, they are loaded again for each
/// vector of output pixels, because the compiler must assume that storing output pixels could change the
/// weights.
private struct AcrossWeights {
  /// Whether all weights are loaded into registers before the loop over the row.
  let areLoaded: Bool
  private let start: UnsafePointer<UInt16>
  private let near: (blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16)

  @inline(__always) init(_ start: UnsafePointer<UInt16>, _ radius: Int) {
    self.start = start
    areLoaded = blur_shifts() && 1...8 ~= radius
    @inline(__always) func at(_ distance: Int) -> blur_u16 {
      averagesWeight(distance < radius ? distance : radius, of: start)
    }
    near = (at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8))
  }

  @inline(__always) func at(_ distance: Int) -> blur_u16 {
    if !areLoaded { return averagesWeight(distance, of: start) }
    return switch distance {
    case 0: near.0
    case 1: near.1
    case 2: near.2
    case 3: near.3
    case 4: near.4
    case 5: near.5
    case 6: near.6
    case 7: near.7
    default: near.8
    }
  }
}

/// Computes two vectors of weighted sums, one for even pixels and one for odd pixels of the output row.
/// Together, the two vectors cover the part of the row that begins with component `x`.
@inline(__always)
private func sums(
  _ a: AveragesAcross, _ radius: Int, _ depth: Int, _ channels: Int, _ x: Int, _ weights: AcrossWeights
) -> (blur_u16, blur_u16) {
  // The sums start with a number that makes up for products that are rounded down. For 8-bit output, a level
  // is 256 units of a sum. So another 128 units, half a level, are added. Dropping the lower 8 bits of the
  // sum then rounds to the nearest level.
  let start = averagesLost(radius) &+ (depth == 1 ? 128 : 0)
  let centre = weights.at(0)
  let (even, odd) = (a.line + x &>> 1, a.line + (x &>> 1 &+ a.odd))
  // SAFETY: all loads of this function read from the line of pixels that the caller passes. The line can also
  // be read outside the row: `radius` pixels before it, and `radius` pixels plus four vectors after it. No
  // load reads beyond this memory.
  var (evenBefore, oddAfter) = (blur_load_u16(even), blur_load_u16(odd))
  var first = start &+ blur_multiply_high(evenBefore, centre)
  var second = start &+ blur_multiply_high(oddAfter, centre)
  @inline(__always) func add(
    _ distance: Int, _ a0: blur_u16, _ b0: blur_u16, _ a1: blur_u16, _ b1: blur_u16
  ) {
    let weight = weights.at(distance)
    first = first &+ blur_multiply_high(blur_average(a0, b0), weight)
    second = second &+ blur_multiply_high(blur_average(a1, b1), weight)
  }
  let (evenCentre, oddCentre) = (evenBefore, oddAfter)
  let (evenNext, oddNext) = (blur_load_u16(even + blur_u16_lanes), blur_load_u16(odd + blur_u16_lanes))
  var (distance, step) = (1, channels)
  // Pixels to the left of the centre are always loaded from memory. If `areLoaded` is true (with AVX-512),
  // pixels to the right are not loaded, but shifted out of two vectors that are already in registers. This is
  // faster, because the CPU can load one vector and shift another at the same time.
  @inline(__always) func after(_ p: UnsafePointer<UInt16>, _ here: blur_u16, _ next: blur_u16) -> blur_u16 {
    guard weights.areLoaded else { return blur_load_u16(p + step) }
    return blur_shifted_u16(here, next, UInt16(truncatingIfNeeded: step))
  }
  while distance <= radius {
    // The line stores even and odd pixels separately. For example, the neighbours of the even pixel 4 at
    // distance 1 are the odd pixels 3 and 5. Its neighbours at distance 2 are the even pixels 2 and 6. So for
    // even pixels, neighbours at odd distances are read from the odd pixels, and neighbours at even distances
    // from the even pixels. For odd pixels, it is the other way round.
    let (oddBefore, evenAfter) = (blur_load_u16(odd - step), after(even, evenCentre, evenNext))
    add(distance, oddBefore, oddAfter, evenBefore, evenAfter)
    if distance < radius {
      (evenBefore, oddAfter) = (blur_load_u16(even - step), after(odd, oddCentre, oddNext))
      add(distance &+ 1, evenBefore, evenAfter, oddBefore, oddAfter)
    }
    distance &+= 2
    step &+= channels
  }
  return (first, second)
}

@inline(__always)
private func storeWords(
  _ a: AveragesAcross, _ channels: Int, _ x: Int, _ even: blur_u16, _ odd: blur_u16
) {
  let (lanes, left) = (blur_u16_lanes, a.count &- x)
  // SAFETY: the target row holds `count` components, and `left` of them remain from component `x` on. The
  // stores write no more than `left` components.
  blur_u16_to_u16(a.target + 2 &* x, blur_lower_u16(even, odd, channels), left)
  if left > lanes {
    blur_u16_to_u16(a.target + 2 &* (x &+ lanes), blur_upper_u16(even, odd, channels), left &- lanes)
  }
}

/// Stores six vectors of 16-bit components in the output row, from component `x` on. The image has three
/// channels.
@inline(__always)
private func storeWords(_ a: AveragesAcross, _ x: Int, _ pixels: SixWords) {
  let lanes = blur_u16_lanes
  // SAFETY: the function writes six vectors. It is called only if at least six vectors of the row's `count`
  // components remain from component `x` on.
  six { blur_u16_to_u16(a.target + 2 &* (x &+ lanes &* $0), joinedPart(pixels, $0), lanes) }
}
