#ifndef BLUR_REORDER_H
#define BLUR_REORDER_H

// Functions that separate the even pixels of an image row (0, 2, 4 …) from the odd pixels (1, 3, 5 …), and
// functions that join them again. Downsampling and upsampling use these functions. A pixel has one, three or
// four components of 16 or 32 bits.

#include "BlurVectors.h"

typedef uint64_t blur_u64 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 8)));

// The macros below describe shuffles, which copy lanes of two vectors `a` and `b` to a result. Other macros
// take the name of such a macro as their argument KIND. The value of KIND(C, N, I) is the number of the lane
// that is copied to lane I of the result. C is the number of components of a pixel, and N is the number of
// lanes of a vector.
//
// Numbers below N stand for lanes of `a`, and numbers from N on stand for lanes of `b`. For example, with
// vectors of 8 lanes, the number 10 stands for lane 2 of `b`. The value −1 means that lane I of the result
// may contain anything.
#define BLUR_KNOWN(N, LANE) ((LANE) < 2 * (N) ? (LANE) : -1)
// BLUR_EVEN describes the shuffle that selects the even pixels (0, 2, 4 …) from two vectors `a` and `b`,
// where `b` continues the row of pixels in `a`. BLUR_ODD selects the odd pixels (1, 3, 5 …).
#define BLUR_EVEN(C, N, I) BLUR_KNOWN(N, (I) / (C) * 2 * (C) + (I) % (C))
#define BLUR_ODD(C, N, I) BLUR_KNOWN(N, (I) / (C) * 2 * (C) + (I) % (C) + (C))
// BLUR_LOWER and BLUR_UPPER join even pixels (in the vector `a`) and odd pixels (in the vector `b`) in the
// order of the image. The result fills two vectors: BLUR_LOWER gives the first of them, and BLUR_UPPER gives
// the second.
#define BLUR_LOWER(C, N, I) ((I) / (2 * (C)) * (C) + (I) % (C) + (I) / (C) % 2 * (N))
#define BLUR_UPPER(C, N, I) BLUR_LOWER(C, N, (I) + (N))
// Like BLUR_LOWER, these two macros join even pixels (from the vector `a`) and odd pixels (from the vector
// `b`) in the order of the image. But they select only every second value of the result. BLUR_LOWER_EVEN
// selects the values at even indices (0, 2, 4 …), and BLUR_LOWER_ODD selects the values at odd indices (1, 3,
// 5 …).
#define BLUR_LOWER_EVEN(C, N, I) BLUR_LOWER(C, N, 2 * (I))
#define BLUR_LOWER_ODD(C, N, I) BLUR_LOWER(C, N, 2 * (I) + 1)
// The next macros are for a row of values in two vectors: `a` holds the values at the indices 0, 2, 4 …, and
// `b` holds the values at the indices 1, 3, 5 …. BLUR_VALUE gives the number of the lane that holds the value
// at index K of the row. BLUR_EVEN_ZIPPED uses it to select the even pixels of the row, and BLUR_ODD_ZIPPED
// uses it to select the odd pixels.
#define BLUR_VALUE(N, K) BLUR_KNOWN(N, (K) / 2 + (K) % 2 * (N))
#define BLUR_EVEN_ZIPPED(C, N, I) BLUR_VALUE(N, (I) / (C) * 2 * (C) + (I) % (C))
#define BLUR_ODD_ZIPPED(C, N, I) BLUR_VALUE(N, (I) / (C) * 2 * (C) + (I) % (C) + (C))
// BLUR_PAIRED reorders pixels so that, for each pair of neighbouring pixels, the two values of each channel
// are next to each other. For example, r0 g0 b0 r1 g1 b1 becomes r0 r1 g0 g1 b0 b1. BLUR_UNPAIRED restores
// the original order.
#define BLUR_PAIRED(C, N, I) ((I) / (2 * (C)) * 2 * (C) + (I) % 2 * (C) + (I) % (2 * (C)) / 2)
#define BLUR_UNPAIRED(C, N, I) ((I) / (2 * (C)) * 2 * (C) + (I) % (C) * 2 + (I) / (C) % 2)

