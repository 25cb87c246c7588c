#ifndef BLUR_GROUPS_H
#define BLUR_GROUPS_H

// Functions with which the kernel `pyramid` makes 8-bit images two or four times smaller, and enlarges them
// again. Two or four neighbouring pixels of a row are called a group. A group becomes one pixel of the
// smaller image. The argument `ratio`, 2 or 4, is the number of pixels in a group. Images with three channels
// are processed as if they had four: each pixel gets a fourth component, whose value does not matter, and
// which is left out of the result.

#include "BlurReorder.h"

// The following macros shuffle the lanes of vectors. BlurReorder.h explains their argument KIND, which
// describes the new order of the lanes.
#if BLUR_VECTOR_BYTES == 64
#define BLUR_SHUFFLE_8(KIND, C, A) __builtin_shufflevector(A, A, BLUR_LANES_64(KIND, C, 64, 0))
#define BLUR_SHUFFLE_64(A, B, PART) \
  (PART == 0 ? __builtin_shufflevector(A, B, 0, 1, 8, 9, 2, 3, 10, 11) \
             : __builtin_shufflevector(A, B, 4, 5, 12, 13, 6, 7, 14, 15))
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_SHUFFLE_8(KIND, C, A) __builtin_shufflevector(A, A, BLUR_LANES_32(KIND, C, 32, 0))
#define BLUR_SHUFFLE_64(A, B, PART) \
  (PART == 0 ? __builtin_shufflevector(A, B, 0, 1, 4, 5) : __builtin_shufflevector(A, B, 2, 3, 6, 7))
#else
#define BLUR_SHUFFLE_8(KIND, C, A) __builtin_shufflevector(A, A, BLUR_LANES_16(KIND, C, 16, 0))
#define BLUR_SHUFFLE_64(A, B, PART) (PART == 0 ? A : B)
#endif

typedef uint32_t blur_u32 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));

// Returns whether images are made four times smaller in one step. This pays off only with vectors of more
// than 16 bytes, so the code for it is left out otherwise.
BLUR_INLINE bool blur_quarters(void) { return BLUR_VECTOR_BYTES > 16; }

// MARK: Downsampling

// BLUR_GROUPED reorders the bytes of each group of R pixels with four channels, so that the R values of each
// channel are next to each other. BLUR_GROUPED_3 does the same for pixels with three channels. There, each
// block of 16 bytes holds four pixels, followed by four unused bytes.
#define BLUR_GROUPED(R, N, I) ((I) / (4 * (R)) * 4 * (R) + (I) % (R) * 4 + (I) % (4 * (R)) / (R))
#define BLUR_GROUPED_3(R, N, I)                                                                  \
  ((I) % (4 * (R)) / (R) < 3                                                                     \
       ? (I) / 16 * 16 + (I) % 16 / (4 * (R)) * 3 * (R) + (I) % (R) * 3 + (I) % (4 * (R)) / (R) \
       : -1)

// BLUR_SPREAD inserts an unused lane after every three lanes.
#define BLUR_SPREAD(C, N, I) ((I) % 4 < 3 ? (I) / 4 * 3 + (I) % 4 : -1)

