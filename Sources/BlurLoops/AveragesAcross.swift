import BlurLoopTable
import CBlurVectors

// This file contains the horizontal pass of the averages filter. AveragesFilter.swift explains the filter.

/// Runs the horizontal pass of the averages filter for one row.
@inline(never)
func averagesAcross(_ a: AveragesAcross) {
  if a.isStreamed { return averagesAcrossStreamed(a) }
  // There is a separate copy of the loop for each combination of component size and number of channels. If
  // the compiler knows these numbers, it can make them part of the addresses in loads and stores.
  switch (a.bytes, a.channels) {
  case (1, 1): knownRadius(a.radius) { across(a, $0, 1, 1) }
  case (1, 4): knownRadius(a.radius) { across(a, $0, 1, 4) }
  case (_, 1): knownRadius(a.radius) { across(a, $0, 2, 1) }
  case (_, 3): threeAcross(a)
  default: knownRadius(a.radius) { across(a, $0, 2, 4) }
  }
}

/// Runs the horizontal pass for three channels. There is one loop for each radius, component size and number
/// of channels. The loops for three channels are in a separate function, because the compiler would not
/// inline all of these loops into a single function.
@inline(never)
private func threeAcross(_ a: AveragesAcross) {
  if a.bytes == 1 {
    knownRadius(a.radius) { across(a, $0, 1, 3) }
  } else {
    knownRadius(a.radius) { across(a, $0, 2, 3) }
  }
}

/// Filters a row of 8-bit components with non-temporal stores, which need aligned addresses. Therefore the
/// components before the first aligned address are written with ordinary stores.
@inline(never)
private func averagesAcrossStreamed(_ a: AveragesAcross) {
  var (first, rest) = (a, a)
  first.count = unstreamed(a.target, a.bytes, a.channels, a.count)
  first.isStreamed = false
  averagesAcross(first)
  // SAFETY: `first.count` components are finished, and half of them come from even pixels. A line stores even
  // and odd pixels in separate parts. So the address in each part advances by `first.count / 2` values.
  (rest.line, rest.target) = (a.line + first.count / 2, a.target + first.count)
  rest.count &-= first.count
  switch a.channels {
  case 1: knownRadius(a.radius) { across(rest, $0, 1, 1, isStreamed: true) }
  case 3: knownRadius(a.radius) { across(rest, $0, 1, 3, isStreamed: true) }
  default: knownRadius(a.radius) { across(rest, $0, 1, 4, isStreamed: true) }
  }
}

/// Computes all sums along a row, and stores the results.
///
/// The code that stores the results is not passed in as a closure. The compiler would not inline such a
/// closure here, and each vector of sums would go through memory.
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

/// The weights of the window along a row. If the compiler knows the radius, each weight is loaded only once.
/// Otherwise, the weights are loaded again for each vector of the row, because the compiler must assume that
/// storing results has changed them.
private struct AcrossWeights {
  /// Whether all weights are loaded in advance and kept in registers.
  let areLoaded: Bool
  private let start: UnsafePointer<UInt16>
  private let near: (blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16)

  @inline(__always) init(_ start: UnsafePointer<UInt16>, _ radius: Int) {
    self.start = start
    areLoaded = blur_shifts() && 1...8 ~= radius
    @inline(__always) func at(_ distance: Int) -> blur_u16 {
      averagesWeight(min(distance, radius), of: start)
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

/// Returns the sums for two vectors of the output row that begin with component `x`. The first vector has the
/// even pixels, and the second vector has the odd pixels.
@inline(__always)
private func sums(
  _ a: AveragesAcross, _ radius: Int, _ depth: Int, _ channels: Int, _ x: Int, _ weights: AcrossWeights
) -> (blur_u16, blur_u16) {
  // For 8-bit components, the sum starts with an additional 128, which is half of an 8-bit level. Dropping
  // the lower 8 bits of the sum then rounds to the nearest level.
  let start = averagesLost(radius) &+ (depth == 1 ? 128 : 0)
  let centre = weights.at(0)
  let (even, odd) = (a.line + x &>> 1, a.line + (x &>> 1 &+ a.odd))
  // SAFETY: the caller's line is readable for `radius` pixels before and after the row, and for another four
  // vectors after it.
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
  // Neighbours before a pixel are loaded from memory. Neighbours after it are shifted out of vectors that are
  // already loaded. The CPU can load and shift at the same time.
  @inline(__always) func after(_ p: UnsafePointer<UInt16>, _ here: blur_u16, _ next: blur_u16) -> blur_u16 {
    guard weights.areLoaded else { return blur_load_u16(p + step) }
    return blur_shifted_u16(here, next, UInt16(truncatingIfNeeded: step))
  }
  while distance <= radius {
    // Even and odd pixels are stored separately. At an odd distance, the neighbours of even pixels are odd
    // pixels, and the other way round. At an even distance, the neighbours of even pixels are even pixels.
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
  // SAFETY: the target holds `count` components. From `x` on, no more components are written than remain in
  // the row.
  blur_u16_to_u16(a.target + 2 &* x, blur_lower_u16(even, odd, channels), left)
  if left > lanes {
    blur_u16_to_u16(a.target + 2 &* (x &+ lanes), blur_upper_u16(even, odd, channels), left &- lanes)
  }
}

/// Stores six vectors of 16-bit components in a row of an image with three channels.
@inline(__always)
private func storeWords(_ a: AveragesAcross, _ x: Int, _ pixels: SixWords) {
  let lanes = blur_u16_lanes
  // SAFETY: the target holds `count` components, and at least six vectors of them are left from `x` on.
  six { blur_u16_to_u16(a.target + 2 &* (x &+ lanes &* $0), joinedPart(pixels, $0), lanes) }
}
