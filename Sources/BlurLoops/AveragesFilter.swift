import BlurLoopTable
import CBlurVectors

// This is the separable filter in unsigned 16-bit arithmetic, for 8-bit images. Loops.swift explains the
// rules of this folder.
//
// A window is symmetric. Therefore the two values at the same distance from the centre are averaged first,
// and one multiplication is enough for both. Only the upper 16 bits of the product are added to the sum,
// which rounds the product down. The sum begins with a value that makes up for this loss.
//
// Sums cannot overflow. No image has larger sums than a white image, because averages and products never
// decrease when a value increases. `Q16Taps.largestSum` computes the sum of a white image, and
// `QuantizedWindow` rejects windows for which it exceeds 65535. White is 65280, and the weights sum to 1. In
// addition, the sum contains half a unit for each product, and 128 for rounding. Therefore a window always
// fits if its radii along both axes sum to at most 253. Longer windows lose more by rounding down than these
// terms add: with a sigma of 200, the largest sum is 65185.
//
// Between the two passes, a line stores all even pixels first and then all odd pixels. The horizontal pass
// needs even and odd pixels for every output pixel. It computes an even and an odd vector of output pixels
// together, so that it loads every vector only once. The number of channels matters only for the code that
// separates even from odd pixels, and for the code that joins them again.

/// Returns the amount by which a sum of `products` products is too small on average, in every lane of a
/// vector. Each product is rounded down, which removes half a unit on average.
@inline(__always)
func averagesLost(_ products: Int) -> blur_u16 {
  blur_u16(repeating: UInt16(truncatingIfNeeded: products &>> 1))
}

/// Calls `body` with the radius. If the radius is small, it is a compile-time constant inside the call, so
/// that the compiler can unroll loops over the window. On CPUs with 32 vector registers, nearly all windows
/// of a pyramid are small enough.
@inline(__always)
func knownRadius(_ radius: Int, _ body: (Int) -> Void) {
  let isDone = withKnownRadius(radius, upTo: blur_shifts() ? 8 : 4, body)
  if !isDone { body(radius) }
}

/// Returns a vector in which every lane holds the weight at the given distance from the centre.
@inline(__always)
func averagesWeight(_ distance: Int, of weights: UnsafePointer<UInt16>) -> blur_u16 {
  // SAFETY: there are `radius + 1` weights, and each is repeated as often as the widest vector has lanes.
  blur_load_u16(weights + distance &* FilterLoops.widest)
}
