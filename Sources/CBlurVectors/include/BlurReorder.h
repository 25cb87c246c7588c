#ifndef BLUR_REORDER_H
#define BLUR_REORDER_H

// Taking pixels apart into even and odd ones, and putting them together again, for downsampling and upsampling images.
// A pixel is one or four components of 16 or 32 bits.

#include "BlurVectors.h"

typedef uint64_t blur_u64 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));

// Lane numbers for vectors of N lanes: every other lane of two vectors, and their lower and upper halves
// alternating. The wide ones move two lanes at a time.
#define BLUR_EVEN_2 0, 2
#define BLUR_ODD_2 1, 3
#define BLUR_LOWER_2 0, 2
#define BLUR_UPPER_2 1, 3
#define BLUR_EVEN_4 0, 2, 4, 6
#define BLUR_ODD_4 1, 3, 5, 7
#define BLUR_LOWER_4 0, 4, 1, 5
#define BLUR_UPPER_4 2, 6, 3, 7
#define BLUR_EVEN_8 BLUR_EVEN_4, 8, 10, 12, 14
#define BLUR_ODD_8 BLUR_ODD_4, 9, 11, 13, 15
#define BLUR_LOWER_8 0, 8, 1, 9, 2, 10, 3, 11
#define BLUR_UPPER_8 4, 12, 5, 13, 6, 14, 7, 15
#define BLUR_EVEN_16 BLUR_EVEN_8, 16, 18, 20, 22, 24, 26, 28, 30
#define BLUR_ODD_16 BLUR_ODD_8, 17, 19, 21, 23, 25, 27, 29, 31
#define BLUR_LOWER_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define BLUR_UPPER_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define BLUR_EVEN_32 BLUR_EVEN_16, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
#define BLUR_ODD_32 BLUR_ODD_16, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63
#define BLUR_LOWER_32                                                                               \
  0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, \
      45, 14, 46, 15, 47
#define BLUR_UPPER_32                                                                               \
  16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59,    \
      28, 60, 29, 61, 30, 62, 31, 63
#define BLUR_WIDE_EVEN_2 0, 1
#define BLUR_WIDE_ODD_2 2, 3
#define BLUR_WIDE_EVEN_4 0, 1, 4, 5
#define BLUR_WIDE_ODD_4 2, 3, 6, 7
#define BLUR_WIDE_LOWER_4 0, 1, 4, 5
#define BLUR_WIDE_UPPER_4 2, 3, 6, 7
#define BLUR_WIDE_EVEN_8 0, 1, 4, 5, 8, 9, 12, 13
#define BLUR_WIDE_ODD_8 2, 3, 6, 7, 10, 11, 14, 15
#define BLUR_WIDE_LOWER_8 0, 1, 8, 9, 2, 3, 10, 11
#define BLUR_WIDE_UPPER_8 4, 5, 12, 13, 6, 7, 14, 15
#define BLUR_WIDE_LOWER_2 0, 1
#define BLUR_WIDE_UPPER_2 2, 3

#if BLUR_VECTOR_BYTES == 64
#define BLUR_LANES_16(KIND) BLUR_##KIND##_32
#define BLUR_LANES_32(KIND) BLUR_##KIND##_16
#define BLUR_LANES_64(KIND) BLUR_##KIND##_8
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_LANES_16(KIND) BLUR_##KIND##_16
#define BLUR_LANES_32(KIND) BLUR_##KIND##_8
#define BLUR_LANES_64(KIND) BLUR_##KIND##_4
#else
#define BLUR_LANES_16(KIND) BLUR_##KIND##_8
#define BLUR_LANES_32(KIND) BLUR_##KIND##_4
#define BLUR_LANES_64(KIND) BLUR_##KIND##_2
#endif

