// Functions that blur with a window that slides along lines, which are rows or columns. Samples are weighted
// with cosines, and their sums are updated when the window moves by one sample. BlurSliding.h explains the
// method, and includes this file twice: once for single and once for double precision. It therefore has no
// include guard.
//
// Before each inclusion, BlurSliding.h defines these macros: BLUR_NAME(x) is the name of the function x for
// the precision. BLUR_VECTOR is a vector of BLUR_LANES numbers of type BLUR_SCALAR. BLUR_COSINES is the
// largest number of cosines that a window can have in this precision.

// The warning that is switched off here concerns the calling conventions for vectors. These conventions do
// not matter, because all functions are inlined.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

// The sums over the current windows of several lines. A line is a row or a column, and each lane of a vector
// holds the values of a different line. `sum` is the plain sum of the samples in a window. `level` and
// `change` are two weighted sums for each cosine, which BlurSliding.h defines. The compiler keeps all of
// these vectors in registers.
typedef struct {
  BLUR_VECTOR sum, level[BLUR_COSINES], change[BLUR_COSINES];
  // The number of samples in the window that are NaN, infinite or too large to be summed.
  BLUR_VECTOR spoiled;
} BLUR_NAME(slider);

BLUR_LOAD(BLUR_NAME(from_u8), uint8_t, BLUR_VECTOR, BLUR_LANES)
BLUR_LOAD(BLUR_NAME(from_u16), uint16_t, BLUR_VECTOR, BLUR_LANES)
BLUR_LOAD(BLUR_NAME(from_f32), float, BLUR_VECTOR, BLUR_LANES)

// Loads `count` components of `bytes` bytes each, beginning with component number `offset` of the row, and
// converts them to the type of the sums.
BLUR_INLINE BLUR_VECTOR
BLUR_NAME(load)(const void *row, ptrdiff_t offset, ptrdiff_t bytes, ptrdiff_t count) {
  const char *address = (const char *)row + offset * bytes;
  return bytes == 1   ? BLUR_NAME(from_u8)(address, count)
         : bytes == 2 ? BLUR_NAME(from_u16)(address, count)
                      : BLUR_NAME(from_f32)(address, count);
}

BLUR_INLINE void BLUR_NAME(store)(float *address, BLUR_VECTOR value) {
  typedef float stored __attribute__((ext_vector_type(BLUR_LANES)));
  stored single = __builtin_convertvector(value, stored);
  memcpy(address, &single, sizeof single);
}

// Returns sum + a·weight, with a fused multiply-add if the instruction set has one.
BLUR_INLINE BLUR_VECTOR BLUR_NAME(fused)(BLUR_VECTOR a, BLUR_SCALAR weight, BLUR_VECTOR sum) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, (BLUR_VECTOR)weight, sum);
#else
  return sum + a * weight;
#endif
}

// Returns `value`, but with 0 in every lane that is NaN, infinite or too large to be summed. For each such
// lane, the function adds `sign` to the same lane of `count`. If `sign` is 1 for samples that enter a window
// and −1 for samples that leave it, `count` is the number of such samples in the window.
BLUR_INLINE BLUR_VECTOR BLUR_NAME(usable)(BLUR_VECTOR value, BLUR_VECTOR *count, BLUR_SCALAR sign) {
  const BLUR_VECTOR largest = (BLUR_VECTOR)(BLUR_SCALAR)BLUR_LARGEST_SAMPLE, zero = 0;
  *count += __builtin_elementwise_abs(value) <= largest ? zero : (BLUR_VECTOR)sign;
  return __builtin_elementwise_abs(value) <= largest ? value : zero;
}

// Adds two samples to the sums over the first window of a line. The samples lie at the same distance from the
// centre of the window, one on its left and one on its right. `start` points to the factors of the cosines
// for this distance.
BLUR_INLINE void BLUR_NAME(gather)(
    BLUR_NAME(slider) * s, BLUR_VECTOR left, BLUR_VECTOR right, const BLUR_SCALAR *start,
    ptrdiff_t cosines, bool checked) {
  if (checked) {
    left = BLUR_NAME(usable)(left, &s->spoiled, 1);
    right = BLUR_NAME(usable)(right, &s->spoiled, 1);
  }
  const BLUR_VECTOR both = left + right, difference = right - left;
  s->sum += both;
  BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {
    s->level[k] = BLUR_NAME(fused)(both, start[2 * k], s->level[k]);
    s->change[k] = BLUR_NAME(fused)(difference, start[2 * k + 1], s->change[k]);
  }
}

// Adds the sample at the centre of the first window to the sums. This must be the last sample that is added.
// After that, the sums over the first window are complete.
BLUR_INLINE void BLUR_NAME(settle)(
    BLUR_NAME(slider) * s, BLUR_VECTOR centre, const blur_cosines *window, ptrdiff_t cosines,
    bool checked) {
  const BLUR_SCALAR *start = (const BLUR_SCALAR *)window->start;
  const BLUR_SCALAR *steps = (const BLUR_SCALAR *)window->steps;
  if (checked) centre = BLUR_NAME(usable)(centre, &s->spoiled, 1);
  s->sum += centre;
  BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {
    s->level[k] = BLUR_NAME(fused)(centre, start[2 * k], s->level[k]);
    s->change[k] = BLUR_NAME(fused)(s->level[k], (BLUR_SCALAR)-0.5 * steps[1 + 2 * k], s->change[k]);
  }
}