// Reorders the bytes of a row so that, in each group of `ratio` pixels, the values of each channel are next
// to each other. With three channels, only the first three quarters of the vector are used.
BLUR_INLINE blur_u8 blur_grouped(blur_u8 bytes, ptrdiff_t channels, ptrdiff_t ratio) {
  if (channels == 1) return bytes;
#if defined(__SSE2__) && !defined(__SSSE3__)
  // The baseline instruction set cannot shuffle bytes. Instead, the second and the third pixel change places,
  // and the two halves of the vector are interleaved. For groups of two pixels, this gives the same order.
  if (channels == 3) {
    blur_u32 mask = {0xffffff, 0, 0, 0};
    blur_bits pixels = (blur_bits)bytes, spread = pixels & (blur_bits)mask;
    spread |= _mm_slli_si128(pixels, 1) & _mm_slli_si128((blur_bits)mask, 4);
    spread |= _mm_slli_si128(pixels, 2) & _mm_slli_si128((blur_bits)mask, 8);
    bytes = (blur_u8)(spread | (_mm_slli_si128(pixels, 3) & _mm_slli_si128((blur_bits)mask, 12)));
  }
  bytes = (blur_u8)_mm_shuffle_epi32((blur_bits)bytes, 0xd8);
  blur_i32 upper = blur_optimisation_barrier((blur_i32)_mm_srli_si128((blur_bits)bytes, 8));
  return (blur_u8)_mm_unpacklo_epi8((blur_bits)bytes, (blur_bits)upper);
#else
  if (channels == 4)
    return ratio == 2 ? BLUR_SHUFFLE_8(BLUR_GROUPED, 2, bytes) : BLUR_SHUFFLE_8(BLUR_GROUPED, 4, bytes);
  blur_u32 words = (blur_u32)bytes;
  blur_u8 spread = (blur_u8)BLUR_SHUFFLE_32(BLUR_SPREAD, 3, words, words);
  return ratio == 2 ? BLUR_SHUFFLE_8(BLUR_GROUPED_3, 2, spread) : BLUR_SHUFFLE_8(BLUR_GROUPED_3, 4, spread);
#endif
}

// Returns the groups that lie `distance` (1 or 2) groups before the groups in `here`. `last` is the vector of
// groups that precedes `here`. Both `last` and `here` are results of `blur_grouped`. The result is meaningful
// only if `blur_shifts()` is true.
BLUR_INLINE blur_u8 blur_groups_before(
    blur_u8 last, blur_u8 here, ptrdiff_t channels, ptrdiff_t ratio, ptrdiff_t distance) {
#if BLUR_VECTOR_BYTES == 64
  if (channels == 1 && ratio == 2)
    return (blur_u8)blur_shifted_u16((blur_u16)last, (blur_u16)here, (uint16_t)(32 - distance));
  blur_u32 a = (blur_u32)last, b = (blur_u32)here;
  switch (ratio * (channels == 1 ? 1 : 4) / 4 * distance) {
  case 1: return (blur_u8)BLUR_SHUFFLE_32(BLUR_BEFORE, 1, a, b);
  case 2: return (blur_u8)BLUR_SHUFFLE_32(BLUR_BEFORE, 2, a, b);
  case 4: return (blur_u8)BLUR_SHUFFLE_32(BLUR_BEFORE, 4, a, b);
  default: return (blur_u8)BLUR_SHUFFLE_32(BLUR_BEFORE, 8, a, b);
  }
#else
  (void)last, (void)channels, (void)ratio, (void)distance;
  return here;
#endif
}

// Multiplies bytes by weights, and adds the two products of every pair of neighbouring bytes. `weights` holds
// four weights from 0 to 127, which are repeated for every four bytes. The sums must be at most 32767.
BLUR_INLINE blur_u16 blur_byte_products(blur_u8 bytes, uint32_t weights) {
  blur_u32 four = (blur_u32)weights;
#if defined(__SSSE3__)
  return (blur_u16)BLUR_X86(maddubs_epi16, (blur_bits)bytes, (blur_bits)four);
#else
  blur_u16 a = (blur_u16)bytes, b = (blur_u16)four;
  return (a & (uint16_t)0xff) * (b & (uint16_t)0xff) + (a >> 8) * (b >> 8);
#endif
}

// Adds the two values of every pair of neighbouring lanes. The sums from `a` become the even lanes of the
// result, and the sums from `b` become its odd lanes. Values must be at most 32767. The result is meaningful
// only if `blur_quarters()` is true.
BLUR_INLINE blur_u16 blur_pair_sums(blur_u16 a, blur_u16 b) {
#if BLUR_VECTOR_BYTES > 16
  blur_u16 ones = (blur_u16)(uint16_t)1;
  blur_u32 even = (blur_u32)BLUR_X86(madd_epi16, (blur_bits)a, (blur_bits)ones);
  blur_u32 odd = (blur_u32)BLUR_X86(madd_epi16, (blur_bits)b, (blur_bits)ones);
  return (blur_u16)(even | odd << 16);
#else
  (void)b;
  return a;
#endif
}

