#ifndef BLUR_VECTORS_H
#define BLUR_VECTORS_H

// Vector operations for which Swift's SIMD types do not give fast code: widening, narrowing, reordering,
// rounding averages, and pairwise multiply-add. All functions are static inline, so they use the instruction
// set of the Swift target that calls them. Vectors are as wide as the registers of that instruction set:
// Swift sees SIMD8<UInt16>, SIMD16<UInt16> or SIMD32<UInt16>, for example. Code that uses only the names
// defined here compiles for any of these widths.
//
// Loads and stores accept any address, even an unaligned one, so rows of an image may start anywhere. The
// only exception is `blur_stream_bytes`. If a `count` is smaller than the number of lanes, only the first
// lanes are loaded or stored, and the other lanes of a loaded vector are zero.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __has_include(<string.h>)
#include <string.h>
#else
// Compilers generate calls of these functions even if there is no operating system to supply a header.
void *memcpy(void *target, const void *source, size_t count);
void *memmove(void *target, const void *source, size_t count);
void *memset(void *target, int byte, size_t count);
#endif

#if !defined(__x86_64__)
// The compiler must not fuse a product and a sum into one instruction, which would round only once. On 64-bit
// ARM it would otherwise do so. The baseline instruction set of x86-64 has no such instruction, and rounds
// both the product and the sum. Without fusing, the baseline code gives the same bits on all machines.
#pragma STDC FP_CONTRACT OFF
#endif

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

typedef uint8_t blur_u8 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES)));
typedef uint16_t blur_u16 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 2)));
typedef int32_t blur_i32 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
typedef float blur_f32 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
typedef double blur_f64 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));

#define BLUR_INLINE static inline __attribute__((always_inline))

enum {
  blur_u8_lanes = BLUR_VECTOR_BYTES,
  blur_u16_lanes = BLUR_VECTOR_BYTES / 2,
  blur_f32_lanes = BLUR_VECTOR_BYTES / 4
};

// BLUR_X86(NAME, …) calls the intrinsic for the width of the vectors: _mm512_NAME, _mm256_NAME or _mm_NAME.
#if defined(__AVX512BW__)
#define BLUR_X86(NAME, ...) _mm512_##NAME(__VA_ARGS__)
#define BLUR_STREAM _mm512_stream_si512
typedef __m512i blur_bits;
#elif defined(__AVX2__)
#define BLUR_X86(NAME, ...) _mm256_##NAME(__VA_ARGS__)
#define BLUR_STREAM _mm256_stream_si256
typedef __m256i blur_bits;
#elif defined(__SSE2__)
#define BLUR_X86(NAME, ...) _mm_##NAME(__VA_ARGS__)
#define BLUR_STREAM _mm_stream_si128
typedef __m128i blur_bits;
#endif

#include "BlurParts.h"

// MARK: Loads

// Loads the first `bytes` bytes of a vector and sets all other bytes to zero. No memory beyond these bytes is
// read.
BLUR_INLINE blur_u8 blur_load_bytes(const void *address, ptrdiff_t bytes) {
  if (bytes < BLUR_VECTOR_BYTES) return blur_load_part(address, bytes);
  blur_u8 value;
  memcpy(&value, address, sizeof value);
  return value;
}

BLUR_INLINE blur_u16 blur_load_u16(const void *address) {
  blur_u16 value;
  memcpy(&value, address, sizeof value);
  return value;
}

BLUR_INLINE blur_f32 blur_load_f32(const void *address) {
  blur_f32 value;
  memcpy(&value, address, sizeof value);
  return value;
}

#define BLUR_LOAD(NAME, STORED, VECTOR, LANES)                                                   \
  BLUR_INLINE VECTOR NAME(const void *address, ptrdiff_t count) {                                \
    typedef STORED stored __attribute__((ext_vector_type(LANES)));                               \
    stored value;                                                                                \
    if (count >= LANES) {                                                                        \
      memcpy(&value, address, sizeof value);                                                     \
    } else {                                                                                     \
      blur_u8 part = blur_load_part(address, count * (ptrdiff_t)sizeof(STORED));                 \
      memcpy(&value, &part, sizeof value);                                                       \
    }                                                                                            \
    return __builtin_convertvector(value, VECTOR);                                               \
  }

BLUR_LOAD(blur_u16_from_u8, uint8_t, blur_u16, BLUR_VECTOR_BYTES / 2)
BLUR_LOAD(blur_u16_from_u16, uint16_t, blur_u16, BLUR_VECTOR_BYTES / 2)
BLUR_LOAD(blur_f32_from_u8, uint8_t, blur_f32, BLUR_VECTOR_BYTES / 4)
BLUR_LOAD(blur_f32_from_u16, uint16_t, blur_f32, BLUR_VECTOR_BYTES / 4)
BLUR_LOAD(blur_f32_from_f32, float, blur_f32, BLUR_VECTOR_BYTES / 4)

