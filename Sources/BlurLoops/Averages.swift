import BlurLoopTable
import CBlurVectors

// The averages filter is a separable blur filter for 8-bit images. It uses unsigned 16-bit arithmetic. The
// rules for the code in this folder are in Loops.swift.
//
// A window is symmetric. The filter therefore averages the two values at the same distance from the centre,
// so that one multiplication is enough for both values. Only the upper 16 bits of the product are added to
// the sum, which rounds the product down. The sum begins with a value that makes up for this loss.
//
// No sum may exceed 65535, the largest 16-bit number. A white image has the largest sums, because averages
// and products never decrease when a value increases. `IntegerTaps.largestSum` computes the sum of a white
// image, and `BlurWindow` rejects a window if this sum is too large.
//
// White is stored as 65280, and the weights sum to 1. The start values add half a unit for each product, and
// another 128 for rounding. Therefore no sum exceeds 65535 if the horizontal and the vertical radius add up
// to at most 253. Windows with larger radii usually fit as well, because they lose more by rounding down than
// the start values add. With a sigma of 200, for example, the largest sum is 65185.
//
// The vertical blur runs first. It stores its results in lines. A line holds first all even pixels, and then
// all odd pixels. The horizontal blur needs even and odd pixels for every output pixel. It computes a vector
// of even and a vector of odd output pixels together, so that it loads every vector only once. The number of
// channels matters only where the code separates even pixels from odd pixels, and where it joins them again.

/// Returns the start value for a sum of `products` products, in every lane of a vector. Each product is
/// rounded down, which removes half a unit on average. The start value adds half a unit for each product, to
/// make up for this loss.
@inline(__always)
func averagesLost(_ products: Int) -> blur_u16 {
  blur_u16(repeating: UInt16(truncatingIfNeeded: products &>> 1))
}

/// Calls `body` with the radius of a window. A radius of at most 8 with AVX-512, or of at most 4 otherwise,
/// is a compile-time constant inside the call, so the compiler can unroll loops over the window.
@inline(__always)
func knownRadius(_ radius: Int, _ body: (Int) -> Void) {
  let isDone = withKnownRadius(radius, upTo: blur_shifts() ? 8 : 4, body)
  if !isDone { body(radius) }
}

/// Returns a vector in which every lane holds the weight of the pixels at the given distance from the centre
/// of the window.
@inline(__always)
func averagesWeight(_ distance: Int, of weights: UnsafePointer<UInt16>) -> blur_u16 {
  // SAFETY: `weights` holds `FilterLoops.widest` copies of the weight for each distance from 0 to the radius.
  // This is the number of 16-bit lanes in a vector of the widest instruction set. So a whole vector can be
  // loaded with any instruction set.
  blur_load_u16(weights + distance &* FilterLoops.widest)
}