// NAME(a, b, channels): `a` and `b` hold neighbouring pixels.
#define BLUR_REORDER(NAME, KIND)                                                                       \
  BLUR_INLINE blur_u16 NAME##_u16(blur_u16 a, blur_u16 b, ptrdiff_t channels) {                         \
    if (channels == 1) return __builtin_shufflevector(a, b, BLUR_LANES_16(KIND));                       \
    return (blur_u16)__builtin_shufflevector((blur_u64)a, (blur_u64)b, BLUR_LANES_64(KIND));            \
  }                                                                                                    \
  BLUR_INLINE blur_f32 NAME##_f32(blur_f32 a, blur_f32 b, ptrdiff_t channels) {                         \
    if (channels == 1) return __builtin_shufflevector(a, b, BLUR_LANES_32(KIND));                       \
    return (blur_f32)__builtin_shufflevector((blur_u64)a, (blur_u64)b, BLUR_LANES_64(WIDE_##KIND));     \
  }

// The even pixels of both, and the odd ones.
BLUR_REORDER(blur_even, EVEN)
BLUR_REORDER(blur_odd, ODD)
// With `a` holding even pixels and `b` odd ones, the first and the second half of both together.
BLUR_REORDER(blur_lower, LOWER)
BLUR_REORDER(blur_upper, UPPER)

// Bytes of rgba pixels, taken apart into the first and third components of each (`even`) and the second and
// fourth (`odd`): the even pixels, and the odd ones.
BLUR_INLINE blur_u16 blur_even_rgba(blur_u16 even, blur_u16 odd) {
  blur_u64 low = (blur_u64)blur_zip_low(even, odd), high = (blur_u64)blur_zip_high(even, odd);
#if BLUR_VECTOR_BYTES == 64
  return (blur_u16)__builtin_shufflevector(low, high, 0, 8, 2, 10, 4, 12, 6, 14);
#elif BLUR_VECTOR_BYTES == 32
  return (blur_u16)__builtin_shufflevector(low, high, 0, 4, 2, 6);
#else
  return (blur_u16)__builtin_shufflevector(low, high, 0, 2);
#endif
}

BLUR_INLINE blur_u16 blur_odd_rgba(blur_u16 even, blur_u16 odd) {
  blur_u64 low = (blur_u64)blur_zip_low(even, odd), high = (blur_u64)blur_zip_high(even, odd);
#if BLUR_VECTOR_BYTES == 64
  return (blur_u16)__builtin_shufflevector(low, high, 1, 9, 3, 11, 5, 13, 7, 15);
#elif BLUR_VECTOR_BYTES == 32
  return (blur_u16)__builtin_shufflevector(low, high, 1, 5, 3, 7);
#else
  return (blur_u16)__builtin_shufflevector(low, high, 1, 3);
#endif
}

// The upper bytes of even and odd pixels of 1 or 4 components, alternating.
BLUR_INLINE blur_u8 blur_join_bytes(blur_u16 even, blur_u16 odd, ptrdiff_t channels) {
  if (channels == 1) return (blur_u8)(even >> 8 | (odd & (uint16_t)0xff00));
#if defined(__SSE2__)
  blur_bits bytes = BLUR_X86(packus_epi16, (blur_bits)(even >> 8), (blur_bits)(odd >> 8));
  return (blur_u8)BLUR_X86(shuffle_epi32, bytes, 0xd8);
#else
  typedef uint8_t half __attribute__((ext_vector_type(8)));
  half e = __builtin_convertvector(even >> 8, half), o = __builtin_convertvector(odd >> 8, half);
  return __builtin_shufflevector(e, o, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
#endif
}

// Bytes of pixels from 256ths of at most 255 · 256, rounded to nearest: even and odd pixels alternating.
BLUR_INLINE blur_u8 blur_join_pixels(blur_u16 even, blur_u16 odd, ptrdiff_t channels) {
  return blur_join_bytes(even + 128, odd + 128, channels);
}

// The first and the second half of each 16-byte lane of A and B, alternating, 32 or 64 bits at a time.
#if BLUR_VECTOR_BYTES == 64
#define BLUR_ZIP_LOW_32(A, B) \
  __builtin_shufflevector(A, B, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define BLUR_ZIP_HIGH_32(A, B) \
  __builtin_shufflevector(A, B, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define BLUR_ZIP_LOW_64(A, B) \
  __builtin_shufflevector(A, B, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define BLUR_ZIP_HIGH_64(A, B) \
  __builtin_shufflevector(A, B, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_ZIP_LOW_32(A, B) __builtin_shufflevector(A, B, 0, 8, 1, 9, 4, 12, 5, 13)
#define BLUR_ZIP_HIGH_32(A, B) __builtin_shufflevector(A, B, 2, 10, 3, 11, 6, 14, 7, 15)
#define BLUR_ZIP_LOW_64(A, B) __builtin_shufflevector(A, B, 0, 1, 8, 9, 4, 5, 12, 13)
#define BLUR_ZIP_HIGH_64(A, B) __builtin_shufflevector(A, B, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define BLUR_ZIP_LOW_32(A, B) __builtin_shufflevector(A, B, 0, 4, 1, 5)
#define BLUR_ZIP_HIGH_32(A, B) __builtin_shufflevector(A, B, 2, 6, 3, 7)
#define BLUR_ZIP_LOW_64(A, B) __builtin_shufflevector(A, B, 0, 1, 4, 5)
#define BLUR_ZIP_HIGH_64(A, B) __builtin_shufflevector(A, B, 2, 3, 6, 7)
#endif

// MARK: Samples between pixels

// The mean of bilinear samples along one axis: pixels and their weights, which sum to 1. Where the last two
// weights are 0, it is one sample.
typedef struct {
  ptrdiff_t index[4];
  float weight[4];
} blur_samples;

#endif
