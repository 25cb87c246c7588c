#ifndef BLUR_SLIDING_H
#define BLUR_SLIDING_H

// Sums of cosines over windows that slide by one sample, for a vector of lines side by side. If the arguments
// are constants, everything is inlined, and the arrays of a state become registers. Swift cannot import
// structures of vectors, so the loops over samples are in this header, too.
//
// For a window of 2R + 1 samples and the angles θ = 2πk / (2R + 1), cos θR = cos θ(R + 1). Therefore the sums
//
//     level_k(x)  = Σ cos θn / cos θR · f(x + n)
//     change_k(x) = Σ (cos θn − cos θ(n + 1)) / cos θR · f(x + n)
//
// move on by one sample as follows:
//
//     e               = f(x + R + 1) − f(x − R)
//     change_k(x + 1) = change_k(x) − (2 − 2 cos θ) level_k(x)
//     level_k(x + 1)  = level_k(x) + e + change_k(x + 1)
//
// Each step loses no more than the usual rounding, however small θ is.

#include <stdbool.h>

#include "BlurReorder.h"

// Up to 4 cosines are summed in single precision, and more than 4 in double precision.
enum { blur_narrow_cosines = 4, blur_most_cosines = 7 };

// The description of a window that the loops read. Its tables hold floats if the window has few cosines, and
// doubles if it has many.
typedef struct {
  // The weight of the plain sum, and then for each cosine 2 cos θ − 2 and the weight of its level.
  const void *steps;
  // For each distance n from 0 to the radius, and for each cosine: cos θn / cos θR and sin θ sin θn / cos θR.
  const void *start;
  ptrdiff_t radius;
  ptrdiff_t cosines;
  // Whether samples may be NaN, infinite or too large to be summed.
  bool checked;
} blur_cosines;

// The largest magnitude that can be summed over any window without overflow.
#define BLUR_LARGEST_SAMPLE 0x1p114f

// How many components ahead of the current ones each row is prefetched.
enum { blur_columns_ahead = 4 * blur_f32_lanes };

#define BLUR_UNROLL _Pragma("clang loop unroll(full)")

// If there are enough registers, two neighbouring vectors slide together, because a single vector would wait
// for its own results most of the time.
enum { blur_sliders_together = BLUR_VECTOR_BYTES == 64 ? 2 : 1 };

// The sources and the results of two neighbouring vectors of lines.
typedef struct {
  // In the vertical pass: the rows that enter and leave the window, and the components in these rows at which
  // the two vectors of columns begin.
  const void *const *entering_rows, *const *leaving_rows;
  ptrdiff_t offsets[2];
  // The number of columns in a vector, and the number of bytes of a stored component.
  ptrdiff_t columns, bytes;
  // In the horizontal pass: the vectors that enter and leave the window, and the number of values from one
  // vector to the next.
  const float *entering, *leaving;
  ptrdiff_t pitch;
  // The number of samples to slide by, and the address of the means. `next` is the number of values from the
  // means of the first vector to those of the second, and `step` from one mean to the next.
  ptrdiff_t count;
  float *means;
  ptrdiff_t next, step;
} blur_slide_job;

// Single precision: a state holds the sums of a whole vector of lines.
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

// Double precision: a state holds the sums of half a vector of lines.
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

// Returns the number of bytes of the saved state of a vector of lines.
BLUR_INLINE ptrdiff_t blur_slider_bytes(ptrdiff_t cosines) {
  return (2 + 2 * cosines) * BLUR_VECTOR_BYTES * (cosines > blur_narrow_cosines ? 2 : 1);
}

// Computes and saves the first state of `columns` columns, from component number `offset` on. `rows` are the
// rows of the first window.
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

// Computes and saves the first state of a vector of lines. `centre` is the centre of the first window, and
// neighbouring vectors are `pitch` values apart.
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

// Moves the saved states of two vectors of lines on, and writes the means. Returns whether the sums are
// finite. If samples are checked, it always returns true.
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
// Takes two 16-byte quarters from each of the vectors A and B: quarter number SECOND / 4, and the quarter two
// places after it.
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

// Transposes as many vectors as a vector has lanes. The vectors are `from_pitch` values apart, and the
// results `to_pitch`. First, squares of 4 × 4 values are transposed inside the quarters of the vectors, which
// is cheap. Then whole quarters are exchanged.
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
    // The even quarters of neighbouring squares go to the first half, and the odd ones to the second half.
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
