#ifndef BLUR_VECTORS_H
#define BLUR_VECTORS_H

// The few vector operations that Swift's SIMD types do not compile well to: widening, narrowing, pairwise
// multiply-add. All are static inline, so they take on the instruction set of the Swift target that calls
// them, and the vectors are as wide as that set's registers. Swift sees SIMD8<Int16>, SIMD16<Int16> or
// SIMD32<Int16> and so on; sources that use these names compile for any width.
//
// Rows may start at any address: every load and store here is unaligned.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__)
#define BLUR_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define BLUR_VECTOR_BYTES 32
#else
#define BLUR_VECTOR_BYTES 16
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef uint8_t blur_bytes __attribute__((ext_vector_type(BLUR_VECTOR_BYTES)));
typedef int16_t blur_i16 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 2)));
typedef int32_t blur_i32 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
typedef float blur_f32 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));

#define BLUR_INLINE static inline __attribute__((always_inline))

// The lanes of one vector: a `count` below it loads or stores only the first lanes, the others are zero.
enum { blur_i16_lanes = BLUR_VECTOR_BYTES / 2, blur_f32_lanes = BLUR_VECTOR_BYTES / 4 };

// MARK: Loads that widen

#define BLUR_LOAD(NAME, STORED, VECTOR, LANES)                                                   \
  BLUR_INLINE VECTOR NAME(const void *address, ptrdiff_t count) {                                \
    typedef STORED stored __attribute__((ext_vector_type(LANES)));                               \
    stored value = (stored)0;                                                                    \
    if (count >= LANES) {                                                                        \
      memcpy(&value, address, LANES * sizeof(STORED));                                           \
    } else {                                                                                     \
      memcpy(&value, address, (size_t)count * sizeof(STORED));                                   \
    }                                                                                            \
    return __builtin_convertvector(value, VECTOR);                                               \
  }

BLUR_LOAD(blur_i16_from_u8, uint8_t, blur_i16, BLUR_VECTOR_BYTES / 2)
BLUR_LOAD(blur_f32_from_u8, uint8_t, blur_f32, BLUR_VECTOR_BYTES / 4)
BLUR_LOAD(blur_f32_from_u16, uint16_t, blur_f32, BLUR_VECTOR_BYTES / 4)
BLUR_LOAD(blur_f32_from_f32, float, blur_f32, BLUR_VECTOR_BYTES / 4)

BLUR_INLINE blur_i16 blur_load_i16(const void *address) {
  blur_i16 value;
  memcpy(&value, address, sizeof value);
  return value;
}

BLUR_INLINE void blur_store_i16(void *address, blur_i16 value) { memcpy(address, &value, sizeof value); }

BLUR_INLINE void blur_store_f32(void *address, blur_f32 value) { memcpy(address, &value, sizeof value); }

// MARK: Integer arithmetic

// The first and second half of each 16-byte lane of `a` and `b`, alternating: a0 b0 a1 b1 …
BLUR_INLINE blur_i16 blur_zip_low(blur_i16 a, blur_i16 b) {
#if defined(__AVX512BW__)
  return (blur_i16)_mm512_unpacklo_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (blur_i16)_mm256_unpacklo_epi16((__m256i)a, (__m256i)b);
#else
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#endif
}

BLUR_INLINE blur_i16 blur_zip_high(blur_i16 a, blur_i16 b) {
#if defined(__AVX512BW__)
  return (blur_i16)_mm512_unpackhi_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (blur_i16)_mm256_unpackhi_epi16((__m256i)a, (__m256i)b);
#else
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

// sum + a0·b0 + a1·b1 for each pair of neighbours; `pair` holds b0 and b1 for all lanes.
BLUR_INLINE blur_i32 blur_add_products(blur_i32 sum, blur_i16 a, int32_t pair) {
  blur_i32 b = (blur_i32)pair;
#if defined(__AVX512BW__)
  return sum + (blur_i32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return sum + (blur_i32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return sum + (blur_i32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  blur_i32 even = __builtin_convertvector(__builtin_shufflevector(a, a, 0, 2, 4, 6), blur_i32);
  blur_i32 odd = __builtin_convertvector(__builtin_shufflevector(a, a, 1, 3, 5, 7), blur_i32);
  return sum + even * (int32_t)(int16_t)pair + odd * (pair >> 16);
#endif
}

// Undoes a zip: two vectors of 32-bit sums to one of 16 bits, in the order before zipping. The values fit.
BLUR_INLINE blur_i16 blur_narrow(blur_i32 low, blur_i32 high) {
#if defined(__AVX512BW__)
  return (blur_i16)_mm512_packs_epi32((__m512i)low, (__m512i)high);
#elif defined(__AVX2__)
  return (blur_i16)_mm256_packs_epi32((__m256i)low, (__m256i)high);
#elif defined(__SSE2__)
  return (blur_i16)_mm_packs_epi32((__m128i)low, (__m128i)high);
#else
  return __builtin_convertvector(__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7), blur_i16);
#endif
}

// MARK: Stores that narrow

// The first `count` values, each from 0 to 255.
BLUR_INLINE void blur_store_u8(void *address, blur_i16 value, ptrdiff_t count) {
  typedef uint8_t stored __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 2)));
  stored bytes = __builtin_convertvector(value, stored);
  if (count >= BLUR_VECTOR_BYTES / 2) {
    memcpy(address, &bytes, sizeof bytes);
  } else {
    memcpy(address, &bytes, (size_t)count);
  }
}

#define BLUR_STORE_ROUNDED(NAME, STORED, FULL)                                                   \
  BLUR_INLINE void NAME(void *address, blur_f32 value, ptrdiff_t count) {                        \
    typedef STORED stored __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));               \
    blur_f32 low = value < 0.0f ? (blur_f32)0.0f : value;                                        \
    blur_f32 clamped = low < FULL ? low : (blur_f32)FULL;                                        \
    stored result =                                                                              \
        __builtin_convertvector(__builtin_convertvector(clamped + 0.5f, blur_i32), stored);      \
    if (count >= BLUR_VECTOR_BYTES / 4) {                                                        \
      memcpy(address, &result, sizeof result);                                                   \
    } else {                                                                                     \
      memcpy(address, &result, (size_t)count * sizeof(STORED));                                  \
    }                                                                                            \
  }

BLUR_STORE_ROUNDED(blur_u8_from_f32, uint8_t, 255.0f)
BLUR_STORE_ROUNDED(blur_u16_from_f32, uint16_t, 65535.0f)

BLUR_INLINE void blur_f32_to_f32(void *address, blur_f32 value, ptrdiff_t count) {
  memcpy(address, &value, (size_t)(count < blur_f32_lanes ? count : blur_f32_lanes) * sizeof(float));
}

// MARK: Float arithmetic

// sum + a·weight, fused where the instruction set has it.
BLUR_INLINE blur_f32 blur_add_product(blur_f32 sum, blur_f32 a, float weight) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, (blur_f32)weight, sum);
#else
  return sum + a * weight;
#endif
}

#endif
