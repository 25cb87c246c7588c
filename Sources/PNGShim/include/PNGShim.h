#ifndef PNG_SHIM_H
#define PNG_SHIM_H

// The border between Swift and libpng: files row by row.
//
// libpng reports errors by longjmp, which must not cross Swift frames. Here every call of libpng, its jump
// included, begins and ends inside one C function. Functions return true (or an object) for success; else
// they leave one line of text, without a final newline, in `message`, and the object can only be closed.
// Nothing calls back into the caller.
// No colour management: gamma, profiles and all other ancillary chunks but transparency are skipped.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
  /// Whether rows come in seven passes, so that only the whole image can be read.
  bool is_interlaced;
} png_shim_header;

typedef struct png_shim_reader png_shim_reader;
typedef struct png_shim_writer png_shim_writer;

/// Reads the chunks in front of the pixels. `file` stands at the signature, and stays the caller's to close.
png_shim_reader *png_shim_open_reader(FILE *file, png_shim_header *header, char *message);

/// Makes ready for the pixels, in the channels and bits of the header: straight alpha, native byte order.
/// Palettes, low bit depths and transparency chunks are resolved. An error unless a row takes `row_bytes`.
bool png_shim_start(png_shim_reader *reader, size_t row_bytes, char *message);

/// Reads the next row of a file that is not interlaced.
bool png_shim_read_row(png_shim_reader *reader, uint8_t *row, char *message);

/// Reads all rows, without padding, of any file.
bool png_shim_read_image(png_shim_reader *reader, uint8_t *samples, char *message);

/// Reads what follows the pixels: a file that ends early or has a wrong checksum is an error.
bool png_shim_end_reader(png_shim_reader *reader, char *message);

/// Releases a reader, in any state; nothing for NULL.
void png_shim_close_reader(png_shim_reader *reader);

/// Writes the chunks in front of width x height pixels of `channels` samples (1: gray, 2: gray, alpha, 3:
/// red, green, blue, 4: with alpha) of `bits` (8, or 16 in native byte order). `file` stays the caller's to
/// close.
png_shim_writer *png_shim_open_writer(
  FILE *file, uint32_t width, uint32_t height, uint32_t channels, uint32_t bits, char *message);

/// Writes the next row.
bool png_shim_write_row(png_shim_writer *writer, const uint8_t *row, char *message);

/// Ends the file after its last row.
bool png_shim_end_writer(png_shim_writer *writer, char *message);

/// Releases a writer, in any state; nothing for NULL.
void png_shim_close_writer(png_shim_writer *writer);

#endif
