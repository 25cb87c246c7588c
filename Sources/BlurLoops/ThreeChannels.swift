import CBlurVectors

// With three channels, pixels are processed in blocks of six vectors, because six vectors always hold whole
// pairs of pixels. Two vectors do not. If fewer than six vectors of a row are left, the loops continue with
// two vectors at a time. The shuffles are in BlurReorder.h.

// A block of six vectors is a tuple and not a structure. The compiler generates metadata functions for
// structures, and the linker would keep a single copy of them for all instruction sets, although not every
// CPU can run that copy.

/// A block of six vectors of 16-bit values. The vectors either follow each other in memory, or form three
/// pairs. The first vector of a pair holds even values or even pixels, and the second vector holds odd values
/// or odd pixels. Functions that return one vector of a block take the index of this vector, which must be a
/// compile-time constant.
typealias SixWords = (blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16)

/// A block of six vectors of floats. The vectors either follow each other in memory, or form three pairs. The
/// first vector of a pair holds even pixels, and the second vector holds odd pixels.
typealias SixFloats = (blur_f32, blur_f32, blur_f32, blur_f32, blur_f32, blur_f32)

/// Returns six vectors, given as three pairs, as a single tuple.
@inline(__always)
func sixOf<V>(_ first: (V, V), _ second: (V, V), _ third: (V, V)) -> (V, V, V, V, V, V) {
  (first.0, first.1, second.0, second.1, third.0, third.1)
}

/// Returns the even pixels of a block whose six vectors follow each other in memory. The even pixels fill
/// three vectors, and `part` (0 to 2) selects the vector to return.
@inline(__always)
func evenPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns the odd pixels of a block whose six vectors follow each other in memory. The odd pixels fill three
/// vectors, and `part` (0 to 2) selects the vector to return.
@inline(__always)
func oddPart(_ s: SixWords, _ part: Int) -> blur_u16 { blur_six_odd_u16(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Returns the even pixels of a block that consists of three pairs of vectors. The first vector of each pair
/// holds even values, and the second vector holds odd values. The even pixels fill three vectors, and `part`
/// (0 to 2) selects the vector to return.
@inline(__always)
func evenValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns the odd pixels of a block that consists of three pairs of vectors. The first vector of each pair
/// holds even values, and the second vector holds odd values. The odd pixels fill three vectors, and `part`
/// (0 to 2) selects the vector to return.
@inline(__always)
func oddValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_odd_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns all pixels of a block in image order. The block consists of three pairs of vectors, with even
/// pixels in the first vector of each pair and odd pixels in the second. The result fills six vectors, and
/// `part` (0 to 5) selects the vector to return.
@inline(__always)
func joinedPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_joined_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns the upper bytes of all values of a block, in image order. The block consists of three pairs of
/// vectors, with even pixels in the first vector of each pair and odd pixels in the second. The bytes fill
/// three vectors, and `part` (0 to 2) selects the vector to return.
@inline(__always)
func bytesPart(_ s: SixWords, _ part: Int) -> blur_u8 { blur_six_bytes(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Adds 128 to each value of the block. In units where an 8-bit level is 256, this is half a level. So the
/// upper bytes of the results are the values rounded to the nearest level. Values must not exceed 255 · 256.
@inline(__always)
func rounded(_ s: SixWords) -> SixWords {
  // Here `half` must be a vector. If a number were added to a vector, the compiler would turn the addition
  // into a loop over the lanes.
  let half = blur_u16(repeating: 128)
  return (s.0 &+ half, s.1 &+ half, s.2 &+ half, s.3 &+ half, s.4 &+ half, s.5 &+ half)
}

/// Returns the even pixels of a block whose six vectors of floats follow each other in memory. The even
/// pixels fill three vectors, and `part` (0 to 2) selects the vector to return.
@inline(__always)
func evenPart(_ s: SixFloats, _ part: Int) -> blur_f32 {
  blur_six_even_f32(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns the odd pixels of a block whose six vectors of floats follow each other in memory. The odd pixels
/// fill three vectors, and `part` (0 to 2) selects the vector to return.
@inline(__always)
func oddPart(_ s: SixFloats, _ part: Int) -> blur_f32 { blur_six_odd_f32(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Returns all pixels of a block of floats in image order. The block consists of three pairs of vectors, with
/// even pixels in the first vector of each pair and odd pixels in the second. The result fills six vectors,
/// and `part` (0 to 5) selects the vector to return.
@inline(__always)
func joinedPart(_ s: SixFloats, _ part: Int) -> blur_f32 {
  blur_six_joined_f32(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Calls `body` three times, with the compile-time constants 0, 1 and 2.
@inline(__always)
func three(_ body: (Int) -> Void) {
  body(0)
  body(1)
  body(2)
}

/// Calls `body` six times, with the compile-time constants 0 to 5.
@inline(__always)
func six(_ body: (Int) -> Void) {
  three(body)
  body(3)
  body(4)
  body(5)
}
