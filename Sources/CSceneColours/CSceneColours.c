#include "CSceneColours.h"

#include <string.h>

// All loops are written once, with the compiler's vector types for 16 pixels, and are compiled for each
// instruction set by inlining them into functions for that set. The compiler splits each vector into as many
// registers as necessary. All arithmetic is in integers, except in the functions for rgba16 pixels, which use
// floats.

#define INLINE static inline __attribute__((always_inline))

enum { pixels = 16 };

typedef uint8_t components __attribute__((ext_vector_type(4 * pixels)));
typedef uint16_t halves __attribute__((ext_vector_type(2 * pixels)));
typedef uint32_t words __attribute__((ext_vector_type(pixels)));
typedef int32_t sums __attribute__((ext_vector_type(pixels)));

// The compiler warns that the calling convention for vectors depends on the instruction set. This does not
// matter here, because all functions with vector parameters are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

// MARK: Matrices

INLINE sums transformed(sums red, sums green, sums blue, sums alpha, const scene_matrix *m, int colour) {
  sums sum = red * m->red[colour] + green * m->green[colour] + blue * m->blue[colour];
  sum = (sum + m->half) >> m->shift;
  return __builtin_elementwise_min(__builtin_elementwise_max(sum, (sums)0), alpha);
}

INLINE components through_matrix(components row, const scene_matrix *m) {
  const words word = (words)row;
  const sums red = (sums)(word & 255), green = (sums)(word >> 8 & 255), blue = (sums)(word >> 16 & 255);
  const sums alpha = (sums)(word >> 24);
  return (components)(transformed(red, green, blue, alpha, m, 0) |
                      transformed(red, green, blue, alpha, m, 1) << 8 |
                      transformed(red, green, blue, alpha, m, 2) << 16 | alpha << 24);
}

// MARK: Layers

// Returns value / 255, rounded down. The values must not exceed 255 · 255 + 127.
INLINE halves by_255(halves value) { return (value + (uint16_t)1 + (value >> 8)) >> 8; }

// Returns a vector that contains `first` in the lower 16 bits and `second` in the upper 16 bits of each
// pixel.
INLINE halves pairs(uint16_t first, uint16_t second) {
  return (halves)(words)((uint32_t)first | (uint32_t)second << 16);
}

INLINE components under_layer(components row, const scene_layer *layer) {
  const uint16_t *scale = layer->scale, *add = layer->add;
  halves even = (halves)row & (uint16_t)255, odd = (halves)row >> 8;
  even = by_255(even * pairs(scale[0], scale[2]) + pairs(add[0], add[2]));
  odd = by_255(odd * pairs(scale[1], scale[3]) + pairs(add[1], add[3]));
  return (components)(even | odd << 8);
}

// MARK: Mixing two images

// Returns (from · (256 − weight) + to · weight + 128) / 256 for each component.
INLINE components mixed(components from, components to, uint16_t weight) {
  const halves rest = (halves)(uint16_t)(256 - weight);
  const halves even = ((halves)from & (uint16_t)255) * rest + ((halves)to & (uint16_t)255) * weight;
  const halves odd = ((halves)from >> 8) * rest + ((halves)to >> 8) * weight;
  return (components)((even + (uint16_t)128) >> 8 | ((odd + (uint16_t)128) & (uint16_t)0xff00));
}

// MARK: Rows

// The functions in this section process only whole vectors of 16 pixels. The macro REST handles the remaining
// pixels of a row.

INLINE components load(const uint8_t *row, ptrdiff_t x) {
  components value;
  memcpy(&value, row + 4 * x, sizeof value);
  return value;
}

INLINE void store(uint8_t *row, ptrdiff_t x, components value) { memcpy(row + 4 * x, &value, sizeof value); }

// The structure `colours` is passed by value, so the compiler knows that no store to the row can change it.
INLINE void colour(uint8_t *row, ptrdiff_t count, scene_colours colours, int matrices, int layers) {
  for (ptrdiff_t x = 0; x + pixels <= count; x += pixels) {
    components value = load(row, x);
    _Pragma("clang loop unroll(full)")
    for (int i = 0; i < matrices; i++) value = through_matrix(value, &colours.matrices[i]);
    _Pragma("clang loop unroll(full)")
    for (int i = 0; i < layers; i++) value = under_layer(value, &colours.layers[i]);
    store(row, x, value);
  }
}

