#ifndef BLUR_SLIDING_H
#define BLUR_SLIDING_H

// Blurring with a window that slides along a row or column, by one sample at a time. The weights of the
// window are a sum of cosines. Several rows or columns, called lines, are processed side by side: each vector
// holds one sample from each of these lines. The sums for one vector of lines are called its state.
//
// If the pixel format and the number of cosines are compile-time constants, everything is inlined, and the
// arrays of a state become registers. The loops over samples are in this header, too, because Swift cannot
// import structures that contain vectors.
//
// Let f(x) be sample number x of a line. For a window of 2R + 1 samples and the angles θ = 2πk / (2R + 1),
// cos θR = cos θ(R + 1). Therefore the sums
//
//     level_k(x)  = Σ cos θn / cos θR · f(x + n)
//     change_k(x) = Σ (cos θn − cos θ(n + 1)) / cos θR · f(x + n)
//
// over all n from −R to R can be updated from sample x to sample x + 1 as follows:
//
//     e               = f(x + R + 1) − f(x − R)
//     change_k(x + 1) = change_k(x) − (2 − 2 cos θ) level_k(x)
//     level_k(x + 1)  = level_k(x) + e + change_k(x + 1)
//
// An update loses no more accuracy than a single rounding, however small θ is.

#include <stdbool.h>

#include "BlurReorder.h"

// Two limits for the number of cosines of a window, whose weights are a sum of cosines. With up to
// `blur_narrow_cosines` cosines, the sums over the window are computed in single precision, and with more
// cosines in double precision. More than `blur_most_cosines` cosines are not supported.
enum { blur_narrow_cosines = 4, blur_most_cosines = 7 };

// The description of a window whose weights are a sum of cosines, as the loops read it. The two tables hold
// floats if the window has at most `blur_narrow_cosines` cosines, and doubles otherwise.
typedef struct {
  // A table of factors for moving the window by one sample. For each cosine of angle θ, there are sums called
  // level_k and change_k, which the comment at the top of this file defines.
  // - The first number in the table is the weight that the plain sum of all samples has in the result.
  // - Two numbers follow for each cosine: the factor (2 cos θ − 2) by which level_k is multiplied when
  //   change_k is updated, and the weight that level_k has in the result.
  const void *steps;
  // A table for computing the sums level_k and change_k over the first window. The comment at the top of this
  // file defines these sums. The table has two factors for each distance n from 0 to the radius R, and for
  // each cosine of the window. For a cosine of angle θ, they are
  //
  //     cos θn / cos θR        for level_k
  //     sin θ sin θn / cos θR  for change_k
  //
  // A sample at the distance n from the centre of the window is multiplied by these factors, and the products
  // are added to the sums. For change_k, the products of samples before the centre are subtracted instead,
  // and (1 − cos θ) · level_k is added at the end.
  const void *start;
  ptrdiff_t radius;
  ptrdiff_t cosines;
  // Whether samples may be NaN, infinite or too large to be summed.
  bool checked;
} blur_cosines;

// The limit for the absolute value of a sample. If no sample in a window exceeds this limit, the sums over
// the window cannot overflow.
#define BLUR_LARGEST_SAMPLE 0x1p114f

// The distance in a row, in components, from the component that is being processed to the component that is
// prefetched.
enum { blur_columns_ahead = 4 * blur_f32_lanes };

#define BLUR_UNROLL _Pragma("clang loop unroll(full)")

// The number of vectors of sums that are updated in turn. With only one vector, the CPU would spend most of
// its time waiting for the result of the previous update. With two vectors, it can work on the other vector
// in the meantime. But this needs more registers, and only the widest instruction set has enough of them.
enum { blur_sliders_together = BLUR_VECTOR_BYTES == 64 ? 2 : 1 };

// The input and the output of the function that moves blur windows along several lines (rows or columns) and
// computes the mean over each window. There are two vectors of lines, and each lane of a vector processes a
// different line.
typedef struct {
  // The addresses of the rows for the vertical pass. Each time the window moves down by one row, the next row
  // of `entering_rows` enters the window, and the next row of `leaving_rows` leaves it. The function
  // processes two vectors of columns. The elements of `offsets` are the indices of the first component of
  // each vector in a row.
  const void *const *entering_rows, *const *leaving_rows;
  ptrdiff_t offsets[2];
  // The samples for the horizontal pass. `entering` points to the first vector of samples that enters the
  // window, and `leaving` points to the first vector that leaves it. The vector for the next sample begins
  // `pitch` values later.
  const float *entering, *leaving;
  ptrdiff_t pitch;
  // The loop moves the windows by `count` samples. Before each move, it stores the mean over the window of
  // each line (row or column). The lines fill two vectors. The means of the first vector of lines are stored
  // at `means`, and the means of the second vector `next` values later. After each move, both places advance
  // by `step` values.
  ptrdiff_t count;
  float *means;
  ptrdiff_t next, step;
} blur_slide_job;

