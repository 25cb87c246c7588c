import CBlurVectors

// Blocks of three channels: six vectors, which hold whole pairs of pixels. The shuffles are in BlurReorder.h.
// If a row ends before a block does, the loop continues with two vectors at a time.

// Blocks are tuples, because a structure comes with metadata functions that the linker would share with other
// targets.

/// Six vectors of 16-bit values: either neighbouring vectors, or three pairs of vectors that hold even and
/// odd values or pixels. Functions that return a part of a block need the index of the part as a compile-time
/// constant.
typealias SixWords = (blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16)

/// Six vectors of single-precision values, either neighbouring vectors or three pairs of vectors that hold
/// even and odd pixels.
typealias SixFloats = (blur_f32, blur_f32, blur_f32, blur_f32, blur_f32, blur_f32)

/// Returns three pairs of vectors as one block of six.
@inline(__always)
func sixOf<V>(_ first: (V, V), _ second: (V, V), _ third: (V, V)) -> (V, V, V, V, V, V) {
  (first.0, first.1, second.0, second.1, third.0, third.1)
}

/// Returns one of three parts of the even pixels, from neighbouring vectors.
@inline(__always)
func evenPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns one of three parts of the odd pixels, from neighbouring vectors.
@inline(__always)
func oddPart(_ s: SixWords, _ part: Int) -> blur_u16 { blur_six_odd_u16(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Returns one of three parts of the even pixels, from pairs of vectors that hold even and odd values.
@inline(__always)
func evenValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns one of three parts of the odd pixels, from pairs of vectors that hold even and odd values.
@inline(__always)
func oddValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_odd_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns one of six parts of the pixels in image order, from pairs of vectors that hold even and odd
/// pixels.
@inline(__always)
func joinedPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_joined_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns one of three parts of the upper bytes of the pixels in image order, from pairs of vectors that
/// hold even and odd pixels.
@inline(__always)
func bytesPart(_ s: SixWords, _ part: Int) -> blur_u8 { blur_six_bytes(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Returns the block with 128, half of the unit of a byte, added to each value, so that upper bytes are
/// rounded to nearest. Values must not exceed 255 · 256.
@inline(__always)
func rounded(_ s: SixWords) -> SixWords {
  // Both operands are vectors, because the compiler would leave a sum with a scalar as a loop over the lanes
  // here.
  let half = blur_u16(repeating: 128)
  return (s.0 &+ half, s.1 &+ half, s.2 &+ half, s.3 &+ half, s.4 &+ half, s.5 &+ half)
}

/// Returns one of three parts of the even pixels, from neighbouring vectors of floats.
@inline(__always)
func evenPart(_ s: SixFloats, _ part: Int) -> blur_f32 {
  blur_six_even_f32(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Returns one of three parts of the odd pixels, from neighbouring vectors of floats.
@inline(__always)
func oddPart(_ s: SixFloats, _ part: Int) -> blur_f32 { blur_six_odd_f32(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// Returns one of six parts of the pixels in image order, from pairs of vectors that hold even and odd pixels
/// of floats.
@inline(__always)
func joinedPart(_ s: SixFloats, _ part: Int) -> blur_f32 {
  blur_six_joined_f32(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Calls `body` with 0, 1 and 2 as compile-time constants.
@inline(__always)
func three(_ body: (Int) -> Void) {
  body(0)
  body(1)
  body(2)
}

/// Calls `body` with 0 to 5 as compile-time constants.
@inline(__always)
func six(_ body: (Int) -> Void) {
  three(body)
  body(3)
  body(4)
  body(5)
}
