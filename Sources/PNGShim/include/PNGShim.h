#ifndef PNG_SHIM_H
#define PNG_SHIM_H

// The border between Swift and libpng.
//
// libpng reports errors by longjmp, which must not cross Swift frames. Here every call of libpng, its jump
// included, begins and ends inside one C function. Functions return true for success; otherwise they leave
// one line of text, without a final newline, in `message`. Nothing calls back into the caller.
// No colour management: gamma, profiles and all other ancillary chunks but transparency are skipped.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that `message` must have room for.
enum { PNG_SHIM_MESSAGE = 160 };

/// What a PNG file says before its pixels.
typedef struct {
  /// Size in pixels, each side up to 16,777,216.
  uint32_t width, height;
  /// Bits of one stored pixel: 1 to 64.
  uint32_t bits_per_pixel;
  /// Bits per sample after decoding: 8 or 16.
  uint32_t bits;
  /// Channels after decoding: 1 gray, 2 gray and alpha, 3 red, green and blue, 4 with alpha. Palette images
  /// have colour; a transparency chunk makes alpha.
  uint32_t channels;
} png_shim_header;

/// Reads the chunks in front of the pixels of the file in `data`.
bool png_shim_read_header(const uint8_t *data, size_t size, png_shim_header *header, char *message);

/// Decodes the file in `data` into the channels and bits that png_shim_read_header told: straight alpha, native
/// byte order, rows without padding. `samples` has room for `capacity` bytes. Palettes, low bit depths,
/// transparency chunks and interlacing are resolved. A file that ends early or has a wrong checksum anywhere is
/// an error, and then the content of `samples` is not a picture.
bool png_shim_decode(
  const uint8_t *data, size_t size, uint8_t *samples, size_t capacity, char *message);

/// Encodes width x height pixels of `channels` samples (1: gray, 2: gray and alpha, 3: red, green, blue,
/// 4: with alpha) of `bits` (8, or 16 in native byte order), rows without padding. On success `*file` holds
/// `*file_size` bytes to be released by png_shim_free.
bool png_shim_encode(
  const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels, uint32_t bits, uint8_t **file,
  size_t *file_size, char *message);

/// Releases what png_shim_encode made.
void png_shim_free(uint8_t *file);

#endif