// BlurSlider.h is included here with definitions for single precision. It then defines functions whose names
// begin with `blur_narrow_`. These functions process several lines (rows or columns) at a time, one in each
// lane of a vector of floats.
#define BLUR_SCALAR float
#define BLUR_VECTOR blur_f32
#define BLUR_LANES (BLUR_VECTOR_BYTES / 4)
#define BLUR_COSINES blur_narrow_cosines
#define BLUR_NAME(NAME) blur_narrow_##NAME
#include "BlurSlider.h"
#undef BLUR_SCALAR
#undef BLUR_VECTOR
#undef BLUR_LANES
#undef BLUR_COSINES
#undef BLUR_NAME

// BlurSlider.h is included a second time, now with definitions for double precision. It then defines
// functions whose names begin with `blur_wide_`. A vector of doubles has only half as many lanes as a vector
// of floats, so these functions process only half as many lines (rows or columns) at a time.
#define BLUR_SCALAR double
#define BLUR_VECTOR blur_f64
#define BLUR_LANES (BLUR_VECTOR_BYTES / 8)
#define BLUR_COSINES blur_most_cosines
#define BLUR_NAME(NAME) blur_wide_##NAME
#include "BlurSlider.h"
#undef BLUR_SCALAR
#undef BLUR_VECTOR
#undef BLUR_LANES
#undef BLUR_COSINES
#undef BLUR_NAME

// Returns the number of bytes that are needed to save the sums for as many lines as a vector of floats has
// lanes. A line is a row or a column, and there are several sums for each line.
BLUR_INLINE ptrdiff_t blur_slider_bytes(ptrdiff_t cosines) {
  return (2 + 2 * cosines) * BLUR_VECTOR_BYTES * (cosines > blur_narrow_cosines ? 2 : 1);
}

// Begins the vertical pass, in which a window slides down each column. Computes the sums over the first
// window of `columns` neighbouring columns, and saves them in `state`. `rows` are the addresses of the rows
// in this window. The first column is component number `offset` of each row, and a component has `bytes`
// bytes.
BLUR_INLINE void blur_begin_down(
    const void *const *rows, ptrdiff_t offset, ptrdiff_t columns, ptrdiff_t bytes,
    const blur_cosines *window, ptrdiff_t cosines, bool checked, void *state) {
  if (cosines > blur_narrow_cosines) {
    enum { half = blur_f32_lanes / 2 };
    char *second = (char *)state + blur_slider_bytes(cosines) / 2;
    blur_wide_begin_down(rows, offset, columns, bytes, window, cosines, checked, state);
    blur_wide_begin_down(
        rows, offset + half, columns > half ? columns - half : 0, bytes, window, cosines, checked, second);
  } else {
    blur_narrow_begin_down(rows, offset, columns, bytes, window, cosines, checked, state);
  }
}

// Begins the horizontal pass, in which a window slides along each row. Computes the sums over the first
// window, and saves them in `state`. Several rows are processed side by side: each vector holds one sample
// from each of them. `centre` points to the vector at the centre of the window. The vector for the next
// sample begins `pitch` values later.
BLUR_INLINE void blur_begin_across(
    const float *centre, ptrdiff_t pitch, const blur_cosines *window, ptrdiff_t cosines, bool checked,
    void *state) {
  if (cosines > blur_narrow_cosines) {
    char *second = (char *)state + blur_slider_bytes(cosines) / 2;
    blur_wide_begin_across(centre, pitch, window, cosines, checked, state);
    blur_wide_begin_across(centre + blur_f32_lanes / 2, pitch, window, cosines, checked, second);
  } else {
    blur_narrow_begin_across(centre, pitch, window, cosines, checked, state);
  }
}

