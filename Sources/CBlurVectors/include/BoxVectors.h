#ifndef BOX_VECTORS_H
#define BOX_VECTORS_H

// Vectors for running sums: widening from 16 to 32 to 64 bits, and the way between rows and steps.
//
// A step is what the horizontal pass takes at once: 16 values of 32 bits, in four quads of four. For gray a
// step is one column of 16 rows, quad by quad; for rgba it is one pixel of four rows, each a quad.

#include "BlurVectors.h"

#pragma clang assume_nonnull begin

typedef uint64_t blur_u64 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));
typedef double blur_f64 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));

enum {
  blur_step_lanes = 16,
  blur_step_bytes = 64,
  blur_quad_bytes = 16,
  // Steps that the horizontal pass makes before it writes them to rows.
  blur_chunk_steps = 64,
  // Room for a chunk, and three sums of 64 bits for each lane.
  blur_chunk_bytes = (64 + 6) * 64,
  // Binary places of the lower of two limbs.
  blur_limb_bits = 24
};

// A block of rows for the vertical pass: 16 of gray, 4 of rgba.
typedef struct {
  // For each row the addresses of those at delays 0, d, e, 2d, d + e, 2d + e.
  const void *_Nonnull const *_Nonnull taps;
  // Components in a row, channels of a pixel, bytes of a component.
  ptrdiff_t count, channels, bytes;
  // The running sums: for each vector of 16-bit lanes three of 32 or 64 bits.
  void * sums;
  // Where steps are written: 32 bits, or two limbs, low + high · 2²⁴. Null while the window fills.
  void *_Nullable low, *_Nullable high;
  // Places by which 64-bit sums are shifted right.
  uint64_t shift;
} blur_box_block;

// A line of steps for the horizontal pass.
typedef struct {
  // The first step; before it stand zeros as far as the windows reach.
  const void * low, *_Nullable high;
  // The sizes of the boxes in steps: two of `twice`, one of `once`.
  ptrdiff_t twice, once;
  // Steps before the first result, and results.
  ptrdiff_t lead, width;
  // A result is the whole part of sum · scale + bias for sums of 64 bits, and of
  // (sum + half) · reciprocal / 2ˢʰⁱᶠᵗ for sums of 32.
  double scale, bias;
  uint32_t half, reciprocal;
  uint64_t shift;
  // Where rows are written, how many, and of what.
  void *_Nonnull const *_Nonnull targets;
  ptrdiff_t rows, channels, bytes;
  // `blur_chunk_bytes` bytes.
  void * scratch;
} blur_box_line;

// MARK: Widening, the lower or the upper half of the lanes

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

// A vector of signed 64-bit lanes, only to say that the sign is extended.
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

// MARK: Narrowing

BLUR_INLINE blur_f32 blur_f32_from_f64(blur_f64 low, blur_f64 high) {
  typedef float half __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));
  half a = __builtin_convertvector(low, half);
  half b = __builtin_convertvector(high, half);
  return BLUR_JOIN_32(a, b);
}

// The lower 32 bits of each lane of `low`, then of `high`.
BLUR_INLINE blur_i32 blur_i32_from_u64(blur_u64 low, blur_u64 high) {
  typedef int32_t half __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));
  half a = __builtin_convertvector((blur_i64_)low, half);
  half b = __builtin_convertvector((blur_i64_)high, half);
  return BLUR_JOIN_32(a, b);
}

// The value, as if from elsewhere. Otherwise the compiler adds the terms of a difference to a running sum one
// after the other, so that each step waits for all of them, and transposes quads one at a time.
BLUR_INLINE blur_i32 blur_apart(blur_i32 value) {
#if defined(__SSE2__)
  __asm__("" : "+v"(value));
#elif defined(__ARM_NEON)
  __asm__("" : "+w"(value));
#endif
  return value;
}

// The whole parts of value · scale + bias, in two halves.
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

// The whole parts of value · reciprocal / 2ˢʰⁱᶠᵗ.
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

BLUR_LOAD(blur_i32_from_u16, uint16_t, blur_i32, BLUR_VECTOR_BYTES / 4)

// The first `count` lanes, each in the range of what is stored.
#define BLUR_STORE_NARROW(NAME, STORED)                                                          \
  BLUR_INLINE void NAME(void *address, blur_i32 value, ptrdiff_t count) {                        \
    typedef STORED stored __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));               \
    stored result = __builtin_convertvector(value, stored);                                      \
    if (count >= BLUR_VECTOR_BYTES / 4) {                                                        \
      memcpy(address, &result, sizeof result);                                                   \
    } else {                                                                                     \
      memcpy(address, &result, (size_t)count * sizeof(STORED));                                  \
    }                                                                                            \
  }

BLUR_STORE_NARROW(blur_u8_from_i32, uint8_t)
BLUR_STORE_NARROW(blur_u16_from_i32, uint16_t)
BLUR_STORE_NARROW(blur_i32_to_i32, int32_t)

// Asks for memory that will be read soon; any address will do.
BLUR_INLINE void blur_prefetch(const void *address) { __builtin_prefetch(address); }

// MARK: Between rows and steps

typedef int32_t blur_quad_ __attribute__((ext_vector_type(4)));

// Quad q of a vector to or from `address` + q · `distance` steps.
BLUR_INLINE void blur_scatter_quads(void *address, ptrdiff_t distance, blur_i32 v) {
  blur_quad_ quads[BLUR_VECTOR_BYTES / 16];
  memcpy(quads, &v, sizeof v);
  for (int q = 0; q < BLUR_VECTOR_BYTES / 16; q++)
    memcpy((char *)address + q * distance * blur_step_bytes, &quads[q], sizeof quads[q]);
}
BLUR_INLINE blur_i32 blur_gather_quads(const void *address, ptrdiff_t distance) {
  blur_quad_ quads[BLUR_VECTOR_BYTES / 16];
  for (int q = 0; q < BLUR_VECTOR_BYTES / 16; q++)
    memcpy(&quads[q], (const char *)address + q * distance * blur_step_bytes, sizeof quads[q]);
  blur_i32 v;
  memcpy(&v, quads, sizeof v);
  return v;
}

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

