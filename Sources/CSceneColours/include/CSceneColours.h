#ifndef C_SCENE_COLOURS_H
#define C_SCENE_COLOURS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// How many matrices and layers a step may have.
enum { scene_most_matrices = 2, scene_most_layers = 2 };

/// A matrix over the colours of premultiplied rgba8, by weights of the source's red, green and blue for each
/// result.
///
/// A result is (sum + half) / 2ˢʰⁱᶠᵗ, then at least 0 and at most the pixel's alpha.
typedef struct {
  int16_t red[3], green[3], blue[3];
  int32_t half, shift;
} scene_matrix;

/// A layer over a pixel: each component becomes (component · scale + add) / 255, of which the whole part is
/// taken.
///
/// By component: red, green, blue, alpha. `add` has 127 in it, so that results are rounded to nearest.
typedef struct {
  uint16_t scale[4], add[4];
} scene_layer;

/// Matrices, then layers.
typedef struct {
  scene_matrix matrices[scene_most_matrices];
  scene_layer layers[scene_most_layers];
  ptrdiff_t matrix_count, layer_count;
} scene_colours;

/// The colour steps of a row of `count` pixels of rgba8, compiled for one instruction set; all sets give the
/// same bits.
typedef struct {
  /// Matrices and layers.
  void (*colour)(uint8_t *row, ptrdiff_t count, const scene_colours *colours);
  /// The row itself, `weight` / 256 of it, over `under`.
  void (*mix)(uint8_t *row, const uint8_t *under, ptrdiff_t count, ptrdiff_t weight);
  /// The same with a byte of `mask` for each pixel, in 255ths.
  void (*mask)(uint8_t *row, const uint8_t *under, const uint8_t *mask, ptrdiff_t count, ptrdiff_t weight);
  /// Matrices and layers of pixels of rgba16, rounded once at their end: `thresholds[i % 8]`, at least 0 and
  /// below 1, is added to the components of pixel i, and the fraction dropped. In single precision, which
  /// sets may round otherwise.
  void (*fine)(uint8_t *row, const uint16_t *wide, ptrdiff_t count, const scene_colours *colours,
               const float *thresholds);
} scene_colour_loops;

/// The loops for a CPU without wide vectors, with AVX2, and with AVX-512 (x86-64-v4). Away from x86-64 all
/// are the same.
extern const scene_colour_loops scene_baseline_loops, scene_avx2_loops, scene_avx512_loops;

#pragma clang assume_nonnull end
#endif
