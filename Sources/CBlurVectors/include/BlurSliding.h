#ifndef BLUR_SLIDING_H
#define BLUR_SLIDING_H

// Sums of cosines over windows that slide along rows or columns by one sample at a time. Several rows or
// columns, called lines, are processed side by side, and each vector holds one sample from each of these
// lines. The sums for one vector of lines are called its state.
//
// If the format and the number of cosines are compile-time constants, everything is inlined, and the arrays
// of a state become registers. The loops over samples are in this header, too, because Swift cannot import
// structures that contain vectors.
//
// Let f(x) be sample number x of a line. For a window of 2R + 1 samples and the angles θ = 2πk / (2R + 1),
// cos θR = cos θ(R + 1). Therefore the sums
//
//     level_k(x)  = Σ cos θn / cos θR · f(x + n)
//     change_k(x) = Σ (cos θn − cos θ(n + 1)) / cos θR · f(x + n)
//
// can be updated from sample x to sample x + 1 as follows:
//
//     e               = f(x + R + 1) − f(x − R)
//     change_k(x + 1) = change_k(x) − (2 − 2 cos θ) level_k(x)
//     level_k(x + 1)  = level_k(x) + e + change_k(x + 1)
//
// Each update loses no more accuracy than one usual rounding, however small θ is.

#include <stdbool.h>

#include "BlurReorder.h"

// Up to 4 cosines are summed in single precision, and more than 4 in double precision.
enum { blur_narrow_cosines = 4, blur_most_cosines = 7 };

// The description of a window, as the loops read it. The two tables hold floats if the window has at most
// `blur_narrow_cosines` cosines, and doubles otherwise.
typedef struct {
  // A table of the factors with which the sums change when the window slides by one sample. The comment at
  // the top of this file defines the sums level_k and change_k. The first number in the table is the weight
  // that the plain sum of all samples has in the result. Two numbers follow for each cosine of frequency θ:
  // the factor 2 cos θ − 2, by which level_k is multiplied when change_k is updated, and the weight of
  // level_k in the result.
  const void *steps;
  // A table of the factors with which samples are added to the sums over the first window. There are two
  // factors for each cosine and for each distance n between the sample and the centre of the window, from 0
  // to the radius R. For a cosine of frequency θ, they are cos θn / cos θR and sin θ sin θn / cos θR.
  const void *start;
  ptrdiff_t radius;
  ptrdiff_t cosines;
  // Whether samples may be NaN, infinite or too large to be summed.
  bool checked;
} blur_cosines;

// The largest absolute value of samples with which no sum over a window can overflow.
#define BLUR_LARGEST_SAMPLE 0x1p114f

// How far ahead of the computation each row is prefetched, as a number of components.
enum { blur_columns_ahead = 4 * blur_f32_lanes };

#define BLUR_UNROLL _Pragma("clang loop unroll(full)")

// The number of vectors whose sums are updated together. With only one vector, the CPU would spend most of
// its time waiting for the result of the previous update. Two vectors need more registers, and only the
// widest instruction set has enough of them.
enum { blur_sliders_together = BLUR_VECTOR_BYTES == 64 ? 2 : 1 };

// The input and the output for sliding the windows of two neighbouring vectors. Each vector holds one sample
// from each of several lines (rows or columns), which are processed side by side.
typedef struct {
  // The rows for the vertical pass. Each time the window slides down by one row, one row of `entering_rows`
  // enters it, and one row of `leaving_rows` leaves it. `offsets` are the indices of the components at which
  // the two vectors begin in each row.
  const void *const *entering_rows, *const *leaving_rows;
  ptrdiff_t offsets[2];
  // The number of columns in a vector, and the number of bytes of a stored component.
  ptrdiff_t columns, bytes;
  // The addresses of samples for the horizontal pass. `entering` is the first vector of samples that enters
  // the window, and `leaving` is the first vector that leaves it. Each further vector begins `pitch` values
  // after the one before.
  const float *entering, *leaving;
  ptrdiff_t pitch;
  // The windows slide by `count` samples. At each sample, the loop writes one vector of means, with the mean
  // of each line in its own lane. The first of these vectors is written to `means`, and each further one
  // `step` values after the one before. The results for the second vector of lines begin `next` values after
  // those for the first.
  ptrdiff_t count;
  float *means;
  ptrdiff_t next, step;
} blur_slide_job;

// BlurSlider.h is included here with definitions for single precision. It then defines functions whose names
// begin with `blur_narrow_`. A vector of floats has one lane for each line (row or column), so one call of
// such a function processes all lines of a vector.
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
// of floats, so each call of such a function processes only half of the lines.
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

// Returns the number of bytes that are needed to save the running sums of several lines. The lines are rows
// or columns that are processed side by side, one in each lane of a vector.
BLUR_INLINE ptrdiff_t blur_slider_bytes(ptrdiff_t cosines) {
  return (2 + 2 * cosines) * BLUR_VECTOR_BYTES * (cosines > blur_narrow_cosines ? 2 : 1);
}

// Computes and saves the sums over the first window for `columns` neighbouring columns, beginning with
// component number `offset` of each row. `rows` are the addresses of the rows in this window, and `bytes` is
// the size of a component.
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

// Computes the sums over the first window for the horizontal pass, and saves them. Several rows are processed
// side by side, and each vector holds one sample from each of them. `centre` is the vector at the centre of
// the window. The vector for the next sample begins `pitch` values later.
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

// Slides the windows of several lines (rows or columns) by `job->count` samples, and stores the weighted mean
// over each window. The lines fill two vectors, with one line in each lane. The running sums are read from
// `states`, and are saved there again at the end. Returns whether all sums are finite. If `checked` is true,
// this is always the case, because NaN, infinite and very large samples are then left out of the sums.
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
// BLUR_QUARTERS(A, B, SECOND) takes two quarters of the vector A, followed by the same two quarters of B. A
// quarter is a block of 16 bytes. If SECOND is 0, the two are quarters 0 and 2. If SECOND is 4, they are
// quarters 1 and 3.
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

// Transposes a square of as many vectors as a vector has lanes. The source vectors begin `from_pitch` values
// apart, and the results begin `to_pitch` values apart. First, squares of 4 × 4 values are transposed within
// blocks of 16 bytes (the quarters of a 64-byte vector), which is cheap. Then whole blocks are exchanged.
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
    // The vectors in `r` consist of blocks of 16 bytes. The blocks at even positions of each vector go to the
    // first half of `mixed`, and the blocks at odd positions go to the second half.
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