#define BLUR_LANES_4(KIND, C, N, I) KIND(C, N, I), KIND(C, N, I + 1), KIND(C, N, I + 2), KIND(C, N, I + 3)
#define BLUR_LANES_8(KIND, C, N, I) BLUR_LANES_4(KIND, C, N, I), BLUR_LANES_4(KIND, C, N, I + 4)
#define BLUR_LANES_16(KIND, C, N, I) BLUR_LANES_8(KIND, C, N, I), BLUR_LANES_8(KIND, C, N, I + 8)
#define BLUR_LANES_32(KIND, C, N, I) BLUR_LANES_16(KIND, C, N, I), BLUR_LANES_16(KIND, C, N, I + 16)

#if BLUR_VECTOR_BYTES == 64
#define BLUR_SHUFFLE_16(KIND, C, A, B) __builtin_shufflevector(A, B, BLUR_LANES_32(KIND, C, 32, 0))
#define BLUR_SHUFFLE_32(KIND, C, A, B) __builtin_shufflevector(A, B, BLUR_LANES_16(KIND, C, 16, 0))
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_SHUFFLE_16(KIND, C, A, B) __builtin_shufflevector(A, B, BLUR_LANES_16(KIND, C, 16, 0))
#define BLUR_SHUFFLE_32(KIND, C, A, B) __builtin_shufflevector(A, B, BLUR_LANES_8(KIND, C, 8, 0))
#else
#define BLUR_SHUFFLE_16(KIND, C, A, B) __builtin_shufflevector(A, B, BLUR_LANES_8(KIND, C, 8, 0))
#define BLUR_SHUFFLE_32(KIND, C, A, B) __builtin_shufflevector(A, B, BLUR_LANES_4(KIND, C, 4, 0))
#endif

// Returns how many of the first `values` values of a row are in complete pairs of pixels. With three
// channels, a vector may end in the middle of a pair. For example, 16 values are two whole pairs (12 values)
// and a part of a third pair. For the values of such a part, the functions below give meaningless results.
BLUR_INLINE ptrdiff_t blur_whole_pairs(ptrdiff_t values, ptrdiff_t channels) {
  return values - values % (2 * channels);
}

// Defines the functions NAME_u16(a, b, channels) and NAME_f32(a, b, channels). They reorder the pixels in `a`
// and `b` with a shuffle. KIND is the macro that says which lane of `a` or `b` is copied to each lane of the
// result.
#define BLUR_REORDER(NAME, KIND)                                                \
  BLUR_INLINE blur_u16 NAME##_u16(blur_u16 a, blur_u16 b, ptrdiff_t channels) { \
    if (channels == 1) return BLUR_SHUFFLE_16(KIND, 1, a, b);                   \
    if (channels == 3) return BLUR_SHUFFLE_16(KIND, 3, a, b);                   \
    return BLUR_SHUFFLE_16(KIND, 4, a, b);                                      \
  }                                                                             \
  BLUR_INLINE blur_f32 NAME##_f32(blur_f32 a, blur_f32 b, ptrdiff_t channels) { \
    if (channels == 1) return BLUR_SHUFFLE_32(KIND, 1, a, b);                   \
    if (channels == 3) return BLUR_SHUFFLE_32(KIND, 3, a, b);                   \
    return BLUR_SHUFFLE_32(KIND, 4, a, b);                                      \
  }

BLUR_REORDER(blur_even, BLUR_EVEN)
BLUR_REORDER(blur_odd, BLUR_ODD)
BLUR_REORDER(blur_lower, BLUR_LOWER)
BLUR_REORDER(blur_upper, BLUR_UPPER)

