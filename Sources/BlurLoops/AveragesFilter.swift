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
// white image: `Q16Taps.largestSum` computes it, and windows whose sums pass 65535 are not made
// (`QuantizedWindow`). Weights sum to 65536 and white is 65280; a half for each product and 128 for rounding
// come on top. So windows fit whatever their weights while both radii together are at most 253. Longer ones
// lose more by rounding down than that adds: a Gaussian of sigma 200 reaches 65185.
//
// A line between the passes holds all even pixels and then all odd ones, so that both serve each other's sums
// and each is loaded once. Only taking pixels apart and joining them again depends on the number of channels.

/// What rounding down takes from the sum of that many products, on the average.
@inline(__always)
func averagesLost(_ products: Int) -> blur_u16 {
  blur_u16(repeating: UInt16(truncatingIfNeeded: products &>> 1))
}

/// Calls `body` with the radius, as a number that the compiler knows where it is small. Where there are
/// registers enough, those are nearly all radii of a pyramid's windows.
@inline(__always)
func knownRadius(_ radius: Int, _ body: (Int) -> Void) {
  let isDone = withKnownRadius(radius, upTo: blur_shifts() ? 8 : 4, body)
  if !isDone { body(radius) }
}

/// A weight, for all lanes.
@inline(__always)
func averagesWeight(_ distance: Int, of weights: UnsafePointer<UInt16>) -> blur_u16 {
  // SAFETY: there are `radius + 1` weights, each for the widest vector.
  blur_load_u16(weights + distance &* FilterLoops.widest)
}
