import BlurLoopTable
import CBlurVectors

// The separable filter in unsigned 16-bit arithmetic, for images of bytes. Loops.swift explains the rules of
// this folder.
//
// A window is symmetric, so the two values at the same distance are averaged first, and one multiplication
// serves both. Only the upper half of the product is added to the sum. The start value of the sum compensates
// for this rounding down.
//
// Sums cannot overflow. Averages and products never decrease when a value increases, so a white image has the
// largest sum. `Q16Taps.largestSum` computes it, and windows whose sums exceed 65535 are not made
// (`QuantizedWindow`). The weights sum to 65536, and white is 65280. Half a unit for each product and 128 for
// rounding come on top. So a window always fits if the radii along both axes sum to at most 253. Longer
// windows lose more by rounding down than these terms add: a Gaussian of sigma 200 reaches 65185.
//
// A line between the passes holds all even pixels first and then all odd pixels. The sums of either half need
// both halves, and each half is loaded only once. Only the code that separates the pixels and joins them
// again depends on the number of channels.

/// Returns the amount that rounding down takes from the sum of `products` products on average.
@inline(__always)
func averagesLost(_ products: Int) -> blur_u16 {
  blur_u16(repeating: UInt16(truncatingIfNeeded: products &>> 1))
}

/// Calls `body` with the radius, as a compile-time constant if the radius is small. On CPUs with enough
/// registers, this is true of nearly all windows of a pyramid.
@inline(__always)
func knownRadius(_ radius: Int, _ body: (Int) -> Void) {
  let isDone = withKnownRadius(radius, upTo: blur_shifts() ? 8 : 4, body)
  if !isDone { body(radius) }
}

/// Returns the weight at `distance`, repeated in all lanes.
@inline(__always)
func averagesWeight(_ distance: Int, of weights: UnsafePointer<UInt16>) -> blur_u16 {
  // SAFETY: there are `radius + 1` weights, each repeated to fill the widest vector.
  blur_load_u16(weights + distance &* FilterLoops.widest)
}
