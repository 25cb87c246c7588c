#ifndef BLUR_COLOURS_H
#define BLUR_COLOURS_H

// Colour steps of premultiplied rgba8, a vector of pixels at a time: a matrix over colours, layers over them, and the
// way from one picture to another. All in whole numbers, so that every instruction set gives the same bits.

#include "BlurReorder.h"

#pragma clang assume_nonnull begin

// How many matrices and layers a step may have.
enum { blur_most_matrices = 2, blur_most_layers = 2 };

// A matrix over colours: each result is (sum + half) / 2ˢʰⁱᶠᵗ, then at least 0 and at most the pixel's alpha.
typedef struct {
  // For red, green and blue: the weights of red and blue, and that of green, as the halves of a word.
  int32_t red_blue[3], green[3];
  int32_t half, shift;
} blur_matrix;

// A layer over a pixel: each component becomes (component · scale + add) / 255, rounded to nearest. For red and blue
// (`even`) and for green and alpha (`odd`), as the halves of a word; `add` has 127 in it for the rounding.
typedef struct {
  uint32_t even_scale, odd_scale, even_add, odd_add;
} blur_layer;

// Matrices, then layers.
typedef struct {
  blur_matrix matrices[blur_most_matrices];
  blur_layer layers[blur_most_layers];
  ptrdiff_t matrix_count, layer_count;
} blur_colours;

typedef uint32_t blur_u32_ __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
typedef int16_t blur_i16_ __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 2)));

// MARK: Matrices

// The sums of one colour, in 32 bits.
BLUR_INLINE blur_i32 blur_colour_sum(blur_u16 red_blue, blur_u16 green, const blur_matrix *m, int colour) {
  blur_i32 sum = blur_add_products((blur_i32)m->half, red_blue, m->red_blue[colour]);
  return blur_add_products(sum, green, m->green[colour]) >> m->shift;
}

// Four components of each pixel as bytes, colours from 0 to alpha.
BLUR_INLINE blur_u8 blur_join_colours(blur_i32 red, blur_i32 green, blur_i32 blue, blur_i32 alpha) {
#if defined(__SSE2__)
  blur_bits limit = BLUR_X86(packs_epi32, (blur_bits)alpha, (blur_bits)alpha);
  blur_bits rb = BLUR_X86(min_epi16, BLUR_X86(packs_epi32, (blur_bits)red, (blur_bits)blue), limit);
  blur_bits ga = BLUR_X86(min_epi16, BLUR_X86(packs_epi32, (blur_bits)green, (blur_bits)alpha), limit);
  blur_bits rg = BLUR_X86(unpacklo_epi16, rb, ga), ba = BLUR_X86(unpackhi_epi16, rb, ga);
  return (blur_u8)BLUR_X86(
      packus_epi16, BLUR_X86(unpacklo_epi32, rg, ba), BLUR_X86(unpackhi_epi32, rg, ba));
#else
#define BLUR_LIMITED(V) (((V) < 0 ? (blur_i32)0 : (V) > alpha ? alpha : (V)))
  blur_i32 r = BLUR_LIMITED(red), g = BLUR_LIMITED(green), b = BLUR_LIMITED(blue);
  return (blur_u8)(r | g << 8 | b << 16 | alpha << 24);
#undef BLUR_LIMITED
#endif
}

BLUR_INLINE blur_u8 blur_through_matrix(blur_u8 pixels, const blur_matrix *m) {
  blur_u16 red_blue = (blur_u16)pixels & (uint16_t)0xff, green_alpha = (blur_u16)pixels >> 8;
  blur_i32 red = blur_colour_sum(red_blue, green_alpha, m, 0);
  blur_i32 green = blur_colour_sum(red_blue, green_alpha, m, 1);
  blur_i32 blue = blur_colour_sum(red_blue, green_alpha, m, 2);
  return blur_join_colours(red, green, blue, (blur_i32)((blur_u32_)pixels >> 24));
}

// MARK: Layers

// value / 255, without its fraction, of 16-bit values of at most 255 · 255 + 127.
BLUR_INLINE blur_u16 blur_by_255(blur_u16 value) { return (value + (uint16_t)1 + (value >> 8)) >> 8; }

BLUR_INLINE blur_u8 blur_under_layer(blur_u8 pixels, const blur_layer *layer) {
  blur_u16 even = (blur_u16)pixels & (uint16_t)0xff, odd = (blur_u16)pixels >> 8;
  even = blur_by_255(even * (blur_u16)(blur_u32_)layer->even_scale + (blur_u16)(blur_u32_)layer->even_add);
  odd = blur_by_255(odd * (blur_u16)(blur_u32_)layer->odd_scale + (blur_u16)(blur_u32_)layer->odd_add);
  return (blur_u8)(even | odd << 8);
}

