#ifndef PNG_SHIM_H
#define PNG_SHIM_H

// A C interface through which Swift reads and writes PNG files with libpng, row by row.
//
// libpng reports errors with `longjmp`, which must not jump across stack frames of Swift. Therefore, every
// call of libpng, including its jump, begins and ends inside one C function. On success, a function with a
// parameter `message` returns true (or an object). On failure, the function returns false (or NULL), and
// writes one line of text without a final newline to `message`. After a failure, the caller must not use the
// reader or writer again, except to close it. No function calls Swift code.
//
// These functions convert no colours. Of the optional chunks, only the transparency chunk changes the pixels.
// The data of the other chunks is passed on as it is in the file, so compressed profiles and texts stay
// compressed.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// The number of bytes that every `message` buffer must hold.
enum { PNG_SHIM_MESSAGE = 160 };

/// The maximum number of names that `png_shim_wrong_chunks` returns.
enum { PNG_SHIM_WRONG = 16 };

/// The description of a picture in the header of a PNG file.
typedef struct {
  /// The size in pixels. Each side is at most 16,777,216.
  uint32_t width, height;
  /// The number of bits that one pixel takes in the file: 1 to 64.
  uint32_t bits_per_pixel;
  /// The number of bits per sample after decoding: 8 or 16.
  uint32_t bits;
  /// The number of channels after decoding: 1 for gray, 2 for gray and alpha, 3 for RGB, 4 for RGBA. A
  /// palette image counts as RGB, and a transparency chunk adds alpha.
  uint32_t channels;
  /// Whether the file is interlaced. An interlaced file stores its pixels in seven passes, so it can only be
  /// read as a whole, and not row by row.
  bool is_interlaced;
  /// The number of bits per sample in the file: 1, 2, 4, 8 or 16.
  uint32_t stored_bits;
  /// Whether the pixels are indices into a palette.
  bool is_palette;
  /// Whether the file has a transparency chunk (tRNS).
  bool has_transparency;
  /// The number of entries in the palette chunk, or 0 if the file has no palette chunk. RGB pictures may have
  /// this chunk too.
  uint32_t palette_count;
  /// The red, green and blue values of each entry in the palette chunk.
  uint8_t palette[3 * 256];
} png_shim_header;

/// An optional chunk of a PNG file, with its data as stored in the file.
typedef struct {
  /// The four letters of the chunk's type.
  uint8_t name[4];
  /// Whether the chunk comes after the pixels in the file.
  bool is_after_pixels;
  /// Whether the chunk comes after the palette chunk (PLTE) in the file.
  bool is_after_palette;
  /// The bytes of the chunk, without its length, name and checksum.
  const uint8_t *data;
  size_t count;
} png_shim_chunk;

typedef struct png_shim_reader png_shim_reader;
typedef struct png_shim_writer png_shim_writer;

/// Creates a reader and reads the chunks before the pixels.
///
/// `file` must be positioned at the PNG signature. The caller still owns the file, and closes it.
png_shim_reader *png_shim_open_reader(FILE *file, png_shim_header *header, char *message);

/// Prepares the reader for reading pixels. The decoded pixels have the channels and bits that the header
/// states, with straight alpha and in native byte order. Palettes, low bit depths and transparency chunks are
/// expanded. Fails unless a decoded row takes exactly `row_bytes` bytes.
bool png_shim_start(png_shim_reader *reader, size_t row_bytes, char *message);

/// Reads the next row of a file that is not interlaced.
bool png_shim_read_row(png_shim_reader *reader, uint8_t *row, char *message);

/// Reads all rows of a file, interlaced or not, and stores them without padding.
bool png_shim_read_image(png_shim_reader *reader, uint8_t *samples, char *message);

/// Reads the chunks after the pixels. Fails if the file ends too early.
bool png_shim_end_reader(png_shim_reader *reader, char *message);

/// Returns the number of optional chunks that the reader has found so far. `png_shim_open_reader` reads the
/// chunks before the pixels, and `png_shim_end_reader` reads the chunks after the pixels. The transparency
/// chunk (tRNS), the frames of animations (fdAT) and chunks with a wrong checksum are not counted.
size_t png_shim_chunk_count(const png_shim_reader *reader);

/// Returns the optional chunk with an index below `png_shim_chunk_count`. The data of the chunk belongs to
/// the reader.
png_shim_chunk png_shim_chunk_at(const png_shim_reader *reader, size_t index);

/// Returns the names of the first `PNG_SHIM_WRONG` chunks that were dropped because their checksum is wrong.
/// Each name has four letters, and the names follow each other without separators.
const char *png_shim_wrong_chunks(const png_shim_reader *reader);

/// Returns the total number of chunks that were dropped because their checksum is wrong.
size_t png_shim_wrong_count(const png_shim_reader *reader);

/// Returns libpng's warnings about mistakes in the file that do not damage the pixels. For example, libpng
/// ignores a transparency chunk that has too many entries. The text is empty if there are no such mistakes.
const char *png_shim_mistakes(const png_shim_reader *reader);

/// Releases a reader, even if one of its calls has failed. Does nothing if `reader` is NULL.
void png_shim_close_reader(png_shim_reader *reader);

/// Creates a writer and writes the header.
///
/// `channels` is 1 for gray, 2 for gray and alpha, 3 for RGB or 4 for RGBA. `bits` is 8, or 16 for samples in
/// native byte order. The caller still owns `file` and closes it.
png_shim_writer *png_shim_open_writer(
  FILE *file, uint32_t width, uint32_t height, uint32_t channels, uint32_t bits, char *message);

/// Writes the next row.
bool png_shim_write_row(png_shim_writer *writer, const uint8_t *row, char *message);

/// Writes an optional chunk, before the first row or after the last one. `name` has four letters.
bool png_shim_write_chunk(
  png_shim_writer *writer, const uint8_t *name, const uint8_t *data, size_t count, char *message);

/// Ends the file after its last row.
bool png_shim_end_writer(png_shim_writer *writer, char *message);

/// Releases a writer, even if one of its calls has failed. Does nothing if `writer` is NULL.
void png_shim_close_writer(png_shim_writer *writer);

#endif