// BLUR_THREE gives the place of value X in a row that has an unused value after every three values.
#define BLUR_THREE(X) ((X) / 3 * 4 + (X) % 3)
#define BLUR_THREE_0(C, N, I) BLUR_THREE(I)

// Returns the values of groups in the order of the image. With groups of two pixels, the lanes are already in
// this order. With groups of four pixels, the lanes are in the order of `blur_pair_sums`. In this case, the
// even lanes come first in the result, followed by the odd lanes. With three channels, the fourth component
// of each pixel is left out, so that the last quarter of the result is unused.
#define BLUR_IN_ORDER(C, N, I) ((I) < (N) / 2 ? 2 * (I) : 2 * (I) - (N) + 1)
#define BLUR_IN_ORDER_3(C, N, I) \
  ((I) / 3 * 4 < (N) ? BLUR_IN_ORDER(C, N, ((I) / 3 * 4 + (I) % 3)) : -1)
BLUR_INLINE blur_u16 blur_in_order(blur_u16 sums, ptrdiff_t channels, ptrdiff_t ratio) {
  if (ratio == 2) return channels == 3 ? BLUR_SHUFFLE_16(BLUR_THREE_0, 3, sums, sums) : sums;
  if (channels == 3) return BLUR_SHUFFLE_16(BLUR_IN_ORDER_3, 3, sums, sums);
  return BLUR_SHUFFLE_16(BLUR_IN_ORDER, 1, sums, sums);
}

// MARK: Upsampling

// Loads 16-bit values. With three channels, inserts an unused value after each pixel.
BLUR_INLINE blur_u16 blur_load_spread(const void *address, ptrdiff_t channels) {
  blur_u16 values = blur_load_u16(address);
  return channels == 3 ? BLUR_SHUFFLE_16(BLUR_SPREAD, 3, values, values) : values;
}

// BLUR_AFTER describes a shuffle that takes one vector of lanes from two neighbouring vectors, beginning with
// lane C of the first vector.
#define BLUR_AFTER(C, N, I) ((C) + (I))
// Returns the pixels that lie `distance` pixels after the pixels in `here`. `next` holds the pixels that
// follow the pixels in `here`. With three channels, each pixel takes four lanes.
BLUR_INLINE blur_u16 blur_pixels_after(blur_u16 here, blur_u16 next, ptrdiff_t channels, ptrdiff_t distance) {
  if (channels == 1 && blur_shifts()) return blur_shifted_u16(here, next, (uint16_t)distance);
  if (channels == 1)
    return distance == 1 ? BLUR_SHUFFLE_16(BLUR_AFTER, 1, here, next)
                         : BLUR_SHUFFLE_16(BLUR_AFTER, 2, here, next);
  return distance == 1 ? BLUR_SHUFFLE_16(BLUR_AFTER, 4, here, next)
                       : BLUR_SHUFFLE_16(BLUR_AFTER, 8, here, next);
}

// Returns the upper bytes of `a` and of `b`. In each block of 16 bytes, the bytes of `a` come first. The
// result is meaningful only if `blur_quarters()` is true.
BLUR_INLINE blur_u8 blur_upper_bytes(blur_u16 a, blur_u16 b) {
#if BLUR_VECTOR_BYTES > 16
  return (blur_u8)BLUR_X86(packus_epi16, (blur_bits)(a >> 8), (blur_bits)(b >> 8));
#else
  (void)b;
  return (blur_u8)a;
#endif
}

// Leaves out the fourth byte of every four bytes. The bytes that remain become the first 12 bytes of each
// block of 16 bytes.
#define BLUR_COMPRESSED_BYTES(C, N, I) ((I) % 16 < 12 ? (I) / 16 * 16 + (I) % 16 / 3 * 4 + (I) % 16 % 3 : -1)
BLUR_INLINE blur_u8 blur_without_fourth(blur_u8 bytes) {
  bytes = (blur_u8)blur_optimisation_barrier((blur_i32)bytes);
  bytes = BLUR_SHUFFLE_8(BLUR_COMPRESSED_BYTES, 3, bytes);
  return (blur_u8)blur_optimisation_barrier((blur_i32)bytes);
}

