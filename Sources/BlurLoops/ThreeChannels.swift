import CBlurVectors

// Blocks of three channels: six vectors, which hold whole pairs of pixels. BlurReorder.h has the shuffles.
// Where a row ends before a block does, it goes on by two vectors at a time.

// Tuples, for a structure comes with functions of its metadata, which the linker shares with other targets.

/// Six vectors of 16 bits: neighbours, or three pairs of vectors that each hold even and odd ones. A part of
/// them is a number that the compiler knows.
typealias SixWords = (blur_u16, blur_u16, blur_u16, blur_u16, blur_u16, blur_u16)

/// Six vectors in single precision, likewise.
typealias SixFloats = (blur_f32, blur_f32, blur_f32, blur_f32, blur_f32, blur_f32)

/// Three pairs as six.
@inline(__always)
func sixOf<V>(_ first: (V, V), _ second: (V, V), _ third: (V, V)) -> (V, V, V, V, V, V) {
  (first.0, first.1, second.0, second.1, third.0, third.1)
}

/// The even pixels of neighbours: three parts.
@inline(__always)
func evenPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// The odd ones.
@inline(__always)
func oddPart(_ s: SixWords, _ part: Int) -> blur_u16 { blur_six_odd_u16(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// The even pixels of pairs of even and odd values: three parts.
@inline(__always)
func evenValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_even_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// The odd ones.
@inline(__always)
func oddValuesPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_odd_pixels(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Neighbours, of pairs of even and odd pixels: six parts.
@inline(__always)
func joinedPart(_ s: SixWords, _ part: Int) -> blur_u16 {
  blur_six_joined_u16(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Their upper bytes: three parts.
@inline(__always)
func bytesPart(_ s: SixWords, _ part: Int) -> blur_u8 { blur_six_bytes(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// With half a byte's unit added, so that bytes are rounded to nearest: for values of at most 255 · 256.
@inline(__always)
func rounded(_ s: SixWords) -> SixWords {
  // Vectors on both sides: a sum with a scalar is left a loop over the lanes here.
  let half = blur_u16(repeating: 128)
  return (s.0 &+ half, s.1 &+ half, s.2 &+ half, s.3 &+ half, s.4 &+ half, s.5 &+ half)
}

/// As for words.
@inline(__always)
func evenPart(_ s: SixFloats, _ part: Int) -> blur_f32 {
  blur_six_even_f32(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// As for words.
@inline(__always)
func oddPart(_ s: SixFloats, _ part: Int) -> blur_f32 { blur_six_odd_f32(s.0, s.1, s.2, s.3, s.4, s.5, part) }

/// As for words.
@inline(__always)
func joinedPart(_ s: SixFloats, _ part: Int) -> blur_f32 {
  blur_six_joined_f32(s.0, s.1, s.2, s.3, s.4, s.5, part)
}

/// Calls `body` with 0, 1 and 2, as numbers that the compiler knows.
@inline(__always)
func three(_ body: (Int) -> Void) {
  body(0)
  body(1)
  body(2)
}

/// Calls `body` with 0 to 5, likewise.
@inline(__always)
func six(_ body: (Int) -> Void) {
  three(body)
  body(3)
  body(4)
  body(5)
}