// Prefetches the cache line at an address into the second-level cache. In the first-level cache, the
// prefetched data would displace rows that are in use.
BLUR_INLINE void blur_prefetch(const void *address) { __builtin_prefetch(address, 0, 2); }

// MARK: Stores

BLUR_INLINE void blur_store_u16(void *address, blur_u16 value) { memcpy(address, &value, sizeof value); }

BLUR_INLINE void blur_store_f32(void *address, blur_f32 value) { memcpy(address, &value, sizeof value); }

// Stores the first `bytes` bytes of a vector.
BLUR_INLINE void blur_store_bytes(void *address, blur_u8 value, ptrdiff_t bytes) {
  if (bytes < BLUR_VECTOR_BYTES) return blur_store_part(address, value, bytes);
  memcpy(address, &value, sizeof value);
}

// Stores the first `bytes` bytes of a vector with a non-temporal store, for a row that is not read again
// soon. With such a store, the CPU does not have to read memory that it is about to overwrite. If a whole
// vector is stored, the address must be a multiple of the vector's size. Other threads are guaranteed to see
// the bytes only after a call of `blur_streamed`.
BLUR_INLINE void blur_stream_bytes(void *address, blur_u8 value, ptrdiff_t bytes) {
  if (bytes < BLUR_VECTOR_BYTES) return blur_store_part(address, value, bytes);
#if defined(__SSE2__)
  BLUR_STREAM((blur_bits *)address, (blur_bits)value);
#else
  memcpy(address, &value, sizeof value);
#endif
}

BLUR_INLINE void blur_streamed(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// Stores the first COUNT lanes of the vector VALUE. The vector may be narrower than a register of the CPU.
#define BLUR_STORE_FIRST(ADDRESS, VALUE, COUNT)                                                  \
  do {                                                                                           \
    ptrdiff_t wanted = (COUNT) * (ptrdiff_t)sizeof((VALUE)[0]);                                  \
    if (wanted >= (ptrdiff_t)sizeof(VALUE)) {                                                    \
      memcpy(ADDRESS, &(VALUE), sizeof(VALUE));                                                  \
    } else {                                                                                     \
      blur_u8 part = (blur_u8)0;                                                                 \
      memcpy(&part, &(VALUE), sizeof(VALUE));                                                    \
      blur_store_part(ADDRESS, part, wanted);                                                    \
    }                                                                                            \
  } while (0)

// Stores the first `count` values of the vector.
BLUR_INLINE void blur_u16_to_u16(void *address, blur_u16 value, ptrdiff_t count) {
  blur_store_bytes(address, (blur_u8)value, 2 * count);
}

// Defines the function NAME, which clamps floats to the range from 0 to FULL, rounds them to the nearest
// integers, and stores the first `count` of them.
#define BLUR_STORE_ROUNDED(NAME, STORED, FULL)                                                   \
  BLUR_INLINE void NAME(void *address, blur_f32 value, ptrdiff_t count) {                        \
    typedef STORED stored __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));               \
    blur_f32 low = value < 0.0f ? (blur_f32)0.0f : value;                                        \
    blur_f32 clamped = low < FULL ? low : (blur_f32)FULL;                                        \
    stored result =                                                                              \
        __builtin_convertvector(__builtin_convertvector(clamped + 0.5f, blur_i32), stored);      \
    BLUR_STORE_FIRST(address, result, count);                                                    \
  }

BLUR_STORE_ROUNDED(blur_u8_from_f32, uint8_t, 255.0f)
BLUR_STORE_ROUNDED(blur_u16_from_f32, uint16_t, 65535.0f)

BLUR_INLINE void blur_f32_to_f32(void *address, blur_f32 value, ptrdiff_t count) {
  blur_store_bytes(address, (blur_u8)value, count * (ptrdiff_t)sizeof(float));
}

// MARK: 16-bit arithmetic

// Returns the average (a + b) / 2, rounded up to an integer. The result is correct even if a + b is greater
// than 65535.
BLUR_INLINE blur_u16 blur_average(blur_u16 a, blur_u16 b) {
#if defined(__SSE2__)
  return (blur_u16)BLUR_X86(avg_epu16, (blur_bits)a, (blur_bits)b);
#else
  return (a | b) - ((a ^ b) >> 1);
#endif
}