// Rows and columns exchanged within each 4 × 4 block that the vectors' quads form.
BLUR_INLINE void blur_transpose(blur_i32 *a, blur_i32 *b, blur_i32 *c, blur_i32 *d) {
  blur_i32 ab = BLUR_ZIP_LOW_32(*a, *b), cd = BLUR_ZIP_LOW_32(*c, *d);
  blur_i32 ab2 = BLUR_ZIP_HIGH_32(*a, *b), cd2 = BLUR_ZIP_HIGH_32(*c, *d);
  *a = BLUR_ZIP_LOW_64(ab, cd);
  *b = BLUR_ZIP_HIGH_64(ab, cd);
  *c = BLUR_ZIP_LOW_64(ab2, cd2);
  *d = BLUR_ZIP_HIGH_64(ab2, cd2);
}

// Four rows of the same columns to or from one quad of as many steps as they have columns: column 4q + i is
// quad q of the i-th transposed vector.
BLUR_INLINE void blur_scatter_columns(void *address, blur_i32 a, blur_i32 b, blur_i32 c, blur_i32 d) {
  blur_transpose(&a, &b, &c, &d);
  blur_scatter_quads(address, 4, blur_apart(a));
  blur_scatter_quads((char *)address + blur_step_bytes, 4, blur_apart(b));
  blur_scatter_quads((char *)address + 2 * blur_step_bytes, 4, blur_apart(c));
  blur_scatter_quads((char *)address + 3 * blur_step_bytes, 4, blur_apart(d));
}
BLUR_INLINE void blur_gather_columns(const void *address, void *four_rows) {
  blur_i32 a = blur_gather_quads(address, 4);
  blur_i32 b = blur_gather_quads((const char *)address + blur_step_bytes, 4);
  blur_i32 c = blur_gather_quads((const char *)address + 2 * blur_step_bytes, 4);
  blur_i32 d = blur_gather_quads((const char *)address + 3 * blur_step_bytes, 4);
  blur_transpose(&a, &b, &c, &d);
  const blur_i32 rows[4] = {a, b, c, d};
  memcpy(four_rows, rows, sizeof rows);
}

// Four rows of the same pixels to as many steps as they have pixels.
BLUR_INLINE void blur_scatter_pixels(void *address, blur_i32 a, blur_i32 b, blur_i32 c, blur_i32 d) {
  blur_scatter_quads(address, 1, a);
  blur_scatter_quads((char *)address + blur_quad_bytes, 1, b);
  blur_scatter_quads((char *)address + 2 * blur_quad_bytes, 1, c);
  blur_scatter_quads((char *)address + 3 * blur_quad_bytes, 1, d);
}

// MARK: Steps of 16 bytes to rows

typedef uint8_t blur_16_bytes_ __attribute__((ext_vector_type(16)));
typedef uint32_t blur_4_words_ __attribute__((ext_vector_type(4)));

BLUR_INLINE void blur_write_16_(
    const blur_16_bytes_ *values, void *_Nonnull const *_Nonnull targets, ptrdiff_t rows, ptrdiff_t offset,
    ptrdiff_t count) {
  size_t bytes = count < 16 ? (size_t)count : 16;
  for (ptrdiff_t row = 0; row < rows; row++) memcpy((char *)targets[row] + offset, &values[row], bytes);
}

// Columns of up to 16 rows: 16 steps, of which the first `count` are written at `offset`.
BLUR_INLINE void blur_write_columns(
    const void *steps, void *_Nonnull const *_Nonnull targets, ptrdiff_t rows, ptrdiff_t offset,
    ptrdiff_t count) {
  blur_16_bytes_ v[16], w[16];
  memcpy(v, steps, sizeof v);
  // Four perfect shuffles transpose 16 × 16.
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 8; i++) {
      w[2 * i] = __builtin_shufflevector(
          v[i], v[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      w[2 * i + 1] = __builtin_shufflevector(
          v[i], v[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    memcpy(v, w, sizeof v);
  }
  if (rows == 16 && count >= 16) {
    blur_write_16_(v, targets, 16, offset, 16);
  } else {
    blur_write_16_(v, targets, rows, offset, count);
  }
}

// Pixels of up to four rows: four steps, of which the first `count` bytes of a row are written at `offset`.
BLUR_INLINE void blur_write_pixels(
    const void *steps, void *_Nonnull const *_Nonnull targets, ptrdiff_t rows, ptrdiff_t offset,
    ptrdiff_t count) {
  blur_4_words_ v[4];
  memcpy(v, steps, sizeof v);
  blur_4_words_ low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  blur_4_words_ high = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  blur_4_words_ low2 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
  blur_4_words_ high2 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  const blur_16_bytes_ values[4] = {
      (blur_16_bytes_)__builtin_shufflevector(low, low2, 0, 1, 4, 5),
      (blur_16_bytes_)__builtin_shufflevector(low, low2, 2, 3, 6, 7),
      (blur_16_bytes_)__builtin_shufflevector(high, high2, 0, 1, 4, 5),
      (blur_16_bytes_)__builtin_shufflevector(high, high2, 2, 3, 6, 7)};
  if (rows == 4 && count >= 16) {
    blur_write_16_(values, targets, 4, offset, 16);
  } else {
    blur_write_16_(values, targets, rows, offset, count);
  }
}

#pragma clang assume_nonnull end
#endif