// Moves the window by one sample. The sums are updated with two samples: the one that enters the window and
// the one that leaves it.
BLUR_INLINE void BLUR_NAME(advance)(
    BLUR_NAME(slider) * s, BLUR_VECTOR entering, BLUR_VECTOR leaving, const BLUR_SCALAR *steps,
    ptrdiff_t cosines, bool checked) {
  if (checked) {
    entering = BLUR_NAME(usable)(entering, &s->spoiled, 1);
    leaving = BLUR_NAME(usable)(leaving, &s->spoiled, -1);
  }
  const BLUR_VECTOR e = entering - leaving;
  s->sum += e;
  BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {
    s->change[k] = BLUR_NAME(fused)(s->level[k], steps[1 + 2 * k], s->change[k]);
    s->level[k] = (s->level[k] + e) + s->change[k];
  }
}

// Returns the weighted mean over the current window, or NaN if a sample in the window is NaN, infinite or too
// large to be summed.
BLUR_INLINE BLUR_VECTOR BLUR_NAME(mean)(
    const BLUR_NAME(slider) * s, const BLUR_SCALAR *steps, ptrdiff_t cosines, bool checked) {
  // The terms are added to two sums alternately. With only one sum, each addition would have to wait for the
  // result of the addition before.
  BLUR_VECTOR value = s->sum * steps[0], other = s->level[0] * steps[2];
  BLUR_UNROLL for (ptrdiff_t k = 1; k < cosines; k++) {
    BLUR_VECTOR *sum = k % 2 == 0 ? &other : &value;
    *sum = BLUR_NAME(fused)(s->level[k], steps[2 + 2 * k], *sum);
  }
  value += other;
  const BLUR_VECTOR none = 0;
  return checked ? (s->spoiled > none ? (BLUR_VECTOR)__builtin_nan("") : value) : value;
}

// Reads the sums from `memory`, where the function `save` has stored them. The address must be a multiple of
// the size of a vector.
BLUR_INLINE void BLUR_NAME(restore)(
    BLUR_NAME(slider) * s, const void *memory, ptrdiff_t cosines, bool checked) {
  const BLUR_VECTOR *saved = (const BLUR_VECTOR *)memory;
  s->sum = saved[0];
  if (checked) s->spoiled = saved[1];
  BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {
    s->level[k] = saved[2 + 2 * k];
    s->change[k] = saved[3 + 2 * k];
  }
}

BLUR_INLINE void BLUR_NAME(save)(
    const BLUR_NAME(slider) * s, void *memory, ptrdiff_t cosines, bool checked) {
  BLUR_VECTOR *saved = (BLUR_VECTOR *)memory;
  saved[0] = s->sum;
  if (checked) saved[1] = s->spoiled;
  BLUR_UNROLL for (ptrdiff_t k = 0; k < cosines; k++) {
    saved[2 + 2 * k] = s->level[k];
    saved[3 + 2 * k] = s->change[k];
  }
}

// Computes the sums over the first window of each line, and saves them in `state`. SAMPLE is an expression
// that gives the sample at the position `distance`, counted from the centre of the window. The distance is
// negative to the left of the centre.
#define BLUR_BEGIN(SAMPLE)                                                                       \
  BLUR_NAME(slider) s = {0};                                                                     \
  for (ptrdiff_t i = window->radius; i > 0; i--) {                                               \
    ptrdiff_t distance = -i;                                                                     \
    const BLUR_VECTOR left = SAMPLE;                                                             \
    distance = i;                                                                                \
    const BLUR_VECTOR right = SAMPLE;                                                            \
    BLUR_NAME(gather)                                                                            \
    (&s, left, right, (const BLUR_SCALAR *)window->start + i * 2 * cosines, cosines, checked);   \
  }                                                                                              \
  const ptrdiff_t distance = 0;                                                                  \
  BLUR_NAME(settle)(&s, SAMPLE, window, cosines, checked);                                       \
  BLUR_NAME(save)(&s, state, cosines, checked);

BLUR_INLINE void BLUR_NAME(begin_down)(
    const void *const *rows, ptrdiff_t offset, ptrdiff_t columns, ptrdiff_t bytes,
    const blur_cosines *window, ptrdiff_t cosines, bool checked, void *state) {
  if (columns >= BLUR_LANES) {
    BLUR_BEGIN(BLUR_NAME(load)(rows[window->radius + distance], offset, bytes, BLUR_LANES))
  } else {
    BLUR_BEGIN(BLUR_NAME(load)(rows[window->radius + distance], offset, bytes, columns))
  }
}

BLUR_INLINE void BLUR_NAME(begin_across)(
    const float *centre, ptrdiff_t pitch, const blur_cosines *window, ptrdiff_t cosines, bool checked,
    void *state) {
  BLUR_BEGIN(BLUR_NAME(load)(centre, distance * pitch, 4, BLUR_LANES))
}