// Moves the windows of several lines (rows or columns) by `job->count` samples, and stores the weighted mean
// over each window. There are as many lines as two vectors have lanes, and each lane holds the values of a
// different line. The sums over the windows are read from `states` at the start, and saved there at the end.
//
// Returns whether all means are finite. If `checked` is true, the result is always true. NaN, infinite and
// very large samples are then left out of the sums, and the means of their windows are NaN.
BLUR_INLINE bool blur_slide(
    const blur_slide_job *job, bool down, ptrdiff_t columns, ptrdiff_t bytes, const blur_cosines *window,
    ptrdiff_t cosines, bool checked, void *states) {
  bool finite = true;
  if (cosines <= blur_narrow_cosines) {
    for (ptrdiff_t i = 0; i < 2; i += blur_sliders_together) {
      finite &= blur_narrow_slide(
          job, down, blur_sliders_together, i, 0, columns, bytes, window, cosines, checked,
          (char *)states + i * blur_slider_bytes(cosines));
    }
    return finite;
  }
  for (ptrdiff_t i = 0; i < 2; i++) {
    for (ptrdiff_t half = 0; half < 2; half++) {
      const ptrdiff_t skipped = half * blur_f32_lanes / 2;
      char *state = (char *)states + (2 * i + half) * blur_slider_bytes(cosines) / 2;
      finite &= blur_wide_slide(
          job, down, 1, i, skipped, columns > skipped ? columns - skipped : 0, bytes, window, cosines,
          checked, state);
    }
  }
  return finite;
}

// MARK: Transposition

#if BLUR_VECTOR_BYTES == 64
// Each vector here consists of four quarters of 16 bytes, with the numbers 0 to 3. BLUR_QUARTERS(A, B,
// SECOND) is a vector of two quarters of A, followed by the same two quarters of B. If SECOND is 0, these are
// the quarters 0 and 2. If SECOND is 4, they are the quarters 1 and 3.
#define BLUR_QUARTERS(A, B, SECOND)                                                              \
  __builtin_shufflevector(                                                                       \
      A, B, SECOND + 0, SECOND + 1, SECOND + 2, SECOND + 3, SECOND + 8, SECOND + 9, SECOND + 10, \
      SECOND + 11, SECOND + 16, SECOND + 17, SECOND + 18, SECOND + 19, SECOND + 24, SECOND + 25, \
      SECOND + 26, SECOND + 27)
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_QUARTERS(A, B, SECOND)                                                              \
  __builtin_shufflevector(                                                                       \
      A, B, SECOND + 0, SECOND + 1, SECOND + 2, SECOND + 3, SECOND + 8, SECOND + 9, SECOND + 10, \
      SECOND + 11)
#else
#define BLUR_QUARTERS(A, B, SECOND) A
#endif

// Transposes a square of floats, with as many rows and columns as a vector has lanes. The source rows begin
// `from_pitch` values apart, and the rows of the result begin `to_pitch` values apart. First, squares of 4 ×
// 4 values are transposed, which is cheap, because values are then moved only within blocks of 16 bytes.
// After that, whole blocks are exchanged.
BLUR_INLINE void blur_transpose(
    const float *from, ptrdiff_t from_pitch, float *to, ptrdiff_t to_pitch) {
  enum { lanes = blur_f32_lanes, squares = lanes / 4 };
  blur_f32 r[lanes];
  BLUR_UNROLL for (int i = 0; i < lanes; i += 4) {
    const float *row = from + i * from_pitch;
    blur_f32 a = blur_f32_from_f32(row, lanes), b = blur_f32_from_f32(row + from_pitch, lanes);
    blur_f32 c = blur_f32_from_f32(row + 2 * from_pitch, lanes);
    blur_f32 d = blur_f32_from_f32(row + 3 * from_pitch, lanes);
    blur_f32 ab = BLUR_ZIP_LOW_32(a, b), cd = BLUR_ZIP_LOW_32(c, d);
    blur_f32 ab2 = BLUR_ZIP_HIGH_32(a, b), cd2 = BLUR_ZIP_HIGH_32(c, d);
    r[i] = BLUR_ZIP_LOW_64(ab, cd);
    r[i + 1] = BLUR_ZIP_HIGH_64(ab, cd);
    r[i + 2] = BLUR_ZIP_LOW_64(ab2, cd2);
    r[i + 3] = BLUR_ZIP_HIGH_64(ab2, cd2);
  }
  BLUR_UNROLL for (int width = squares; width > 1; width /= 2) {
    // Each vector in `r` consists of blocks of 16 bytes, with the numbers 0, 1, 2 and so on. The blocks with
    // even numbers are moved to the first half of the array `mixed`, and the blocks with odd numbers to its
    // second half.
    blur_f32 mixed[lanes];
    BLUR_UNROLL for (int i = 0; i < lanes / 2; i++) {
      const int pair = i / 4 * 8 + i % 4;
      mixed[i] = BLUR_QUARTERS(r[pair], r[pair + 4], 0);
      mixed[i + lanes / 2] = BLUR_QUARTERS(r[pair], r[pair + 4], 4);
    }
    BLUR_UNROLL for (int i = 0; i < lanes; i++) r[i] = mixed[i];
  }
  BLUR_UNROLL for (int i = 0; i < lanes; i++) {
    blur_store_f32(to + i * to_pitch, r[i]);
  }
}

#endif
