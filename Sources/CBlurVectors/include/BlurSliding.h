#ifndef BLUR_SLIDING_H
#define BLUR_SLIDING_H

// Sums of cosines over a window that slides by one sample, for a vector of lines side by side. With constant
// arguments everything inlines, and the arrays of a state become registers. Swift imports no structures of
// vectors, so that the loops over samples are here too.
//
// For a window of 2R + 1 samples and the angles θ = 2πk / (2R + 1), cos θR = cos θ(R + 1), so that
//   level_k(x)  = Σ cos θn / cos θR · f(x + n)
//   change_k(x) = Σ (cos θn − cos θ(n + 1)) / cos θR · f(x + n)
// move on, with e = f(x + R + 1) − f(x − R), by
//   change_k(x + 1) = change_k(x) − (2 − 2 cos θ) level_k(x)
//   level_k(x + 1)  = level_k(x) + e + change_k(x + 1)
// which loses no more than the usual rounding in each step, however small θ is.

#include <stdbool.h>

#include "BlurVectors.h"

// Up to this many cosines are summed in single precision, more in double.
enum { blur_narrow_cosines = 4, blur_most_cosines = 7 };

typedef double blur_f64 __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));

// What the loops need to know of a window. Numbers are float for few cosines and double for many.
typedef struct {
  // The weight of the plain sum, then for each cosine 2 cos θ − 2 and the weight of its level.
  const void *steps;
  // For each distance from 0 to the radius, and each cosine: cos θn / cos θR and sin θ sin θn / cos θR.
  const void *start;
  ptrdiff_t radius;
  ptrdiff_t cosines;
  // Whether samples may be NaN, infinite or huge.
  bool checked;
} blur_cosines;

// One state, in registers; which half is used depends on the number of cosines.
typedef struct {
  blur_f32 sum, level[blur_narrow_cosines], change[blur_narrow_cosines];
  blur_f64 wide_sum, wide_level[blur_most_cosines], wide_change[blur_most_cosines];
  // How many samples in the window are no usable numbers.
  blur_f32 spoiled;
} blur_slider;

// The largest magnitude that can be summed over any window.
#define BLUR_LARGEST_SAMPLE 0x1p114f

// Zero in place of what is no usable number; counts it, times `sign`.
BLUR_INLINE blur_f32 blur_usable(blur_f32 value, blur_f32 *count, float sign) {
  blur_i32 bad = ~(__builtin_elementwise_abs(value) <= BLUR_LARGEST_SAMPLE);
  *count += bad ? (blur_f32)sign : (blur_f32)0.0f;
  return bad ? (blur_f32)0.0f : value;
}

#define BLUR_UNROLL _Pragma("clang loop unroll(full)")

// Everything here is inlined, so that no calling convention is at stake.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

#define BLUR_SLIDER(SCALAR, VECTOR, PREFIX)                                                      \
  BLUR_INLINE VECTOR blur_##PREFIX##fused(VECTOR a, SCALAR weight, VECTOR sum) {                 \
    BLUR_FUSED(VECTOR)                                                                           \
  }                                                                                              \
  BLUR_INLINE void blur_##PREFIX##gather(                                                        \
      blur_slider *s, VECTOR both, VECTOR difference, const SCALAR *start, ptrdiff_t cosines) {  \
    s->PREFIX##sum += both;                                                                      \
    BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {                                        \
      s->PREFIX##level[k] = blur_##PREFIX##fused(both, start[2 * k], s->PREFIX##level[k]);       \
      s->PREFIX##change[k] =                                                                     \
          blur_##PREFIX##fused(difference, start[2 * k + 1], s->PREFIX##change[k]);              \
    }                                                                                            \
  }                                                                                              \
  BLUR_INLINE void blur_##PREFIX##settle(                                                        \
      blur_slider *s, const SCALAR *steps, ptrdiff_t cosines) {                                  \
    BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {                                        \
      s->PREFIX##change[k] = blur_##PREFIX##fused(                                               \
          s->PREFIX##level[k], (SCALAR)-0.5 * steps[1 + 2 * k], s->PREFIX##change[k]);           \
    }                                                                                            \
  }                                                                                              \
  BLUR_INLINE void blur_##PREFIX##advance(                                                       \
      blur_slider *s, VECTOR entering, VECTOR leaving, const SCALAR *steps, ptrdiff_t cosines) { \
    VECTOR e = entering - leaving;                                                               \
    s->PREFIX##sum += e;                                                                         \
    BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {                                        \
      s->PREFIX##change[k] =                                                                     \
          blur_##PREFIX##fused(s->PREFIX##level[k], steps[1 + 2 * k], s->PREFIX##change[k]);     \
      s->PREFIX##level[k] = (s->PREFIX##level[k] + e) + s->PREFIX##change[k];                    \
    }                                                                                            \
  }                                                                                              \
  BLUR_INLINE VECTOR blur_##PREFIX##weighted(                                                    \
      const blur_slider *s, const SCALAR *steps, ptrdiff_t cosines) {                            \
    VECTOR value = s->PREFIX##sum * steps[0];                                                    \
    BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {                                        \
      value = blur_##PREFIX##fused(s->PREFIX##level[k], steps[2 + 2 * k], value);                \
    }                                                                                            \
    return value;                                                                                \
  }                                                                                              \
  BLUR_INLINE void blur_##PREFIX##restore(                                                       \
      blur_slider *s, const VECTOR *memory, ptrdiff_t cosines) {                                 \
    s->PREFIX##sum = memory[0];                                                                  \
    BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {                                        \
      s->PREFIX##level[k] = memory[1 + 2 * k];                                                   \
      s->PREFIX##change[k] = memory[2 + 2 * k];                                                  \
    }                                                                                            \
  }                                                                                              \
  BLUR_INLINE void blur_##PREFIX##save(                                                          \
      const blur_slider *s, VECTOR *memory, ptrdiff_t cosines) {                                 \
    memory[0] = s->PREFIX##sum;                                                                  \
    BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {                                        \
      memory[1 + 2 * k] = s->PREFIX##level[k];                                                   \
      memory[2 + 2 * k] = s->PREFIX##change[k];                                                  \
    }                                                                                            \
  }