// Each case of the switch passes the numbers of matrices and layers as constants, so the compiler can keep
// all values in registers.
INLINE void colour_row(uint8_t *row, ptrdiff_t count, const scene_colours *colours) {
#define CASE(MATRICES, LAYERS) \
  case 3 * MATRICES + LAYERS: return colour(row, count, *colours, MATRICES, LAYERS);
  switch (3 * colours->matrix_count + colours->layer_count) {
    CASE(0, 1) CASE(0, 2) CASE(1, 0) CASE(1, 1) CASE(1, 2) CASE(2, 0) CASE(2, 1) CASE(2, 2)
  }
#undef CASE
}

INLINE void mix_row(uint8_t *row, const uint8_t *under, ptrdiff_t count, uint16_t weight) {
  for (ptrdiff_t x = 0; x + pixels <= count; x += pixels) {
    store(row, x, mixed(load(under, x), load(row, x), weight));
  }
}

// MARK: Unrounded pixels

INLINE float clamped(float value, float most) {
  value = value < 0 ? 0 : value;
  return value > most ? most : value;
}

// Applies all matrices and layers to one rgba16 pixel. During the computation, the components are floats from
// 0 to 255.
INLINE void fine_pixel(
    uint8_t *to, const uint16_t *from, const scene_colours *colours, int matrices, int layers,
    float threshold) {
  float value[4];
  for (int c = 0; c < 4; c++) value[c] = from[c] * (1.0f / 257);
  for (int i = 0; i < matrices; i++) {
    const scene_matrix *m = &colours->matrices[i];
    const float unit = 1.0f / (float)(1 << m->shift), red = value[0], green = value[1], blue = value[2];
    for (int c = 0; c < 3; c++) {
      value[c] = clamped((red * m->red[c] + green * m->green[c] + blue * m->blue[c]) * unit, value[3]);
    }
  }
  for (int i = 0; i < layers; i++) {
    const scene_layer *layer = &colours->layers[i];
    for (int c = 0; c < 4; c++) {
      value[c] = (value[c] * layer->scale[c] + (float)(layer->add[c] - 127)) * (1.0f / 255);
    }
  }
  for (int c = 0; c < 4; c++) to[c] = (uint8_t)(int)clamped(value[c] + threshold, 255);
}

INLINE void fine_row(
    uint8_t *row, const uint16_t *wide, ptrdiff_t count, const scene_colours *colours,
    const float *thresholds) {
#define CASE(MATRICES, LAYERS)                                                                      \
  case 3 * MATRICES + LAYERS:                                                                       \
    for (ptrdiff_t x = 0; x < count; x++) {                                                         \
      fine_pixel(row + 4 * x, wide + 4 * x, colours, MATRICES, LAYERS, thresholds[x & 7]);          \
    }                                                                                               \
    return;
  switch (3 * colours->matrix_count + colours->layer_count) {
    CASE(0, 0) CASE(0, 1) CASE(0, 2) CASE(1, 0) CASE(1, 1) CASE(1, 2) CASE(2, 0) CASE(2, 1) CASE(2, 2)
  }
#undef CASE
}

// MARK: Enlarging

typedef uint8_t bytes_16 __attribute__((ext_vector_type(16)));
typedef uint16_t halves_16 __attribute__((ext_vector_type(16)));
typedef uint16_t halves_4 __attribute__((ext_vector_type(4)));

