#ifndef C_SCENE_COLOURS_H
#define C_SCENE_COLOURS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The maximum number of matrices, and the maximum number of layers, with which an effect changes colours.
enum { scene_most_matrices = 2, scene_most_layers = 2 };

/// A matrix that transforms the colours of premultiplied rgba8 pixels. The array `red` contains the weights
/// of the source's red component in the red, the green and the blue result. The arrays `green` and `blue`
/// contain the weights of the other two components.
///
/// Each result is (sum + half) / 2ˢʰⁱᶠᵗ, where sum is the weighted sum of the source's components. The result
/// is clamped to the range from 0 to the pixel's alpha.
typedef struct {
  int16_t red[3], green[3], blue[3];
  int32_t half, shift;
} scene_matrix;

/// A translucent layer that is drawn over pixels. Each component becomes (component · scale + add) / 255,
/// rounded down.
///
/// The arrays are indexed by component: red, green, blue, alpha. `add` includes 127, which turns rounding
/// down into rounding to the nearest integer.
typedef struct {
  uint16_t scale[4], add[4];
} scene_layer;

/// All changes that an effect makes to the colours of a pixel: first the matrices, and then the layers.
typedef struct {
  scene_matrix matrices[scene_most_matrices];
  scene_layer layers[scene_most_layers];
  ptrdiff_t matrix_count, layer_count;
} scene_colours;

/// Functions that change or enlarge a row of `count` rgba8 pixels, compiled for one instruction set. All
/// instruction sets give identical bits, except in `fine`.
typedef struct {
  /// Changes the colours of each pixel of `row`. It first applies the matrices in `colours`, and then paints
  /// the layers in `colours` over the result.
  void (*colour)(uint8_t *row, ptrdiff_t count, const scene_colours *colours);
  /// Mixes the row with the row `under`, and stores the result in `row`. The original row has a weight of
  /// `weight` / 256, and `under` has the remaining weight.
  void (*mix)(uint8_t *row, const uint8_t *under, ptrdiff_t count, ptrdiff_t weight);
  /// Applies the matrices and the layers to the rgba16 pixels of `wide`, and rounds only the final results to
  /// the bytes of `row`. Before the fraction is dropped, `thresholds[i % 8]`, which is at least 0 and below
  /// 1, is added to the components of pixel i. The arithmetic is in single precision, so instruction sets may
  /// round differently.
  void (*fine)(uint8_t *row, const uint16_t *wide, ptrdiff_t count, const scene_colours *colours,
               const float *thresholds);
  /// Fills `row` with a row of an image that is enlarged to four times its width and height, by bilinear
  /// interpolation. `upper` and `lower` are the two nearest rows of the small image, with `small` pixels
  /// each. The weight of `lower` is `share` / 8, and `upper` has the remaining weight. `count` is at least 4
  /// · `small`. At both ends, the outermost small pixel is repeated. `line` is scratch memory for 4 · `small`
  /// numbers.
  void (*enlarge)(uint8_t *row, ptrdiff_t count, const uint8_t *upper, const uint8_t *lower, ptrdiff_t small,
                  ptrdiff_t share, uint16_t *line);
} scene_colour_loops;

/// The loops for CPUs without wide vectors, with AVX2, and with AVX-512 (x86-64-v4). On architectures other
/// than x86-64, all three are the same.
extern const scene_colour_loops scene_baseline_loops, scene_avx2_loops, scene_avx512_loops;

#pragma clang assume_nonnull end
#endif