// Returns the vector that begins `lanes` lanes before `here`. Its first lanes come from the end of `last`,
// the vector that precedes `here` in the row. Without the barrier, the compiler would join the shuffle with
// later shuffles, which would take more instructions.
#define BLUR_BEFORE(C, N, I) ((C) < (N) ? (N) - (C) + (I) : -1)
#define BLUR_BEFORE_CASE(SHUFFLE, C) \
  case C: result = (blur_i32)SHUFFLE(BLUR_BEFORE, C, last, here); break;
#define BLUR_BEFORE_LANES(NAME, VECTOR, SHUFFLE)                            \
  BLUR_INLINE VECTOR NAME(VECTOR last, VECTOR here, ptrdiff_t lanes) {      \
    blur_i32 result = (blur_i32)here;                                       \
    switch (lanes) {                                                        \
      BLUR_BEFORE_CASE(SHUFFLE, 1)                                          \
      BLUR_BEFORE_CASE(SHUFFLE, 2)                                          \
      BLUR_BEFORE_CASE(SHUFFLE, 3)                                          \
      BLUR_BEFORE_CASE(SHUFFLE, 4)                                          \
      BLUR_BEFORE_CASE(SHUFFLE, 6)                                          \
      BLUR_BEFORE_CASE(SHUFFLE, 8)                                          \
      BLUR_BEFORE_CASE(SHUFFLE, 9)                                          \
      BLUR_BEFORE_CASE(SHUFFLE, 12)                                         \
    }                                                                       \
    return (VECTOR)blur_optimisation_barrier(result);                       \
  }
BLUR_BEFORE_LANES(blur_before_u16, blur_u16, BLUR_SHUFFLE_16)
BLUR_BEFORE_LANES(blur_before_f32, blur_f32, BLUR_SHUFFLE_32)

// Returns the even pixels of a row. The vector `even` holds the values of the row at the indices 0, 2, 4 …,
// and the vector `odd` holds the values at the indices 1, 3, 5 …. Each value was a byte and is now stored in
// 16 bits. The function `blur_odd_pixels` returns the odd pixels of the row.
BLUR_INLINE blur_u16 blur_even_pixels(blur_u16 even, blur_u16 odd, ptrdiff_t channels) {
  if (channels == 1) return even;
  if (channels == 3) return BLUR_SHUFFLE_16(BLUR_EVEN_ZIPPED, 3, even, odd);
  blur_u64 low = (blur_u64)blur_zip_low(even, odd), high = (blur_u64)blur_zip_high(even, odd);
#if BLUR_VECTOR_BYTES == 64
  return (blur_u16)__builtin_shufflevector(low, high, 0, 8, 2, 10, 4, 12, 6, 14);
#elif BLUR_VECTOR_BYTES == 32
  return (blur_u16)__builtin_shufflevector(low, high, 0, 4, 2, 6);
#else
  return (blur_u16)__builtin_shufflevector(low, high, 0, 2);
#endif
}

BLUR_INLINE blur_u16 blur_odd_pixels(blur_u16 even, blur_u16 odd, ptrdiff_t channels) {
  if (channels == 1) return odd;
  if (channels == 3) return BLUR_SHUFFLE_16(BLUR_ODD_ZIPPED, 3, even, odd);
  blur_u64 low = (blur_u64)blur_zip_low(even, odd), high = (blur_u64)blur_zip_high(even, odd);
#if BLUR_VECTOR_BYTES == 64
  return (blur_u16)__builtin_shufflevector(low, high, 1, 9, 3, 11, 5, 13, 7, 15);
#elif BLUR_VECTOR_BYTES == 32
  return (blur_u16)__builtin_shufflevector(low, high, 1, 5, 3, 7);
#else
  return (blur_u16)__builtin_shufflevector(low, high, 1, 3);
#endif
}

// Returns the upper byte of each 16-bit lane of `even` and `odd`, alternately: even0 odd0 even1 odd1 …
BLUR_INLINE blur_u8 blur_join_bytes_(blur_u16 even, blur_u16 odd) {
  return (blur_u8)(even >> 8 | (odd & (uint16_t)0xff00));
}