INLINE halves_16 four_times(const uint16_t *from) {
  halves_4 value;
  memcpy(&value, from, sizeof value);
  return __builtin_shufflevector(value, value, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
}

// Between two adjacent pixels of the small image, there are four new pixels, at 1/8, 3/8, 5/8 and 7/8 of the
// distance. The weights `left` and `right` are in eighths, and so are the numbers in `line`. The sum of the
// products is therefore divided by 64, and each result is rounded only once.
INLINE void enlarge_row(
    uint8_t *restrict row, ptrdiff_t count, const uint8_t *upper, const uint8_t *lower, ptrdiff_t small,
    uint16_t share, uint16_t *restrict line) {
  const halves_16 right = {1, 1, 1, 1, 3, 3, 3, 3, 5, 5, 5, 5, 7, 7, 7, 7}, left = (uint16_t)8 - right;
  for (ptrdiff_t i = 0; i < 4 * small; i++) line[i] = (uint16_t)(upper[i] * (8 - share) + lower[i] * share);
  for (ptrdiff_t i = 0; i + 1 < small; i++) {
    const halves_16 sum = four_times(line + 4 * i) * left + four_times(line + 4 * i + 4) * right;
    const bytes_16 value = __builtin_convertvector((sum + (uint16_t)32) >> 6, bytes_16);
    memcpy(row + 16 * i + 8, &value, sizeof value);
  }
  const uint16_t *last = line + 4 * (small - 1);
  for (ptrdiff_t i = 0; i < 8; i++) row[i] = (uint8_t)((line[i & 3] + 4) >> 3);
  for (ptrdiff_t i = 16 * small - 8; i < 4 * count; i++) row[i] = (uint8_t)((last[i & 3] + 4) >> 3);
}

// MARK: Instruction sets

// Copies the pixels after the last whole vector into a buffer of one vector. The function that uses this
// macro then processes the buffer and copies the pixels back. If there are no such pixels, the macro returns
// from the function.
#define REST(COUNT)                                                       \
  const size_t rest = (size_t)COUNT % pixels;                             \
  const ptrdiff_t whole = COUNT - (ptrdiff_t)rest;                        \
  if (rest == 0) return;                                                  \
  uint8_t last[4 * pixels] = {0}, last_under[4 * pixels] = {0};           \
  (void)last_under;                                                       \
  memcpy(last, row + 4 * whole, 4 * rest);

// Defines the loops for one instruction set. The argument ATTRIBUTE is a function attribute that selects this
// instruction set.
#define LOOPS(SET, ATTRIBUTE)                                                                              \
  ATTRIBUTE static void SET##_colour(uint8_t *row, ptrdiff_t count, const scene_colours *colours) {        \
    colour_row(row, count, colours);                                                                       \
    REST(count)                                                                                            \
    SET##_colour(last, pixels, colours);                                                                   \
    memcpy(row + 4 * whole, last, 4 * rest);                                                               \
  }                                                                                                        \
  ATTRIBUTE static void SET##_mix(uint8_t *row, const uint8_t *under, ptrdiff_t count, ptrdiff_t weight) { \
    mix_row(row, under, count, (uint16_t)weight);                                                          \
    REST(count)                                                                                            \
    memcpy(last_under, under + 4 * whole, 4 * rest);                                                       \
    SET##_mix(last, last_under, pixels, weight);                                                           \
    memcpy(row + 4 * whole, last, 4 * rest);                                                               \
  }                                                                                                        \
  ATTRIBUTE static void SET##_fine(                                                                        \
      uint8_t *row, const uint16_t *wide, ptrdiff_t count, const scene_colours *colours,                   \
      const float *thresholds) {                                                                           \
    const scene_colours known = *colours;                                                                  \
    fine_row(row, wide, count, &known, thresholds);                                                        \
  }                                                                                                        \
  ATTRIBUTE static void SET##_enlarge(                                                                     \
      uint8_t *row, ptrdiff_t count, const uint8_t *upper, const uint8_t *lower, ptrdiff_t small,          \
      ptrdiff_t share, uint16_t *line) {                                                                   \
    enlarge_row(row, count, upper, lower, small, (uint16_t)share, line);                                   \
  }                                                                                                        \
  const scene_colour_loops scene_##SET##_loops = {SET##_colour, SET##_mix, SET##_fine, SET##_enlarge};

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512                                                                                      \
  __attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"),           \
                 min_vector_width(512)))
#else
#define AVX2
#define AVX512
#endif

LOOPS(baseline, )
LOOPS(avx2, AVX2)
LOOPS(avx512, AVX512)