// MARK: From one picture to another

// (from · (256 − weight) + to · weight + 128) / 256.
BLUR_INLINE blur_u8 blur_mixed(blur_u8 from, blur_u8 to, uint16_t weight) {
  blur_u16 rest = (blur_u16)(uint16_t)(256 - weight);
  blur_u16 even = ((blur_u16)from & (uint16_t)0xff) * rest + ((blur_u16)to & (uint16_t)0xff) * weight;
  blur_u16 odd = ((blur_u16)from >> 8) * rest + ((blur_u16)to >> 8) * weight;
  return (blur_u8)((even + (uint16_t)128) >> 8 | ((odd + (uint16_t)128) & (uint16_t)0xff00));
}

// One component of `blur_masked`, at `place` in each pixel. The quotient by 256 · 255 is one by 256, then by 255.
BLUR_INLINE blur_u32_ blur_masked_component(blur_u32_ from, blur_u32_ to, blur_u32_ weight, int place) {
  blur_u32_ a = from >> place & 0xff, b = to >> place & 0xff;
  blur_u32_ sum = (a * (65280 - weight) + b * weight + 32640) >> 8;
  return ((sum + 1 + (sum >> 8)) >> 8) << place;
}

// (from · (65280 − w) + to · w + 32640) / 65280 with w = weight · mask, the mask being a byte for each pixel.
BLUR_INLINE blur_u8 blur_masked(blur_u8 from, blur_u8 to, const uint8_t *mask, ptrdiff_t count, uint32_t weight) {
  typedef uint8_t stored __attribute__((ext_vector_type(BLUR_VECTOR_BYTES / 4)));
  stored bytes = (stored)0;
  if (count >= BLUR_VECTOR_BYTES / 4) {
    memcpy(&bytes, mask, sizeof bytes);
  } else {
    memcpy(&bytes, mask, (size_t)count);
  }
  blur_u32_ w = __builtin_convertvector(bytes, blur_u32_) * weight;
  blur_u32_ a = (blur_u32_)from, b = (blur_u32_)to;
  return (blur_u8)(blur_masked_component(a, b, w, 0) | blur_masked_component(a, b, w, 8) |
                   blur_masked_component(a, b, w, 16) | blur_masked_component(a, b, w, 24));
}

// MARK: Rows

// Does the rest of the arguments with each vector's first `byte` and how many bytes it has, all of them for all but the last: then loads
// and stores are single instructions.
#define BLUR_ALONG(BYTES, ...)                        \
  ptrdiff_t byte = 0;                                  \
  for (; byte + BLUR_VECTOR_BYTES <= BYTES; byte += BLUR_VECTOR_BYTES) { \
    enum { bytes = BLUR_VECTOR_BYTES };                \
    __VA_ARGS__                                        \
  }                                                    \
  if (byte < BYTES) {                                  \
    ptrdiff_t bytes = BYTES - byte;                    \
    __VA_ARGS__                                        \
  }

// Matrices and layers over `count` pixels. The colours come by value: nothing that is stored can change them.
BLUR_INLINE void blur_colour_row(uint8_t *row, ptrdiff_t count, blur_colours colours) {
  BLUR_ALONG(4 * count, {
    blur_u8 pixels = blur_load_bytes(row + byte, bytes);
    for (ptrdiff_t i = 0; i < colours.matrix_count; i++) pixels = blur_through_matrix(pixels, &colours.matrices[i]);
    for (ptrdiff_t i = 0; i < colours.layer_count; i++) pixels = blur_under_layer(pixels, &colours.layers[i]);
    blur_store_bytes(row + byte, pixels, bytes);
  })
}

// The row itself, `weight` / 256 of it, over `under`.
BLUR_INLINE void blur_mix_row(uint8_t *row, const uint8_t *under, ptrdiff_t count, uint16_t weight) {
  BLUR_ALONG(4 * count, {
    blur_u8 a = blur_load_bytes(under + byte, bytes), b = blur_load_bytes(row + byte, bytes);
    blur_store_bytes(row + byte, blur_mixed(a, b, weight), bytes);
  })
}

// The same with a byte of `mask` for each pixel.
BLUR_INLINE void blur_mask_row(
    uint8_t *row, const uint8_t *under, const uint8_t *mask, ptrdiff_t count, uint32_t weight) {
  BLUR_ALONG(4 * count, {
    blur_u8 a = blur_load_bytes(under + byte, bytes), b = blur_load_bytes(row + byte, bytes);
    blur_store_bytes(row + byte, blur_masked(a, b, mask + byte / 4, bytes / 4, weight), bytes);
  })
}

#pragma clang assume_nonnull end
#endif