#if defined(__FMA__)
#define BLUR_FUSED(VECTOR) return __builtin_elementwise_fma(a, (VECTOR)weight, sum);
#else
#define BLUR_FUSED(VECTOR) return sum + a * weight;
#endif

BLUR_SLIDER(float, blur_f32, )
BLUR_SLIDER(double, blur_f64, wide_)

#define BLUR_WIDE(VALUE) __builtin_convertvector(VALUE, blur_f64)

// Adds the samples at a distance from the window's centre; `start` is that of the distance.
BLUR_INLINE void blur_slider_gather(
    blur_slider *s, blur_f32 left, blur_f32 right, bool centre, const void *start, ptrdiff_t cosines,
    bool checked) {
  if (checked) {
    left = blur_usable(left, &s->spoiled, 1);
    right = blur_usable(right, &s->spoiled, centre ? 0 : 1);
  }
  if (cosines > blur_narrow_cosines) {
    blur_f64 a = BLUR_WIDE(left), b = BLUR_WIDE(right);
    blur_wide_gather(s, centre ? a : a + b, b - a, (const double *)start, cosines);
  } else {
    blur_gather(s, centre ? left : left + right, right - left, (const float *)start, cosines);
  }
}

// After the last sample of the first window.
BLUR_INLINE void blur_slider_settle(blur_slider *s, const void *steps, ptrdiff_t cosines) {
  if (cosines > blur_narrow_cosines) {
    blur_wide_settle(s, (const double *)steps, cosines);
  } else {
    blur_settle(s, (const float *)steps, cosines);
  }
}

// Moves the window on by one sample.
BLUR_INLINE void blur_slider_advance(
    blur_slider *s, blur_f32 entering, blur_f32 leaving, const void *steps, ptrdiff_t cosines,
    bool checked) {
  if (checked) {
    entering = blur_usable(entering, &s->spoiled, 1);
    leaving = blur_usable(leaving, &s->spoiled, -1);
  }
  if (cosines > blur_narrow_cosines) {
    blur_wide_advance(s, BLUR_WIDE(entering), BLUR_WIDE(leaving), (const double *)steps, cosines);
  } else {
    blur_advance(s, entering, leaving, (const float *)steps, cosines);
  }
}

// The weighted mean of the window; NaN where a sample in it is no usable number.
BLUR_INLINE blur_f32 blur_slider_mean(
    const blur_slider *s, const void *steps, ptrdiff_t cosines, bool checked) {
  blur_f32 value = cosines > blur_narrow_cosines
      ? __builtin_convertvector(blur_wide_weighted(s, (const double *)steps, cosines), blur_f32)
      : blur_weighted(s, (const float *)steps, cosines);
  return checked ? (s->spoiled > 0.0f ? (blur_f32)__builtin_nanf("") : value) : value;
}

