import CBlurVectors

// Some loops separate the even pixels of a row (0, 2, 4 …) from the odd pixels (1, 3, 5 …), or join them
// again. They therefore need whole pairs of an even pixel and the next odd pixel. If pixels have three
// channels, two vectors end in the middle of a pair, but six vectors always hold whole pairs. So these loops
// process blocks of six vectors. Where fewer than six vectors are left in a row, the loops continue with two
// vectors at a time. The shuffles are in BlurReorder.h.

// A block of six vectors is a tuple and not a structure. For a structure, the compiler would generate helper
// functions. The linker would keep only one copy of these functions for all instruction sets, and not every
// CPU can run that copy.

/// A block of six vectors of 16-bit values, which hold pixels with three channels. The values of a block have
/// one of three orders:
///
/// - *Image order*: the six vectors hold the values in the order of the image.
/// - *Pixel pairs*: the block consists of three pairs of vectors. In each pair, the first vector holds even
///   pixels (0, 2, 4 …), and the second vector holds odd pixels (1, 3, 5 …).
/// - *Value pairs*: the block consists of three pairs of vectors, and each pair holds a third of the values.
///   In each pair, the first vector holds the values at even indices, and the second vector holds the values
///   at odd indices. Indices count values. They do not count pixels.
///
/// Several functions below return one of the vectors that result from a block. They take the index of this
/// vector, which must be a compile-time constant.
typealias SixWords = (blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16)

/// A block of six vectors of floats, which hold pixels with three channels. Its values are in image order or
/// in pixel pairs (see ``SixWords``).
typealias SixFloats = (blur_f32, blur_f32, blur_f32, blur_f32, blur_f32, blur_f32)

/// Returns three pairs of vectors as a single tuple of six vectors.
@inline(__always)
func sixOf<V>(_ first: (V, V), _ second: (V, V), _ third: (V, V)) -> (V, V, V, V, V, V) {
  (first.0, first.1, second.0, second.1, third.0, third.1)
}

/// Returns one of the three vectors that hold the even pixels (0, 2, 4 …) of a block, whose pixels are in
/// image order (see ``SixWords``). The index of this vector is `part`, from 0 to 2.
@inline(__always)
func evenPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns one of the three vectors that hold the odd pixels (1, 3, 5 …) of a block, whose pixels are in
/// image order (see ``SixWords``). The index of this vector is `part`, from 0 to 2.
@inline(__always)
func oddPart(_ s: SixWords, _ part: Int) -> blur_u16 { blur_six_odd_u16(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Collects the even pixels (0, 2, 4 …) of a block whose values are in value pairs (see ``SixWords``). The
/// even pixels fill three vectors. Returns the vector with the index `part`, from 0 to 2.
@inline(__always)
func evenValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Collects the odd pixels (1, 3, 5 …) of a block whose values are in value pairs (see ``SixWords``). The odd
/// pixels fill three vectors. Returns the vector with the index `part`, from 0 to 2.
@inline(__always)
func oddValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_odd_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Reorders the values of a block from pixel pairs to image order (see ``SixWords``). The values fill six
/// vectors. Returns the vector with the index `part`, from 0 to 5.
@inline(__always)
func joinedPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_joined_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Reorders the values of a block from pixel pairs to image order (see ``SixWords``), and keeps only the
/// upper byte of each value. The bytes fill three vectors. Returns the vector with the index `part`, from 0
/// to 2.
@inline(__always)
func bytesPart(_ s: SixWords, _ part: Int) -> blur_u8 { blur_six_bytes(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Returns one of the three vectors that hold the even pixels (0, 2, 4 …) of a block, whose pixels are in
/// image order (see ``SixWords``). The index of this vector is `part`, from 0 to 2.
@inline(__always)
func evenPart(_ s: SixFloats, _ part: Int) -> blur_f32 {
  blur_six_even_f32(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns one of the three vectors that hold the odd pixels (1, 3, 5 …) of a block, whose pixels are in
/// image order (see ``SixWords``). The index of this vector is `part`, from 0 to 2.
@inline(__always)
func oddPart(_ s: SixFloats, _ part: Int) -> blur_f32 { blur_six_odd_f32(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Reorders the values of a block from pixel pairs to image order (see ``SixWords``). The values fill six
/// vectors. Returns the vector with the index `part`, from 0 to 5.
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
