#ifndef BLUR_STRAIGHT_H
#define BLUR_STRAIGHT_H

// Functions that multiply the colours of pixels by alpha, and functions that divide them by alpha. A pixel
// has four components, and `alpha` is the index of the alpha component, which is 0 or 3. It must be a
// compile-time constant.
//
// All instruction sets give the same bits. A fused multiply-add would round differently, but these functions
// never add anything to a product of floats, so the compiler cannot use one.

#include "BlurReorder.h"

// These macros describe shuffles in the way that BlurReorder.h explains, except that C is the index of alpha.
// BLUR_ALPHA copies alpha to all lanes of its pixel. BLUR_WITH takes the lane of alpha from the vector `b`,
// and the other lanes from the vector `a`.
#define BLUR_ALPHA(C, N, I) ((I) / 4 * 4 + (C))
#define BLUR_WITH(C, N, I) ((I) % 4 == (C) ? (I) + (N) : (I))

// Defines two functions:
// - blur_with_SUFFIX(a, b, alpha) returns `a` with the alphas of `b`.
// - blur_factors_SUFFIX(pixels, one, alpha) returns the factor by which each component is multiplied or
//   divided. For a colour, this is the alpha of its pixel. For alpha itself, it is `one`.
#define BLUR_FACTORS(BITS, SUFFIX, VECTOR)                                                   \
  BLUR_INLINE VECTOR blur_with_##SUFFIX(VECTOR a, VECTOR b, ptrdiff_t alpha) {               \
    return alpha == 0 ? BLUR_SHUFFLE_##BITS(BLUR_WITH, 0, a, b)                              \
                      : BLUR_SHUFFLE_##BITS(BLUR_WITH, 3, a, b);                             \
  }                                                                                          \
  BLUR_INLINE VECTOR blur_factors_##SUFFIX(VECTOR pixels, VECTOR one, ptrdiff_t alpha) {     \
    VECTOR alphas = alpha == 0 ? BLUR_SHUFFLE_##BITS(BLUR_ALPHA, 0, pixels, pixels)          \
                               : BLUR_SHUFFLE_##BITS(BLUR_ALPHA, 3, pixels, pixels);         \
    return blur_with_##SUFFIX(alphas, one, alpha);                                           \
  }

BLUR_FACTORS(16, u16, blur_u16)
BLUR_FACTORS(32, f32, blur_f32)

// Multiplies 8-bit components by alpha, and scales the products to 16 bits: alpha becomes 257 · alpha, and a
// colour becomes the integer that is nearest to 257 / 255 · colour · alpha.
BLUR_INLINE blur_u16 blur_multiplied_u8(blur_u16 pixels, ptrdiff_t alpha) {
  blur_u16 products = pixels * blur_factors_u16(pixels, (blur_u16)255, alpha);
  // The exact result is the product plus 2 / 255 of the product, and 2 / 255 equals 514 / 65535. If 514 ·
  // product is high · 65536 + low, dividing it by 65535 gives high + (high + low) / 65535. This last fraction
  // is below 1.01, so it is rounded to 1 if high + low is at least 32768, and to 0 otherwise. The sum high +
  // low is computed with saturation, which limits it to 65535. Its highest bit is therefore the rounded
  // fraction.
  blur_u16 high = blur_multiply_high(products, (blur_u16)514);
  blur_u16 sum = __builtin_elementwise_add_sat(high, products * (uint16_t)514);
  return products + high + (sum >> 15);
}

// Returns the integers that are nearest to 255 · colour / divisor. They are from 0 to 255, and are stored in
// the lowest byte of each lane.
BLUR_INLINE blur_i32 blur_nearest_quotients(blur_i32 colours, blur_i32 divisors) {
  // Floats are exact enough. 255 · colour has at most 24 bits. A quotient that is not exactly half-way
  // between two integers differs from the middle by more than the rounding error of a float, so it is never
  // rounded to the wrong side. From 2²³ on, floats are whole numbers. So adding 2²³ rounds the quotient to
  // the nearest integer, or to the even one if it lies half-way between two integers. The lowest bits of the
  // float are then this integer.
  blur_f32 quotients =
      __builtin_convertvector(colours, blur_f32) * 255.0f / __builtin_convertvector(divisors, blur_f32);
  return (blur_i32)(quotients + 0x1p23f);
}

// Divides 16-bit components by alpha, and returns 8-bit components. A colour above alpha becomes full scale,
// and a colour whose alpha is 0 becomes 0.
BLUR_INLINE blur_u16 blur_divided_u8(blur_u16 pixels, ptrdiff_t alpha) {
  typedef uint32_t word __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
  blur_u16 factors = blur_factors_u16(pixels, (blur_u16)65535, alpha);
  word colours = (word)__builtin_elementwise_min(pixels, factors);
  word divisors = (word)__builtin_elementwise_max(factors, (blur_u16)1);
  blur_i32 even = blur_nearest_quotients((blur_i32)(colours & 0xffff), (blur_i32)(divisors & 0xffff));
  blur_i32 odd = blur_nearest_quotients((blur_i32)(colours >> 16), (blur_i32)(divisors >> 16));
  return (blur_u16)((even & 0xff) | odd << 16);
}

// Multiplies 16-bit components by alpha, and returns fractions of full scale.
BLUR_INLINE blur_f32 blur_multiplied_u16(blur_f32 pixels, ptrdiff_t alpha) {
  blur_f32 shares = blur_factors_f32(pixels, pixels, alpha) / 65535.0f;
  return blur_with_f32(pixels * (shares / 65535.0f), shares, alpha);
}

// Divides fractions of full scale by alpha, and returns 16-bit integers. The results are clamped to full
// scale, and colours whose alpha is at most 0 become 0.
BLUR_INLINE blur_i32 blur_divided_u16(blur_f32 pixels, ptrdiff_t alpha) {
  blur_f32 factors = blur_factors_f32(pixels, (blur_f32)1.0f, alpha);
  blur_f32 quotients = pixels * 65535.0f / factors;
  blur_f32 low = (factors > 0.0f & quotients > 0.0f) ? quotients : (blur_f32)0.0f;
  blur_f32 clamped = low < 65535.0f ? low : (blur_f32)65535.0f;
  // A value half-way between two integers is rounded to the even integer for colours, and up for alpha.
  blur_f32 alphas = (blur_f32)__builtin_convertvector(clamped + 0.5f, blur_i32);
  return (blur_i32)blur_with_f32(clamped + 0x1p23f, alphas, alpha) & 0xffff;
}

// Multiplies colours by alpha. If alpha is 0, the colours become 0, even if they are NaN.
BLUR_INLINE blur_f32 blur_multiplied_f32(blur_f32 pixels, ptrdiff_t alpha) {
  blur_f32 factors = blur_factors_f32(pixels, (blur_f32)1.0f, alpha);
  return blur_where_weighted(pixels * factors, factors);
}

// Divides colours by alpha. If alpha is at most 0, the colours become 0.
BLUR_INLINE blur_f32 blur_divided_f32(blur_f32 pixels, ptrdiff_t alpha) {
  blur_f32 factors = blur_factors_f32(pixels, (blur_f32)1.0f, alpha);
  return factors <= 0.0f ? (blur_f32)0.0f : pixels / factors;
}

// Converts the first `count` lanes to bytes and stores them. The value of each lane must be at most 255.
BLUR_INLINE void blur_u8_from_u16(void *address, blur_u16 value, ptrdiff_t count) {
  typedef uint8_t stored __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 2)));
  stored result = __builtin_convertvector(value, stored);
  BLUR_STORE_FIRST(address, result, count);
}

#endif
