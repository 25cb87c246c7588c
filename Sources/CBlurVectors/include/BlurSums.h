#ifndef BLUR_SUMS_H
#define BLUR_SUMS_H

// Vector operations for the triple box, which applies three box filters one after the other and computes them
// with running sums. The functions widen and narrow values, turn running sums into results, and load and
// store vectors.
//
// The horizontal pass of the triple box processes 16 values of 32 bits at the same time. Such a group of 16
// values is called a step.
// - In a gray image, a step holds one value from each of 16 rows, all from the same column.
// - In an image of four channels, a step holds one pixel from each of four rows. The four values of a pixel
//   are called a quad.
// - In an image of three channels, a pixel takes three steps. Each of them holds one channel of the pixel,
//   from each of 16 rows.
//
// The functions in BlurSteps.h convert rows of an image to steps, and steps to rows.

#include "BlurReorder.h"

#pragma clang assume_nonnull begin

typedef int16_t blur_i16 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 2)));

enum {
  blur_step_lanes = 16,
  blur_step_bytes = 64,
  blur_quad_bytes = 16,
  // The largest number of steps that the horizontal pass computes before it writes their values to the rows
  // of the result. A step is a group of 16 values.
  blur_chunk_steps = 128,
  // The largest number of steps that one pixel can take. A step is a group of 16 values from several rows. In
  // images with three channels, each channel needs a step of its own.
  blur_most_steps = 3,
  // The size in bytes of the scratch memory of the horizontal pass. It holds up to 128 steps, which are
  // groups of 64 bytes, and the running sums of one pixel. A pixel has up to 48 values from several rows, and
  // each of these values has three sums of 64 bits.
  blur_chunk_bytes = (128 + 6 * 3) * 64,
  // Some numbers are too large for 32 bits, and are therefore stored as two numbers of 32 bits, which hold
  // their lower and their upper bits. This is the number of bits in the lower part.
  blur_limb_bits = 24
};

// MARK: Widening the lower or the upper half of the lanes

#if BLUR_VECTOR_BYTES == 64
#define BLUR_LOW_16(V) __builtin_shufflevector(V, V, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define BLUR_HIGH_16(V) \
  __builtin_shufflevector(V, V, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
#define BLUR_LOW_32(V) __builtin_shufflevector(V, V, 0, 1, 2, 3, 4, 5, 6, 7)
#define BLUR_HIGH_32(V) __builtin_shufflevector(V, V, 8, 9, 10, 11, 12, 13, 14, 15)
#define BLUR_JOIN_32(A, B) __builtin_shufflevector(A, B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_LOW_16(V) __builtin_shufflevector(V, V, 0, 1, 2, 3, 4, 5, 6, 7)
#define BLUR_HIGH_16(V) __builtin_shufflevector(V, V, 8, 9, 10, 11, 12, 13, 14, 15)
#define BLUR_LOW_32(V) __builtin_shufflevector(V, V, 0, 1, 2, 3)
#define BLUR_HIGH_32(V) __builtin_shufflevector(V, V, 4, 5, 6, 7)
#define BLUR_JOIN_32(A, B) __builtin_shufflevector(A, B, 0, 1, 2, 3, 4, 5, 6, 7)
#else
#define BLUR_LOW_16(V) __builtin_shufflevector(V, V, 0, 1, 2, 3)
#define BLUR_HIGH_16(V) __builtin_shufflevector(V, V, 4, 5, 6, 7)
#define BLUR_LOW_32(V) __builtin_shufflevector(V, V, 0, 1)
#define BLUR_HIGH_32(V) __builtin_shufflevector(V, V, 2, 3)
#define BLUR_JOIN_32(A, B) __builtin_shufflevector(A, B, 0, 1, 2, 3)
#endif

// A vector of signed 64-bit lanes. Integers are widened to this signed type first, so that negative integers
// stay negative.
typedef int64_t blur_i64_ __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));

BLUR_INLINE blur_i32 blur_low_i32(blur_i16 v) { return __builtin_convertvector(BLUR_LOW_16(v), blur_i32); }
BLUR_INLINE blur_i32 blur_high_i32(blur_i16 v) { return __builtin_convertvector(BLUR_HIGH_16(v), blur_i32); }