// Returns the upper 16 bits of the 32-bit product a · b.
BLUR_INLINE blur_u16 blur_multiply_high(blur_u16 a, blur_u16 b) {
#if defined(__SSE2__)
  return (blur_u16)BLUR_X86(mulhi_epu16, (blur_bits)a, (blur_bits)b);
#else
  typedef uint32_t word __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 2)));
  return __builtin_convertvector(
      (__builtin_convertvector(a, word) * __builtin_convertvector(b, word)) >> 16, blur_u16);
#endif
}

// Subtracts 32768 from unsigned values, so that 0…65535 becomes −32768…32767 in signed arithmetic. A second
// call adds 32768 again.
BLUR_INLINE blur_u16 blur_offset(blur_u16 a) { return a ^ (uint16_t)0x8000; }

// Returns the bytes with even indices, each times 256, as 16-bit values. `blur_odd_bytes` returns the bytes
// with odd indices in the same way.
BLUR_INLINE blur_u16 blur_even_bytes(blur_u8 a) { return (blur_u16)a << 8; }
BLUR_INLINE blur_u16 blur_odd_bytes(blur_u8 a) { return (blur_u16)a & (uint16_t)0xff00; }

// Interleaves the 16-bit values of `a` and `b`, as a0 b0 a1 b1 …. Each block of 16 bytes is interleaved
// separately. `blur_zip_low` uses only the first half of each block, and `blur_zip_high` uses the second
// half.
BLUR_INLINE blur_u16 blur_zip_low(blur_u16 a, blur_u16 b) {
#if defined(__SSE2__)
  return (blur_u16)BLUR_X86(unpacklo_epi16, (blur_bits)a, (blur_bits)b);
#else
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#endif
}

BLUR_INLINE blur_u16 blur_zip_high(blur_u16 a, blur_u16 b) {
#if defined(__SSE2__)
  return (blur_u16)BLUR_X86(unpackhi_epi16, (blur_bits)a, (blur_bits)b);
#else
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

// Returns sum + a0·b0 + a1·b1 for each pair a0, a1 of neighbouring signed values. The factors b0 and b1 are
// the lower and the upper 16 bits of `pair`, and are the same for all lanes.
BLUR_INLINE blur_i32 blur_add_products(blur_i32 sum, blur_u16 a, int32_t pair) {
  blur_i32 b = (blur_i32)pair;
#if defined(__AVX512VNNI__)
  return (blur_i32)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#elif defined(__SSE2__)
  return sum + (blur_i32)BLUR_X86(madd_epi16, (blur_bits)a, (blur_bits)b);
#else
  typedef int16_t half __attribute__((ext_vector_type(4)));
  half even = (half)__builtin_shufflevector(a, a, 0, 2, 4, 6);
  half odd = (half)__builtin_shufflevector(a, a, 1, 3, 5, 7);
  return sum + __builtin_convertvector(even, blur_i32) * (int32_t)(int16_t)pair +
         __builtin_convertvector(odd, blur_i32) * (pair >> 16);
#endif
}

// Returns the same sum as `blur_add_products`, but reads the two factors from the element `pairs[index]`.
// `index` must be a compile-time constant. The array must have an even number of elements, because the code
// for 64-bit ARM loads two elements at a time. 64-bit ARM can multiply by a single lane of a vector, so the
// factors need not be copied to all lanes there.
BLUR_INLINE blur_i32 blur_add_products_by(blur_i32 sum, blur_u16 a, const int32_t *pairs, ptrdiff_t index) {
#if defined(__ARM_NEON)
  typedef int16_t half __attribute__((ext_vector_type(4)));
  half even = (half)__builtin_shufflevector(a, a, 0, 2, 4, 6);
  half odd = (half)__builtin_shufflevector(a, a, 1, 3, 5, 7);
  half factors;
  memcpy(&factors, pairs + (index & ~(ptrdiff_t)1), sizeof factors);
  if (index & 1) factors = __builtin_shufflevector(factors, factors, 2, 3, 2, 3);
  half first = __builtin_shufflevector(factors, factors, 0, 0, 0, 0);
  half second = __builtin_shufflevector(factors, factors, 1, 1, 1, 1);
  sum += __builtin_convertvector(even, blur_i32) * __builtin_convertvector(first, blur_i32);
  return sum + __builtin_convertvector(odd, blur_i32) * __builtin_convertvector(second, blur_i32);
#else
  return blur_add_products(sum, a, pairs[index]);
#endif
}

// Returns the upper 16 bits of each 32-bit sum, in the original order of the values. `low` and `high` hold
// the sums that were computed from the results of `blur_zip_low` and `blur_zip_high`. In each block of 16
// bytes, the values from `low` form the first half of the result, and the values from `high` form the second
// half.
BLUR_INLINE blur_u16 blur_unzip_upper(blur_i32 low, blur_i32 high) {
#if defined(__SSE2__)
  return (blur_u16)BLUR_X86(packs_epi32, (blur_bits)(low >> 16), (blur_bits)(high >> 16));
#else
  return __builtin_convertvector(__builtin_shufflevector(low >> 16, high >> 16, 0, 1, 2, 3, 4, 5, 6, 7),
                                 blur_u16);
#endif
}

// Returns the upper 16 bits of each 32-bit lane of `even` and `odd`, alternately: even0 odd0 even1 odd1 …
BLUR_INLINE blur_u16 blur_join_upper(blur_i32 even, blur_i32 odd) {
  typedef uint32_t word __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
  return (blur_u16)((word)even >> 16 | ((word)odd & 0xffff0000u));
}

// Returns the value unchanged, but hides from the compiler how the value was computed. Without this barrier,
// the compiler would generate slower code in three places:
// - It would add the terms of a difference to a running sum one by one, and each of these additions has to
//   wait for the one before.
// - It would join two shuffles into one that takes more instructions than both.
// - It would transpose blocks of 4 × 4 values one block at a time, instead of all blocks of a vector at once.
BLUR_INLINE blur_i32 blur_optimisation_barrier(blur_i32 value) {
#if defined(__SSE2__)
  __asm__("" : "+v"(value));
#elif defined(__ARM_NEON)
  __asm__("" : "+w"(value));
#endif
  return value;
}

BLUR_INLINE blur_f32 blur_optimisation_barrier_f32(blur_f32 value) {
  return (blur_f32)blur_optimisation_barrier((blur_i32)value);
}

// MARK: Float arithmetic

// Returns sum + a·weight, with a fused multiply-add if the instruction set has one.
BLUR_INLINE blur_f32 blur_add_product(blur_f32 sum, blur_f32 a, float weight) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, (blur_f32)weight, sum);
#else
  return sum + a * weight;