// Joins even pixels and odd pixels in the order of the image. Of each 16-bit value, only the upper byte is
// returned.
BLUR_INLINE blur_u8 blur_join_bytes(blur_u16 even, blur_u16 odd, ptrdiff_t channels) {
  if (channels == 3) {
    blur_u16 first = BLUR_SHUFFLE_16(BLUR_LOWER_EVEN, 3, even, odd);
    blur_u16 second = BLUR_SHUFFLE_16(BLUR_LOWER_ODD, 3, even, odd);
    return blur_join_bytes_(first, second);
  }
  if (channels == 1) return blur_join_bytes_(even, odd);
#if defined(__SSE2__)
  blur_bits bytes = BLUR_X86(packus_epi16, (blur_bits)(even >> 8), (blur_bits)(odd >> 8));
  return (blur_u8)BLUR_X86(shuffle_epi32, bytes, 0xd8);
#else
  typedef uint8_t half __attribute__((ext_vector_type(8)));
  half e = __builtin_convertvector(even >> 8, half), o = __builtin_convertvector(odd >> 8, half);
  return __builtin_shufflevector(e, o, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
#endif
}

// Reorders pixels with three channels so that, for each pair of neighbouring pixels, the two values of each
// channel are next to each other: r0 r1 g0 g1 b0 b1. The fixed-point filter uses this order. `blur_unpaired`
// restores the original order. With one or four channels, the functions change nothing.
BLUR_INLINE blur_u16 blur_paired(blur_u16 pixels, ptrdiff_t channels) {
  return channels == 3 ? BLUR_SHUFFLE_16(BLUR_PAIRED, 3, pixels, pixels) : pixels;
}

BLUR_INLINE blur_u16 blur_unpaired(blur_u16 pairs, ptrdiff_t channels) {
  return channels == 3 ? BLUR_SHUFFLE_16(BLUR_UNPAIRED, 3, pairs, pairs) : pairs;
}

// MARK: Blocks of six vectors with three channels

// The functions below are for images with three channels. They process a block of six vectors at a time. In
// such images, two vectors end in the middle of a pair of pixels, but six vectors always hold whole pairs. So
// one block can begin where the block before ended, and every vector can be loaded and stored as a whole. If
// the first vector begins on a cache line, no vector crosses from one cache line into the next.
//
// As above, a macro KIND(C, N, I) gives the number of the lane that is copied to lane I of the result. C is
// the number of components of a pixel, and N is the number of lanes of a vector. Here the lanes of all six
// source vectors are numbered in one sequence, and so are the lanes of all vectors of the result.

// These macros describe shuffles that select the even pixels (0, 2, 4 …) or the odd pixels (1, 3, 5 …) from
// six vectors, which follow each other in memory.
#define BLUR_SIX_EVEN(C, N, I) ((I) / (C) * 2 * (C) + (I) % (C))
#define BLUR_SIX_ODD(C, N, I) (BLUR_SIX_EVEN(C, N, I) + (C))
// The next macros are for a row of values that is stored in three pairs of vectors. Each pair holds one third
// of the row: its first vector holds the values of this third at even indices (0, 2, 4 …), and its second
// vector holds the values at odd indices. An index counts values. It does not count pixels, because a pixel
// consists of several values.
// - BLUR_SIX_VALUE gives the number of the lane that holds the value at index K of the row.
// - BLUR_SIX_EVEN_ZIPPED selects all values of the even pixels (pixels 0, 2, 4 …) from such a row, and
//   BLUR_SIX_ODD_ZIPPED selects all values of the odd pixels.
#define BLUR_SIX_VALUE(N, K) ((K) / (2 * (N)) * 2 * (N) + (K) % (2 * (N)) / 2 + (K) % 2 * (N))
#define BLUR_SIX_EVEN_ZIPPED(C, N, I) BLUR_SIX_VALUE(N, BLUR_SIX_EVEN(C, N, I))
#define BLUR_SIX_ODD_ZIPPED(C, N, I) BLUR_SIX_VALUE(N, BLUR_SIX_ODD(C, N, I))
// The next macros put pixels back into the order of the image. The source consists of three pairs of vectors.
// The first vector of each pair holds even pixels (0, 2, 4 …), and the second holds odd pixels (1, 3, 5 …).
// - BLUR_SIX_PIXEL gives the lane of a value. If ODD is 0, it is the value at the index X among all values of
//   the even pixels. If ODD is 1, it is the value at this index among all values of the odd pixels. The
//   macros below use BLUR_SIX_PIXEL.
// - BLUR_SIX_JOINED gives the first half of the reordered values, and BLUR_SIX_JOINED_LATER gives the second
//   half.
// - BLUR_SIX_JOINED_EVEN gives the reordered values at the indices 0, 2, 4 …, and BLUR_SIX_JOINED_ODD gives
//   the values at the indices 1, 3, 5 ….
#define BLUR_SIX_PIXEL(N, X, ODD) ((X) / (N) * 2 * (N) + (X) % (N) + (ODD) * (N))
#define BLUR_SIX_JOINED(C, N, I) BLUR_SIX_PIXEL(N, (I) / (2 * (C)) * (C) + (I) % (C), (I) / (C) % 2)
#define BLUR_SIX_JOINED_LATER(C, N, I) BLUR_SIX_JOINED(C, N, (I) + 3 * (N))
#define BLUR_SIX_JOINED_EVEN(C, N, I) BLUR_SIX_JOINED(C, N, 2 * (I))
#define BLUR_SIX_JOINED_ODD(C, N, I) BLUR_SIX_JOINED(C, N, 2 * (I) + 1)

#define BLUR_SAME(C, N, I) (I)
#define BLUR_LANES_64(KIND, C, N, I) BLUR_LANES_32(KIND, C, N, I), BLUR_LANES_32(KIND, C, N, I + 32)
#define BLUR_LANES_128(KIND, C, N, I) BLUR_LANES_64(KIND, C, N, I), BLUR_LANES_64(KIND, C, N, I + 64)

// These macros expand to the lists of lane numbers that `__builtin_shufflevector` needs.
// - BLUR_16 and BLUR_32 are for lanes of 16 and 32 bits. The result of a reordering is longer than one
//   vector, so its lanes are numbered across several vectors. Each macro lists the lanes of one of these
//   vectors. I is the number of the first lane of this vector, such as 0 for the first vector.
// - The macros with TWICE or FOUR_TIMES list all lanes of two or four vectors in order. A shuffle with such a
//   list joins these vectors into one long vector.
#if BLUR_VECTOR_BYTES == 64
#define BLUR_16(KIND, I) BLUR_LANES_32(KIND, 3, 32, I)
#define BLUR_16_TWICE BLUR_LANES_64(BLUR_SAME, 3, 32, 0)
#define BLUR_16_FOUR_TIMES BLUR_LANES_128(BLUR_SAME, 3, 32, 0)
#define BLUR_32(KIND, I) BLUR_LANES_16(KIND, 3, 16, I)
#define BLUR_32_TWICE BLUR_LANES_32(BLUR_SAME, 3, 16, 0)
#define BLUR_32_FOUR_TIMES BLUR_LANES_64(BLUR_SAME, 3, 16, 0)
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_16(KIND, I) BLUR_LANES_16(KIND, 3, 16, I)
#define BLUR_16_TWICE BLUR_LANES_32(BLUR_SAME, 3, 16, 0)
#define BLUR_16_FOUR_TIMES BLUR_LANES_64(BLUR_SAME, 3, 16, 0)
#define BLUR_32(KIND, I) BLUR_LANES_8(KIND, 3, 8, I)
#define BLUR_32_TWICE BLUR_LANES_16(BLUR_SAME, 3, 8, 0)
#define BLUR_32_FOUR_TIMES BLUR_LANES_32(BLUR_SAME, 3, 8, 0)
#else
#define BLUR_16(KIND, I) BLUR_LANES_8(KIND, 3, 8, I)
#define BLUR_16_TWICE BLUR_LANES_16(BLUR_SAME, 3, 8, 0)
#define BLUR_16_FOUR_TIMES BLUR_LANES_32(BLUR_SAME, 3, 8, 0)
#define BLUR_32(KIND, I) BLUR_LANES_4(KIND, 3, 4, I)
#define BLUR_32_TWICE BLUR_LANES_8(BLUR_SAME, 3, 4, 0)
#define BLUR_32_FOUR_TIMES BLUR_LANES_16(BLUR_SAME, 3, 4, 0)
#endif

// BLUR_FROM_SIX joins six vectors into one very long vector, and selects from it the lanes of a single vector
// of the result. No CPU has such long vectors, but the compiler never creates them: it generates a few
// shuffles, which read only the source vectors that contain the selected lanes.
#define BLUR_FOUR(BITS, A, B, C, D)                                                \
  __builtin_shufflevector(__builtin_shufflevector(A, B, BLUR_##BITS##_TWICE),       \
                          __builtin_shufflevector(C, D, BLUR_##BITS##_TWICE),       \
                          BLUR_##BITS##_FOUR_TIMES)
#define BLUR_FROM_SIX(BITS, KIND, FIRST)                                          \
  __builtin_shufflevector(BLUR_FOUR(BITS, a, b, c, d), BLUR_FOUR(BITS, e, f, e, f), \
                          BLUR_##BITS(KIND, FIRST))

// Each of these two macros defines a function NAME(a, …, f, part) that takes lanes from six vectors and puts
// them into a new order. The reordered lanes fill several vectors. Each call returns only one of these
// vectors, and `part`, which must be a compile-time constant, is its index. The lanes fill three vectors in
// functions from BLUR_REORDER_SIX, so `part` is from 0 to 2 there. They fill six vectors in functions from
// BLUR_JOIN_SIX, so `part` is from 0 to 5 there.
#define BLUR_REORDER_SIX(NAME, VECTOR, BITS, KIND)                                              \
  BLUR_INLINE VECTOR NAME(VECTOR a, VECTOR b, VECTOR c, VECTOR d, VECTOR e, VECTOR f, ptrdiff_t part) { \
    enum { lanes = BLUR_VECTOR_BYTES * 8 / BITS };                                              \
    switch (part) {                                                                             \
    case 0: return BLUR_FROM_SIX(BITS, KIND, 0);                                                \
    case 1: return BLUR_FROM_SIX(BITS, KIND, lanes);                                            \
    default: return BLUR_FROM_SIX(BITS, KIND, 2 * lanes);                                       \
    }                                                                                           \
  }
#define BLUR_JOIN_SIX(NAME, VECTOR, BITS)                                                       \
  BLUR_REORDER_SIX(NAME##_low, VECTOR, BITS, BLUR_SIX_JOINED)                                   \
  BLUR_REORDER_SIX(NAME##_high, VECTOR, BITS, BLUR_SIX_JOINED_LATER)                            \
  BLUR_INLINE VECTOR NAME(VECTOR a, VECTOR b, VECTOR c, VECTOR d, VECTOR e, VECTOR f, ptrdiff_t part) { \
    return part < 3 ? NAME##_low(a, b, c, d, e, f, part) : NAME##_high(a, b, c, d, e, f, part - 3); \
  }

BLUR_REORDER_SIX(blur_six_even_u16, blur_u16, 16, BLUR_SIX_EVEN)
BLUR_REORDER_SIX(blur_six_even_f32, blur_f32, 32, BLUR_SIX_EVEN)
BLUR_REORDER_SIX(blur_six_odd_u16, blur_u16, 16, BLUR_SIX_ODD)
BLUR_REORDER_SIX(blur_six_odd_f32, blur_f32, 32, BLUR_SIX_ODD)
BLUR_REORDER_SIX(blur_six_even_pixels, blur_u16, 16, BLUR_SIX_EVEN_ZIPPED)
BLUR_REORDER_SIX(blur_six_odd_pixels, blur_u16, 16, BLUR_SIX_ODD_ZIPPED)
BLUR_REORDER_SIX(blur_six_even_values, blur_u16, 16, BLUR_SIX_JOINED_EVEN)
BLUR_REORDER_SIX(blur_six_odd_values, blur_u16, 16, BLUR_SIX_JOINED_ODD)
BLUR_JOIN_SIX(blur_six_joined_u16, blur_u16, 16)
BLUR_JOIN_SIX(blur_six_joined_f32, blur_f32, 32)

// Joins even and odd pixels in the order of the image. Of each 16-bit value, only the upper byte is returned.
// The six source vectors are three pairs. The first vector of a pair holds even pixels, and the second holds
// odd pixels. The bytes fill three vectors, and `part`, from 0 to 2, is the number of the vector to return.
BLUR_INLINE blur_u8 blur_six_bytes(
    blur_u16 a, blur_u16 b, blur_u16 c, blur_u16 d, blur_u16 e, blur_u16 f, ptrdiff_t part) {
#if BLUR_VECTOR_BYTES == 32
  // AVX2 can shuffle bytes, but it cannot shuffle 16-bit words across the two halves of a vector. Therefore
  // the code first makes vectors of bytes, in which the bytes of even and odd pixels alternate, and then
  // shuffles these bytes into the right order.
  blur_u8 x = blur_join_bytes_(a, b), y = blur_join_bytes_(c, d), z = blur_join_bytes_(e, f);
#define BLUR_SIX_BYTE(C, N, I) ((I) / (2 * (C)) * 2 * (C) + (I) % (C) * 2 + (I) / (C) % 2)
#define BLUR_TWO(A, B) __builtin_shufflevector(A, B, BLUR_LANES_64(BLUR_SAME, 3, 32, 0))
#define BLUR_PART(FIRST) \
  __builtin_shufflevector(BLUR_TWO(x, y), BLUR_TWO(z, z), BLUR_LANES_32(BLUR_SIX_BYTE, 3, 32, FIRST))
  return part == 0 ? BLUR_PART(0) : part == 1 ? BLUR_PART(32) : BLUR_PART(64);
#else
  return blur_join_bytes_(
      blur_six_even_values(a, b, c, d, e, f, part), blur_six_odd_values(a, b, c, d, e, f, part));
#endif
}

// These macros interleave the vectors A and B in units of 32 or 64 bits: first a unit of A, then a unit of B,
// and so on. Each block of 16 bytes is interleaved separately. The macros with LOW use the first 8 bytes of
// each block, and the macros with HIGH use the last 8 bytes.
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

// The pixels and weights for a value at a position between pixels. The value is a weighted mean of four
// pixels along one axis. The first two pixels give a linearly interpolated sample, the last two pixels give
// another, and the value is the mean of both samples. All weights sum to 1. If the last two weights are 0,
// there is only one sample.
typedef struct {
  ptrdiff_t index[4];
  float weight[4];
} blur_samples;

// Returns a vector that is filled with copies of one pixel, such as r g b r g b r g. The macro BLUR_REPEATED
// gives the component that is copied to lane I. For a pixel with three components, the function reads four
// floats, so a fourth float after the pixel must be readable.
#define BLUR_REPEATED(C, N, I) ((I) % (C))
BLUR_INLINE blur_f32 blur_repeated_f32(const float *pixel, ptrdiff_t channels) {
  typedef float four __attribute__((ext_vector_type(4)));
  if (channels == 1) return (blur_f32)*pixel;
  four value;
  memcpy(&value, pixel, sizeof value);
  if (channels == 3) return BLUR_SHUFFLE_32(BLUR_REPEATED, 3, value, value);
  return BLUR_SHUFFLE_32(BLUR_REPEATED, 4, value, value);
}

#endif