#undef BLUR_BEGIN

// The loop that moves the windows by `count` samples, and stores the mean over each window. It processes one
// or two vectors, in which each lane holds the values of a different row or column. ENTERING and LEAVING are
// expressions for the vector of samples that enters the windows and for the vector that leaves them. These
// expressions may use `which`, the number of the vector of sums (0 or 1), and `i`, the number of samples by
// which the windows have moved.
#define BLUR_SLIDE(ENTERING, LEAVING)                                                            \
  for (ptrdiff_t i = 0; i < count; i++) {                                                        \
    BLUR_UNROLL for (ptrdiff_t j = 0; j < together; j++) {                                       \
      const ptrdiff_t which = first + j;                                                         \
      last[j] = BLUR_NAME(mean)(&s[j], steps, cosines, checked);                                 \
      BLUR_NAME(store)(means + which * next + i * step, last[j]);                                \
      BLUR_NAME(advance)(&s[j], ENTERING, LEAVING, steps, cosines, checked);                     \
    }                                                                                            \
  }

// Moves the windows of several lines (rows or columns) by `job->count` samples, and stores the mean over each
// window. Each lane of a vector holds the values of a different line.
// - `together` is the number of vectors to process, which is 1 or 2, and `first` is the index of the first
//   one.
// - `skipped` is 0 in single precision. In double precision, a vector has only half as many lanes, so each
//   call processes one half of the lines. `skipped` is then the number of lines before this half.
//
// Returns whether all means are finite. If `checked` is true, the result is always true. NaN, infinite and
// very large samples are then left out of the sums, and the means of their windows are NaN.
BLUR_INLINE bool BLUR_NAME(slide)(
    const blur_slide_job *job, bool down, ptrdiff_t together, ptrdiff_t first, ptrdiff_t skipped,
    ptrdiff_t columns, ptrdiff_t bytes, const blur_cosines *window, ptrdiff_t cosines, bool checked,
    void *states) {
  enum { lanes = BLUR_LANES };
  const ptrdiff_t size = (2 + 2 * cosines) * (ptrdiff_t)sizeof(BLUR_VECTOR);
  const ptrdiff_t count = job->count, pitch = job->pitch, step = job->step, next = job->next;
  const void *const *enter = job->entering_rows, *const *leave = job->leaving_rows;
  const float *entering = job->entering + skipped, *leaving = job->leaving + skipped;
  float *means = job->means + skipped;
  const ptrdiff_t at[2] = {job->offsets[0] + skipped, job->offsets[1] + skipped};
  BLUR_SCALAR steps[1 + 2 * BLUR_COSINES];
  memcpy(steps, window->steps, (size_t)(1 + 2 * cosines) * sizeof(BLUR_SCALAR));
  BLUR_NAME(slider) s[2] = {0};
  BLUR_VECTOR last[2] = {0};
  BLUR_UNROLL for (ptrdiff_t j = 0; j < together; j++) {
    BLUR_NAME(restore)(&s[j], (char *)states + j * size, cosines, checked);
  }
  if (!down) {
    BLUR_SLIDE(
        BLUR_NAME(load)(entering, i * pitch + which * blur_f32_lanes, 4, lanes),
        BLUR_NAME(load)(leaving, i * pitch + which * blur_f32_lanes, 4, lanes))
  } else if (columns >= lanes) {
    // The rows are prefetched explicitly, because the hardware prefetcher can follow only a few rows at once.
    BLUR_UNROLL for (ptrdiff_t i = 0; i < blur_f32_lanes; i++) {
      __builtin_prefetch((const char *)enter[i] + (at[first] + blur_columns_ahead) * bytes);
      __builtin_prefetch((const char *)leave[i] + (at[first] + blur_columns_ahead) * bytes);
    }
    BLUR_SLIDE(
        BLUR_NAME(load)(enter[i], at[which], bytes, lanes),
        BLUR_NAME(load)(leave[i], at[which], bytes, lanes))
  } else {
    BLUR_SLIDE(
        BLUR_NAME(load)(enter[i], at[which], bytes, columns),
        BLUR_NAME(load)(leave[i], at[which], bytes, columns))
  }
  // The variable `poison` shows whether the last mean of each line is finite. If a sum over the window is NaN
  // or infinite, the mean is NaN or infinite, too. Such a sum never becomes finite again, so the last mean
  // shows whether all means before it are finite. A finite mean times zero is zero, and any other mean times
  // zero is NaN.
  BLUR_VECTOR poison = 0;
  BLUR_UNROLL for (ptrdiff_t j = 0; j < together; j++) {
    poison += last[j] * (BLUR_SCALAR)0;
    BLUR_NAME(save)(&s[j], (char *)states + j * size, cosines, checked);
  }
  return checked || __builtin_reduce_and(poison == (BLUR_VECTOR)(BLUR_SCALAR)0) != 0;
}

#undef BLUR_SLIDE
#pragma clang diagnostic pop