#endif
}

// Returns sum + a·weights, where each lane has its own weight, with a fused multiply-add if the instruction
// set has one.
BLUR_INLINE blur_f32 blur_add_weighted(blur_f32 sum, blur_f32 a, blur_f32 weights) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, weights, sum);
#else
  return sum + a * weights;
#endif
}

// Returns true if the instruction set has 32 vector registers, and false if it has only 16.
BLUR_INLINE bool blur_has_many_registers(void) {
#if defined(__AVX512BW__) || defined(__ARM_NEON)
  return true;
#else
  return false;
#endif
}

// Returns whether shifting is the fastest way to get a vector at an unaligned address. Shifting means taking
// the vector out of two neighbouring vectors in registers, with `blur_shifted_f32` or `blur_shifted_u16`.
// This is faster than a load if vectors are as wide as a cache line, because an unaligned vector then lies in
// two cache lines, and loading it takes twice as long. A CPU can also shift one vector while it loads
// another.
BLUR_INLINE bool blur_shifts(void) { return BLUR_VECTOR_BYTES == 64; }

// Returns the vector that begins at lane `shift` of `a` and continues with the first lanes of `b`, as if `b`
// followed `a` in memory. The result is meaningful only if `blur_shifts()` is true.
BLUR_INLINE blur_f32 blur_shifted_f32(blur_f32 a, blur_f32 b, int32_t shift) {
#if defined(__AVX512BW__)
  blur_i32 first = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return (blur_f32)_mm512_permutex2var_ps((__m512)a, (__m512i)(first + shift), (__m512)b);
#else
  (void)b, (void)shift;
  return a;
#endif
}

BLUR_INLINE blur_u16 blur_shifted_u16(blur_u16 a, blur_u16 b, uint16_t shift) {
#if defined(__AVX512BW__)
  blur_u16 first = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  return (blur_u16)_mm512_permutex2var_epi16((blur_bits)a, (blur_bits)(first + shift), (blur_bits)b);
#else
  (void)b, (void)shift;
  return a;
#endif
}

// Returns the lanes of `a` whose weight is not 0, and 0 in the other lanes. Multiplying by the weight would
// not give 0 if the lane is NaN, because 0 times NaN is NaN.
BLUR_INLINE blur_f32 blur_where_weighted(blur_f32 a, blur_f32 weights) {
  typedef int32_t word __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
  return (blur_f32)((word)a & (word)(weights != 0));
}

#endif