// NaN in the lanes whose sum is not finite, 0 in the others.
BLUR_INLINE blur_f32 blur_slider_poison(const blur_slider *s, ptrdiff_t cosines) {
  return cosines > blur_narrow_cosines ? __builtin_convertvector(s->wide_sum * 0.0, blur_f32)
                                       : s->sum * 0.0f;
}

BLUR_INLINE bool blur_is_zero(blur_f32 value) {
  for (int i = 0; i < blur_f32_lanes; i++) {
    if (!(value[i] == 0)) return false;
  }
  return true;
}

#pragma clang diagnostic pop

BLUR_INLINE ptrdiff_t blur_scalar_bytes(ptrdiff_t cosines) {
  return cosines > blur_narrow_cosines ? sizeof(double) : sizeof(float);
}

// Bytes of a saved state: the counts of what is spoiled, then the sums.
BLUR_INLINE ptrdiff_t blur_slider_bytes(ptrdiff_t cosines) {
  return BLUR_VECTOR_BYTES + (1 + 2 * cosines) * blur_f32_lanes * blur_scalar_bytes(cosines);
}

// `memory` is aligned to a vector.
BLUR_INLINE void blur_slider_restore(
    blur_slider *s, const void *memory, ptrdiff_t cosines, bool checked) {
  const char *sums = (const char *)memory + BLUR_VECTOR_BYTES;
  if (checked) s->spoiled = *(const blur_f32 *)memory;
  if (cosines > blur_narrow_cosines) {
    blur_wide_restore(s, (const blur_f64 *)sums, cosines);
  } else {
    blur_restore(s, (const blur_f32 *)sums, cosines);
  }
}

BLUR_INLINE void blur_slider_save(
    const blur_slider *s, void *memory, ptrdiff_t cosines, bool checked) {
  char *sums = (char *)memory + BLUR_VECTOR_BYTES;
  if (checked) *(blur_f32 *)memory = s->spoiled;
  if (cosines > blur_narrow_cosines) {
    blur_wide_save(s, (blur_f64 *)sums, cosines);
  } else {
    blur_save(s, (blur_f32 *)sums, cosines);
  }
}

// MARK: Loops over samples

// Two neighbouring vectors of lines slide together where registers allow: each alone would wait for its own
// results most of the time.
enum { blur_sliders_together = 2 };

BLUR_INLINE blur_f32 blur_load(const void *row, ptrdiff_t offset, ptrdiff_t bytes, ptrdiff_t count) {
  const char *address = (const char *)row + offset * bytes;
  return bytes == 1   ? blur_f32_from_u8(address, count)
         : bytes == 2 ? blur_f32_from_u16(address, count)
                      : blur_f32_from_f32(address, count);
}

// Computes and saves a first state; SAMPLE gives the sample at `distance` from the centre.
#define BLUR_BEGIN(SAMPLE)                                                                       \
  blur_slider s = {0};                                                                           \
  const char *start = (const char *)window->start;                                               \
  const ptrdiff_t entry = 2 * cosines * blur_scalar_bytes(cosines);                              \
  {                                                                                              \
    const ptrdiff_t distance = 0;                                                                \
    blur_slider_gather(&s, SAMPLE, SAMPLE, true, start, cosines, checked);                       \
  }                                                                                              \
  for (ptrdiff_t i = 1; i <= window->radius; i++) {                                              \
    ptrdiff_t distance = -i;                                                                     \
    blur_f32 left = SAMPLE;                                                                      \
    distance = i;                                                                                \
    blur_f32 right = SAMPLE;                                                                     \
    blur_slider_gather(&s, left, right, false, start + i * entry, cosines, checked);             \
  }                                                                                              \
  blur_slider_settle(&s, window->steps, cosines);                                                \
  blur_slider_save(&s, state, cosines, checked);

// Moves two saved states on by `count` samples; slider j writes their means from `means + j * next` on, at a
// distance of `step` values.
#define BLUR_SLIDE(ENTERING, LEAVING)                                                            \
  const ptrdiff_t together = cosines > blur_narrow_cosines ? 1 : blur_sliders_together;          \
  const ptrdiff_t size = blur_slider_bytes(cosines);                                             \
  double steps[1 + 2 * blur_most_cosines];                                                       \
  memcpy(steps, window->steps, (size_t)((1 + 2 * cosines) * blur_scalar_bytes(cosines)));        \
  blur_f32 poison = 0.0f;                                                                        \
  for (ptrdiff_t first = 0; first < blur_sliders_together; first += together) {                  \
    blur_slider s[blur_sliders_together] = {0};                                                  \
    BLUR_UNROLL for (ptrdiff_t j = 0; j < together; j++) {                                       \
      blur_slider_restore(&s[j], (char *)states + (first + j) * size, cosines, checked);         \
    }                                                                                            \
    for (ptrdiff_t i = 0; i < count; i++) {                                                      \
      BLUR_UNROLL for (ptrdiff_t j = 0; j < together; j++) {                                     \
        const ptrdiff_t slider = first + j;                                                      \
        blur_store_f32(                                                                          \
            means + slider * next + i * step, blur_slider_mean(&s[j], steps, cosines, checked)); \
        blur_slider_advance(&s[j], ENTERING, LEAVING, steps, cosines, checked);                  \
      }                                                                                          \
    }                                                                                            \
    BLUR_UNROLL for (ptrdiff_t j = 0; j < together; j++) {                                       \
      if (!checked) poison += blur_slider_poison(&s[j], cosines);                                \
      blur_slider_save(&s[j], (char *)states + (first + j) * size, cosines, checked);            \
    }                                                                                            \
  }                                                                                              \
  return poison;

