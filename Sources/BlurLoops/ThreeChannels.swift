import CBlurVectors

// Blocks of three channels: six vectors, which hold whole pairs of pixels. BlurReorder.h has the shuffles.
// Where a row ends before a block does, it goes on by two vectors at a time.

/// Six vectors of 16 bits: neighbours, or three pairs of vectors that each hold even and odd ones. A part is
/// a number that the compiler knows.
struct SixWords {
  private let a: blur_u16, b: blur_u16, c: blur_u16, d: blur_u16, e: blur_u16, f: blur_u16

  @inline(__always)
  init(_ first: (blur_u16, blur_u16), _ second: (blur_u16, blur_u16), _ third: (blur_u16, blur_u16)) {
    ((a, b), (c, d), (e, f)) = (first, second, third)
  }

  /// The even and the odd pixels of neighbours: three parts each.
  @inline(__always) func even(_ part: Int) -> blur_u16 { blur_six_even_u16(a, b, c, d, e, f, part) }
  @inline(__always) func odd(_ part: Int) -> blur_u16 { blur_six_odd_u16(a, b, c, d, e, f, part) }

  /// Those of pairs of even and odd values.
  @inline(__always) func evenOfValues(_ part: Int) -> blur_u16 {
    blur_six_even_pixels(a, b, c, d, e, f, part)
  }
  @inline(__always) func oddOfValues(_ part: Int) -> blur_u16 { blur_six_odd_pixels(a, b, c, d, e, f, part) }

  /// Neighbours, of pairs of even and odd pixels: six parts.
  @inline(__always) func joined(_ part: Int) -> blur_u16 { blur_six_joined_u16(a, b, c, d, e, f, part) }

  /// Their upper bytes: three parts.
  @inline(__always) func bytes(_ part: Int) -> blur_u8 { blur_six_bytes(a, b, c, d, e, f, part) }

  /// With half a byte's unit added, so that bytes are rounded to nearest: for values of at most 255 · 256.
  @inline(__always) var rounded: SixWords {
    SixWords((a &+ 128, b &+ 128), (c &+ 128, d &+ 128), (e &+ 128, f &+ 128))
  }
}

/// Six vectors in single precision, likewise.
struct SixFloats {
  private let a: blur_f32, b: blur_f32, c: blur_f32, d: blur_f32, e: blur_f32, f: blur_f32

  @inline(__always)
  init(_ first: (blur_f32, blur_f32), _ second: (blur_f32, blur_f32), _ third: (blur_f32, blur_f32)) {
    ((a, b), (c, d), (e, f)) = (first, second, third)
  }

  @inline(__always) func even(_ part: Int) -> blur_f32 { blur_six_even_f32(a, b, c, d, e, f, part) }
  @inline(__always) func odd(_ part: Int) -> blur_f32 { blur_six_odd_f32(a, b, c, d, e, f, part) }
  @inline(__always) func joined(_ part: Int) -> blur_f32 { blur_six_joined_f32(a, b, c, d, e, f, part) }
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
