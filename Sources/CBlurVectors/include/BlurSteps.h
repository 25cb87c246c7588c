#ifndef BLUR_STEPS_H
#define BLUR_STEPS_H

// Functions for the triple box, which applies three box filters one after the other. It filters several rows
// side by side. For this purpose, the functions convert the rows of an image to steps, and steps to rows. A
// step is a group of 16 values of 32 bits. It holds one value from each of 16 rows in the same column, or one
// pixel of four channels from each of four rows. BlurSums.h explains steps in detail.

#include "BlurSums.h"

#pragma clang assume_nonnull begin

// MARK: Groups of four values (quads)

typedef int32_t blur_quad_ __attribute__((ext_vector_type(4)));

// Stores each quad of a vector in a step of its own. A quad is four neighbouring values of 32 bits, and a
// step is 64 bytes of memory. The first quad is stored at `address`, and each further quad `distance` steps
// after the one before. `blur_gather_quads` loads the quads from these addresses again.
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

// Transposes blocks of 4 × 4 values. The four vectors are the rows of these blocks: the first four values of
// each vector form one block, the next four values form the next block, and so on.
BLUR_INLINE void blur_transpose_quads(blur_i32 *a, blur_i32 *b, blur_i32 *c, blur_i32 *d) {
  blur_i32 ab = BLUR_ZIP_LOW_32(*a, *b), cd = BLUR_ZIP_LOW_32(*c, *d);
  blur_i32 ab2 = BLUR_ZIP_HIGH_32(*a, *b), cd2 = BLUR_ZIP_HIGH_32(*c, *d);
  *a = BLUR_ZIP_LOW_64(ab, cd);
  *b = BLUR_ZIP_HIGH_64(ab, cd);
  *c = BLUR_ZIP_LOW_64(ab2, cd2);
  *d = BLUR_ZIP_HIGH_64(ab2, cd2);
}

// Stores the values of four rows column by column. Each of the four vectors holds values of one row, and all
// vectors hold the same columns. The values are first transposed, so that the four values of each column are
// next to each other. These four values are called a quad. The quads of neighbouring columns are stored 64
// bytes apart, because each column has a step of its own, which is a group of 64 bytes. `blur_gather_columns`
// loads the four vectors again.
//
// After the transposition, each vector holds every fourth column. For example, the first vector holds the
// quads of the columns 0, 4, 8 and so on.
BLUR_INLINE void blur_scatter_columns(void *address, blur_i32 a, blur_i32 b, blur_i32 c, blur_i32 d) {
  blur_transpose_quads(&a, &b, &c, &d);
  blur_scatter_quads(address, 4, blur_optimisation_barrier(a));
  blur_scatter_quads((char *)address + blur_step_bytes, 4, blur_optimisation_barrier(b));
  blur_scatter_quads((char *)address + 2 * blur_step_bytes, 4, blur_optimisation_barrier(c));
  blur_scatter_quads((char *)address + 3 * blur_step_bytes, 4, blur_optimisation_barrier(d));
}
BLUR_INLINE void blur_gather_columns(const void *address, void *four_rows) {
  blur_i32 a = blur_gather_quads(address, 4);
  blur_i32 b = blur_gather_quads((const char *)address + blur_step_bytes, 4);
  blur_i32 c = blur_gather_quads((const char *)address + 2 * blur_step_bytes, 4);
  blur_i32 d = blur_gather_quads((const char *)address + 3 * blur_step_bytes, 4);
  blur_transpose_quads(&a, &b, &c, &d);
  const blur_i32 rows[4] = {a, b, c, d};
  memcpy(four_rows, rows, sizeof rows);
}

// Stores the pixels of four rows column by column. Each of the four vectors holds pixels of one row, and all
// vectors hold the same columns. A pixel has four channels of 32 bits, which take 16 bytes. The four pixels
// of a column, one from each row, are stored next to each other. Together, they take 64 bytes and are called
// a step. The steps of neighbouring columns follow each other in memory.
BLUR_INLINE void blur_scatter_pixels(void *address, blur_i32 a, blur_i32 b, blur_i32 c, blur_i32 d) {
  blur_scatter_quads(address, 1, a);
  blur_scatter_quads((char *)address + blur_quad_bytes, 1, b);
  blur_scatter_quads((char *)address + 2 * blur_quad_bytes, 1, c);
  blur_scatter_quads((char *)address + 3 * blur_quad_bytes, 1, d);
}

// MARK: Writing groups of 16 bytes to rows

typedef uint8_t blur_16_bytes_ __attribute__((ext_vector_type(16)));
typedef uint32_t blur_4_words_ __attribute__((ext_vector_type(4)));

BLUR_INLINE void blur_write_16_(
    const blur_16_bytes_ *values, void *_Nonnull const *_Nonnull targets, ptrdiff_t rows, ptrdiff_t offset,
    ptrdiff_t count) {
  size_t bytes = count < 16 ? (size_t)count : 16;
  for (ptrdiff_t row = 0; row < rows; row++) memcpy((char *)targets[row] + offset, &values[row], bytes);
}

// Transposes 16 columns of bytes, and writes them to up to 16 rows. Each group of 16 bytes in `steps` is one
// column, with one byte for each row. Only the first `count` columns are written. In each row, they are
// written from byte number `offset` on.
BLUR_INLINE void blur_write_columns(
    const void *steps, void *_Nonnull const *_Nonnull targets, ptrdiff_t rows, ptrdiff_t offset,
    ptrdiff_t count) {
  blur_16_bytes_ v[16], w[16];
  memcpy(v, steps, sizeof v);
  // Transposes 16 × 16 bytes in four rounds. In each round, the vectors of the first half of the array are
  // interleaved with the vectors of the second half.
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

// Writes four neighbouring columns of pixels to up to four rows. A pixel has four bytes. `steps` holds one
// group of 16 bytes for each column, which consists of one pixel for each row. In each row, only the first
// `count` bytes are written, from byte number `offset` on.
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