BLUR_INLINE blur_u64 blur_low_u64(blur_i32 v) {
  return (blur_u64)__builtin_convertvector(BLUR_LOW_32(v), blur_i64_);
}
BLUR_INLINE blur_u64 blur_high_u64(blur_i32 v) {
  return (blur_u64)__builtin_convertvector(BLUR_HIGH_32(v), blur_i64_);
}

BLUR_INLINE blur_f64 blur_f64_from_u64(blur_u64 v) { return __builtin_convertvector(v, blur_f64); }

BLUR_INLINE blur_f64 blur_low_f64(blur_f32 v) { return __builtin_convertvector(BLUR_LOW_32(v), blur_f64); }
BLUR_INLINE blur_f64 blur_high_f64(blur_f32 v) { return __builtin_convertvector(BLUR_HIGH_32(v), blur_f64); }

// MARK: Narrowing lanes

BLUR_INLINE blur_f32 blur_f32_from_f64(blur_f64 low, blur_f64 high) {
  typedef float half __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));
  half a = __builtin_convertvector(low, half);
  half b = __builtin_convertvector(high, half);
  return BLUR_JOIN_32(a, b);
}

// Returns the lower 32 bits of each lane of `low`, followed by the lower 32 bits of each lane of `high`.
BLUR_INLINE blur_i32 blur_i32_from_u64(blur_u64 low, blur_u64 high) {
  typedef int32_t half __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));
  half a = __builtin_convertvector((blur_i64_)low, half);
  half b = __builtin_convertvector((blur_i64_)high, half);
  return BLUR_JOIN_32(a, b);
}

// Multiplies each value by `scale`, adds `bias`, and drops the fraction of the result. The first half of the
// values is in `low`, and the second half is in `high`.
BLUR_INLINE blur_i32 blur_whole_parts(blur_f64 low, blur_f64 high, double scale, double bias) {
  typedef int32_t half __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));
#if defined(__FMA__)
  blur_f64 x = __builtin_elementwise_fma(low, (blur_f64)scale, (blur_f64)bias);
  blur_f64 y = __builtin_elementwise_fma(high, (blur_f64)scale, (blur_f64)bias);
#else
  blur_f64 x = low * scale + bias, y = high * scale + bias;
#endif
  half a = __builtin_convertvector(x, half);
  half b = __builtin_convertvector(y, half);
  return BLUR_JOIN_32(a, b);
}

// Multiplies each value by `reciprocal`, and shifts the 64-bit product right by `shift` bits. This divides
// the value by 2ˢʰⁱᶠᵗ / reciprocal and drops the fraction.
BLUR_INLINE blur_i32 blur_quotients(blur_i32 value, uint32_t reciprocal, uint64_t shift) {
  blur_u64 factor = (blur_u64)(uint64_t)reciprocal;
  blur_u64 even = ((blur_u64)value & 0xFFFFFFFF) * factor >> (blur_u64)shift;
  blur_u64 odd = ((blur_u64)value >> 32) * factor >> (blur_u64)shift;
  return (blur_i32)(even | odd << 32);
}

// MARK: Loads and stores

BLUR_INLINE blur_i32 blur_load_i32(const void *address) {
  blur_i32 value;
  memcpy(&value, address, sizeof value);
  return value;
}
BLUR_INLINE void blur_store_i32(void *address, blur_i32 value) { memcpy(address, &value, sizeof value); }

BLUR_LOAD(blur_i16_from_u8, uint8_t, blur_i16, BLUR_VECTOR_BYTES / 2)
BLUR_LOAD(blur_i32_from_u16, uint16_t, blur_i32, BLUR_VECTOR_BYTES / 4)

// Defines the function NAME, which converts all lanes to the integer type STORED and stores the first `count`
// of them. The value of each lane must be in the range of this type.
#define BLUR_STORE_NARROW(NAME, STORED)                                                          \
  BLUR_INLINE void NAME(void *address, blur_i32 value, ptrdiff_t count) {                        \
    typedef STORED stored __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));               \
    stored result = __builtin_convertvector(value, stored);                                      \
    BLUR_STORE_FIRST(address, result, count);                                                    \
  }

BLUR_STORE_NARROW(blur_u8_from_i32, uint8_t)
BLUR_STORE_NARROW(blur_u16_from_i32, uint16_t)
BLUR_STORE_NARROW(blur_i32_to_i32, int32_t)

#pragma clang assume_nonnull end
#endif