// Puts the pixels of groups of two back into the order of the image. `a` holds the first pixels of all
// groups, and `b` the second pixels. Of each 16-bit value, only the upper byte is kept. With three channels,
// only the first 12 bytes of each block of 16 bytes are used.
#define BLUR_PAIRS(C, N, I) ((I) / 8 * 8 + (I) % 4 * 2 + (I) / 4 % 2)
#define BLUR_PAIRS_3(C, N, I) \
  ((I) % 16 < 12 ? (I) / 16 * 16 + (I) % 16 / 6 * 8 + (I) % 16 % 3 * 2 + (I) % 16 / 3 % 2 : -1)
BLUR_INLINE blur_u8 blur_join_pairs(blur_u16 a, blur_u16 b, ptrdiff_t channels) {
#if defined(__SSE2__) && !defined(__SSSE3__)
  // The baseline instruction set cannot shuffle bytes.
  if (channels == 4) return blur_join_bytes(a, b, 4);
#endif
  blur_u8 bytes = blur_join_bytes_(a, b);
  if (channels == 1) return bytes;
  bytes = (blur_u8)blur_optimisation_barrier((blur_i32)bytes);
  bytes = channels == 3 ? BLUR_SHUFFLE_8(BLUR_PAIRS_3, 3, bytes) : BLUR_SHUFFLE_8(BLUR_PAIRS, 4, bytes);
  return (blur_u8)blur_optimisation_barrier((blur_i32)bytes);
}

// Puts the pixels of groups of four back into the order of the image. `a` holds the first pixels of all
// groups, `b` the second pixels, and so on. Of each 16-bit value, only the upper byte is kept. The bytes fill
// two vectors, and `part`, 0 or 1, is the number of the vector to return. With three channels, only the first
// 12 bytes of each block of 16 bytes are used.
#define BLUR_FIRSTS(C, N, I) ((I) / 4 * 4 + (I) % 2 * 2 + (I) / 2 % 2 * (N))
#define BLUR_SECONDS(C, N, I) (BLUR_FIRSTS(C, N, I) + 1)
BLUR_INLINE blur_u8 blur_join_groups(
    blur_u16 a, blur_u16 b, blur_u16 c, blur_u16 d, ptrdiff_t channels, ptrdiff_t part) {
  blur_u64 low, high;
  if (channels == 1) {
    blur_u16 left = (blur_u16)blur_join_bytes_(a, b), right = (blur_u16)blur_join_bytes_(c, d);
    low = (blur_u64)blur_zip_low(left, right);
    high = (blur_u64)blur_zip_high(left, right);
  } else {
    blur_u32 left = (blur_u32)blur_upper_bytes(a, b), right = (blur_u32)blur_upper_bytes(c, d);
    low = (blur_u64)BLUR_SHUFFLE_32(BLUR_FIRSTS, 4, left, right);
    high = (blur_u64)BLUR_SHUFFLE_32(BLUR_SECONDS, 4, left, right);
  }
  blur_u8 bytes = (blur_u8)(BLUR_SHUFFLE_64(low, high, part));
  return channels == 3 ? blur_without_fourth(bytes) : bytes;
}

// Leaves out the last 4 bytes of each block of 16 bytes, so that four vectors become three. `part`, from 0 to
// 2, is the number of the vector to return. `a` and `b` are the source vectors with the numbers `part` and
// `part` + 1.
#define BLUR_THREE_1(C, N, I) (BLUR_THREE((I) + (N)) - (N))
#define BLUR_THREE_2(C, N, I) (BLUR_THREE((I) + 2 * (N)) - 2 * (N))
BLUR_INLINE blur_u8 blur_three_quarters(blur_u8 a, blur_u8 b, ptrdiff_t part) {
  blur_u32 x = (blur_u32)a, y = (blur_u32)b;
  if (part == 0) return (blur_u8)BLUR_SHUFFLE_32(BLUR_THREE_0, 3, x, y);
  if (part == 1) return (blur_u8)BLUR_SHUFFLE_32(BLUR_THREE_1, 3, x, y);
  return (blur_u8)BLUR_SHUFFLE_32(BLUR_THREE_2, 3, x, y);
}

#endif