// The columns of `lanes` components at `offset`; `rows` are those of the first window.
BLUR_INLINE void blur_begin_down(
    const void *const *rows, ptrdiff_t offset, ptrdiff_t lanes, ptrdiff_t bytes,
    const blur_cosines *window, ptrdiff_t cosines, bool checked, void *state) {
  BLUR_BEGIN(blur_load(rows[window->radius + distance], offset, bytes, lanes))
}

// The lines whose vectors are `pitch` values apart; `centre` is the first window's.
BLUR_INLINE void blur_begin_across(
    const float *centre, ptrdiff_t pitch, const blur_cosines *window, ptrdiff_t cosines, bool checked,
    void *state) {
  BLUR_BEGIN(blur_load(centre, distance * pitch, 4, blur_f32_lanes))
}

// Both return NaN in lanes whose sums are no longer finite, unless samples are checked.

// The columns of `lanes` components at two offsets.
BLUR_INLINE blur_f32 blur_slide_down(
    const void *const *entering, const void *const *leaving, ptrdiff_t offset, ptrdiff_t next_offset,
    ptrdiff_t lanes, ptrdiff_t bytes, const blur_cosines *window, ptrdiff_t cosines, bool checked,
    void *states, ptrdiff_t count, float *means, ptrdiff_t next, ptrdiff_t step) {
  const ptrdiff_t offsets[blur_sliders_together] = {offset, next_offset};
  BLUR_SLIDE(
      blur_load(entering[i], offsets[slider], bytes, lanes),
      blur_load(leaving[i], offsets[slider], bytes, lanes))
}

// The lines whose vectors are `pitch` values apart, and those next to them.
BLUR_INLINE blur_f32 blur_slide_across(
    const float *entering, const float *leaving, ptrdiff_t pitch, const blur_cosines *window,
    ptrdiff_t cosines, bool checked, void *states, ptrdiff_t count, float *means, ptrdiff_t step) {
  const ptrdiff_t next = blur_f32_lanes;
  BLUR_SLIDE(
      blur_load(entering, i * pitch + slider * next, 4, blur_f32_lanes),
      blur_load(leaving, i * pitch + slider * next, 4, blur_f32_lanes))
}

// MARK: Rows to columns

#if BLUR_VECTOR_BYTES == 64
#define BLUR_LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define BLUR_UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif BLUR_VECTOR_BYTES == 32
#define BLUR_LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define BLUR_UPPER 4, 12, 5, 13, 6, 14, 7, 15
#else
#define BLUR_LOWER 0, 4, 1, 5
#define BLUR_UPPER 2, 6, 3, 7
#endif

// Transposes as many vectors as a vector has lanes, each `pitch` values after the one before: perfect
// shuffles, one for each power of two.
BLUR_INLINE void blur_transpose(
    const float *from, ptrdiff_t from_pitch, float *to, ptrdiff_t to_pitch) {
  enum { lanes = blur_f32_lanes };
  blur_f32 rows[lanes], mixed[lanes];
  BLUR_UNROLL for (int i = 0; i < lanes; i++) rows[i] = blur_f32_from_f32(from + i * from_pitch, lanes);
  BLUR_UNROLL for (int width = 1; width < lanes; width *= 2) {
    BLUR_UNROLL for (int i = 0; i < lanes / 2; i++) {
      mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + lanes / 2], BLUR_LOWER);
      mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + lanes / 2], BLUR_UPPER);
    }
    BLUR_UNROLL for (int i = 0; i < lanes; i++) rows[i] = mixed[i];
  }
  BLUR_UNROLL for (int i = 0; i < lanes; i++) blur_store_f32(to + i * to_pitch, rows[i]);
}

#endif
