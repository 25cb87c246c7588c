#include "PNGShim.h"

#include "../CPNG/CPNG.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const png_uint_32 maximum_side = 1u << 24;

/// The maximum size, in bytes, of a chunk that does not hold image data. This limit protects against damaged
/// and malicious files.
static const png_alloc_size_t maximum_chunk = 64000000;

// Error handling: libpng reports an error by calling `fail`. `fail` copies the text of the error and then
// calls `png_longjmp`, which jumps back to the `setjmp` in the C function that Swift called.

static void fail(png_structp png, png_const_charp text) {
  snprintf(png_get_error_ptr(png), PNG_SHIM_MESSAGE, "%s", text);
  png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static bool is_little_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 1;
}

// The functions below read PNG files.

struct png_shim_reader {
  png_structp png;
  png_infop info;
  FILE *file;
  int passes;
  /// The optional chunks that the reader has found so far, except the transparency chunk (tRNS).
  png_shim_chunk *chunks;
  size_t count, capacity;
  /// The names of the chunks that were dropped because of a wrong checksum. Each name has four letters.
  char wrong[4 * PNG_SHIM_WRONG + 1];
  /// The total number of chunks that were dropped because of a wrong checksum, including chunks whose names
  /// do not fit into `wrong`.
  size_t wrong_count;
  /// The warnings of libpng about mistakes that do not damage the pixels, separated by semicolons.
  char mistakes[PNG_SHIM_MESSAGE];
  /// Whether all pixels have been read.
  bool is_after_pixels;
  /// Whether the checksum of the chunk that is being read is wrong.
  bool is_wrong;
};

static void take_bytes(png_structp png, png_bytep target, size_t count) {
  png_shim_reader *r = png_get_io_ptr(png);
  if (fread(target, 1, count, r->file) == count) return;
  png_error(png, ferror(r->file) ? strerror(errno) : "the file ends too early");
}

void png_shim_close_reader(png_shim_reader *r) {
  if (!r) return;
  png_destroy_read_struct(&r->png, &r->info, NULL);
  for (size_t i = 0; i < r->count; i++) free((void *)r->chunks[i].data);
  free(r->chunks);
  free(r);
}

/// Handles a warning about a chunk that libpng decodes. A harmless mistake is added to `mistakes`. A warning
/// about damaged pixels becomes an error, and all other warnings are ignored.
static void take_mistake(png_structp png, png_shim_reader *r, png_const_charp text) {
  static const char *const harmless[] = {
    "PLTE: ", "tRNS: ", "IEND: ", "IDAT: Extra compressed data", "IDAT: Too much image data"};
  bool is_harmless = false;
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    is_harmless |= strncmp(text, harmless[i], strlen(harmless[i])) == 0;
  if (!is_harmless) {
    // The pixels are damaged, for example because their checksum is wrong.
    if (strncmp(text, "IDAT: ", 6) == 0) png_error(png, text);
    return;
  }
  size_t length = strlen(r->mistakes);
  if (!strstr(r->mistakes, text) && length + strlen(text) + 3 <= sizeof r->mistakes)
    snprintf(r->mistakes + length, sizeof r->mistakes - length, "%s%s", length ? "; " : "", text);
}

/// Handles a warning of libpng, and counts the optional chunks with a wrong checksum. The text of a warning
/// about a checksum begins with the name of the chunk.
static void take_warning(png_structp png, png_const_charp text) {
  png_shim_reader *r = png_get_io_ptr(png);
  if (!r || strlen(text) < 4) return;
  if (!strstr(text, "CRC error")) {
    take_mistake(png, r, text);
    return;
  }
  // libpng decodes tRNS itself, and skips this chunk if its checksum is wrong. libpng passes every other
  // chunk to `take_chunk` right after the warning, so `is_wrong` tells `take_chunk` to drop the chunk.
  r->is_wrong = strncmp(text, "tRNS", 4) != 0;
  r->wrong_count++;
  size_t length = strlen(r->wrong);
  if (length + 4 < sizeof r->wrong) memcpy(r->wrong + length, text, 4);
}

/// Stores an optional chunk that libpng has read. Always returns 1, which tells libpng that it need not keep
/// the chunk.
static int take_chunk(png_structp png, png_unknown_chunkp chunk) {
  png_shim_reader *r = png_get_io_ptr(png);
  bool is_critical = !(chunk->name[0] & 0x20);
  if (is_critical) png_chunk_error(png, "is unknown, but the picture cannot be decoded without it");
  bool is_wrong = r->is_wrong;
  r->is_wrong = false;
  // Chunks with a wrong checksum are dropped. The frames of an animation (fdAT) are dropped too, because they
  // can be large and nothing uses them.
  if (is_wrong || memcmp(chunk->name, "fdAT", 4) == 0) return 1;
  if (r->count == r->capacity) {
    size_t capacity = r->capacity ? 2 * r->capacity : 8;
    png_shim_chunk *chunks = realloc(r->chunks, capacity * sizeof *chunks);
    if (!chunks) png_error(png, "out of memory");
    r->chunks = chunks;
    r->capacity = capacity;
  }
  uint8_t *data = malloc(chunk->size ? chunk->size : 1);
  if (!data) png_error(png, "out of memory");
  if (chunk->size) memcpy(data, chunk->data, chunk->size);
  png_shim_chunk *taken = &r->chunks[r->count++];
  *taken = (png_shim_chunk){.data = data, .count = chunk->size};
  memcpy(taken->name, chunk->name, 4);
  taken->is_after_pixels = r->is_after_pixels;
  taken->is_after_palette = chunk->location & PNG_HAVE_PLTE;
  return 1;
}

/// Makes libpng store the text of an error in `message`. Every function that reads calls this function first,
/// because Swift passes a new buffer for the message at each call.
static void tell_reader(png_shim_reader *r, char *message) {
  png_set_error_fn(r->png, message, fail, take_warning);
}

static png_shim_reader *make_reader(FILE *file, char *message) {
  png_shim_reader *r = calloc(1, sizeof *r);
  if (r) {
    r->file = file;
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, fail, take_warning);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    if (r->info) return r;
  }
  snprintf(message, PNG_SHIM_MESSAGE, "libpng cannot be set up (out of memory?)");
  png_shim_close_reader(r);
  return NULL;
}

/// Reads all chunks before the pixels. If the checksum of an optional chunk is wrong, libpng gives a warning,
/// and the chunk is dropped. For all other mistakes, `take_mistake` decides whether they are tolerated.
///
/// libpng itself decodes only the chunks without which it cannot decode the pixels. It passes the undecoded
/// bytes of all other chunks to `take_chunk`.
static void read_info(png_shim_reader *r) {
  png_set_read_fn(r->png, r, take_bytes);
  png_set_user_limits(r->png, maximum_side, maximum_side);
  png_set_chunk_malloc_max(r->png, maximum_chunk);
  png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
  png_set_benign_errors(r->png, 1);
  png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_ALWAYS, NULL, -1);
  png_set_read_user_chunk_fn(r->png, r, take_chunk);
  png_read_info(r->png, r->info);
}

static void read_header(png_shim_reader *r, png_shim_header *header) {
  png_byte type = png_get_color_type(r->png, r->info);
  png_byte depth = png_get_bit_depth(r->png, r->info);
  header->width = png_get_image_width(r->png, r->info);
  header->height = png_get_image_height(r->png, r->info);
  header->bits_per_pixel = (uint32_t)depth * png_get_channels(r->png, r->info);
  header->bits = depth == 16 ? 16 : 8;
  header->stored_bits = depth;
  header->has_transparency = png_get_valid(r->png, r->info, PNG_INFO_tRNS);
  bool has_alpha = (type & PNG_COLOR_MASK_ALPHA) || header->has_transparency;
  header->is_palette = type == PNG_COLOR_TYPE_PALETTE;
  png_colorp palette;
  int count;
  header->palette_count = 0;
  if (png_get_PLTE(r->png, r->info, &palette, &count)) {
    header->palette_count = (uint32_t)count;
    for (int i = 0; i < count && i < 256; i++) {
      const uint8_t entry[] = {palette[i].red, palette[i].green, palette[i].blue};
      memcpy(header->palette + 3 * i, entry, 3);
    }
  }
  header->channels = (type & PNG_COLOR_MASK_COLOR ? 3 : 1) + (has_alpha ? 1 : 0);
  header->is_interlaced = png_get_interlace_type(r->png, r->info) != PNG_INTERLACE_NONE;
}

png_shim_reader *png_shim_open_reader(FILE *file, png_shim_header *header, char *message) {
  png_shim_reader *r = make_reader(file, message);
  if (!r) return NULL;
  if (setjmp(png_jmpbuf(r->png))) {
    png_shim_close_reader(r);
    return NULL;
  }
  read_info(r);
  read_header(r, header);
  return r;
}

bool png_shim_start(png_shim_reader *r, size_t row_bytes, char *message) {
  tell_reader(r, message);
  if (setjmp(png_jmpbuf(r->png))) return false;
  // Asks libpng for samples of 8 or 16 bits in native byte order.
  png_set_expand(r->png);
  if (is_little_endian()) png_set_swap(r->png);
  r->passes = png_set_interlace_handling(r->png);
  png_read_update_info(r->png, r->info);
  if (png_get_rowbytes(r->png, r->info) != row_bytes)
    png_error(r->png, "the samples take more room than expected");
  return true;
}

bool png_shim_read_row(png_shim_reader *r, uint8_t *row, char *message) {
  tell_reader(r, message);
  if (setjmp(png_jmpbuf(r->png))) return false;
  png_read_row(r->png, row, NULL);
  return true;
}

bool png_shim_read_image(png_shim_reader *r, uint8_t *samples, char *message) {
  tell_reader(r, message);
  if (setjmp(png_jmpbuf(r->png))) return false;
  size_t row_bytes = png_get_rowbytes(r->png, r->info);
  png_uint_32 height = png_get_image_height(r->png, r->info);
  for (int pass = 0; pass < r->passes; pass++)
    for (png_uint_32 y = 0; y < height; y++) png_read_row(r->png, samples + y * row_bytes, NULL);
  return true;
}

bool png_shim_end_reader(png_shim_reader *r, char *message) {
  tell_reader(r, message);
  if (setjmp(png_jmpbuf(r->png))) return false;
  r->is_after_pixels = true;
  png_read_end(r->png, r->info);
  return true;
}

size_t png_shim_chunk_count(const png_shim_reader *r) { return r->count; }

png_shim_chunk png_shim_chunk_at(const png_shim_reader *r, size_t index) { return r->chunks[index]; }

const char *png_shim_wrong_chunks(const png_shim_reader *r) { return r->wrong; }

const char *png_shim_mistakes(const png_shim_reader *r) { return r->mistakes; }

size_t png_shim_wrong_count(const png_shim_reader *r) { return r->wrong_count; }

// The functions below write PNG files.

struct png_shim_writer {
  png_structp png;
  png_infop info;
  FILE *file;
};

static void put_bytes(png_structp png, png_bytep bytes, size_t count) {
  png_shim_writer *w = png_get_io_ptr(png);
  if (fwrite(bytes, 1, count, w->file) != count) png_error(png, strerror(errno));
}

/// Does nothing when libpng asks for a flush, because the file is flushed when it is closed.
static void flush_nothing(png_structp png) { (void)png; }

void png_shim_close_writer(png_shim_writer *w) {
  if (!w) return;
  png_destroy_write_struct(&w->png, &w->info);
  free(w);
}

/// Makes libpng store the text of an error in `message`, as `tell_reader` does for readers.
static void tell_writer(png_shim_writer *w, char *message) {
  png_set_error_fn(w->png, message, fail, ignore_warning);
}

static png_shim_writer *make_writer(FILE *file, char *message) {
  png_shim_writer *w = calloc(1, sizeof *w);
  if (w) {
    w->file = file;
    w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore_warning);
    w->info = w->png ? png_create_info_struct(w->png) : NULL;
    if (w->info) return w;
  }
  snprintf(message, PNG_SHIM_MESSAGE, "libpng cannot be set up (out of memory?)");
  png_shim_close_writer(w);
  return NULL;
}

png_shim_writer *png_shim_open_writer(
  FILE *file, uint32_t width, uint32_t height, uint32_t channels, uint32_t bits, char *message) {
  static const int types[] = {
    PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  png_shim_writer *w = make_writer(file, message);
  if (!w) return NULL;
  if (setjmp(png_jmpbuf(w->png))) {
    png_shim_close_writer(w);
    return NULL;
  }
  png_set_write_fn(w->png, w, put_bytes, flush_nothing);
  png_set_user_limits(w->png, maximum_side, maximum_side);
  png_set_IHDR(
    w->png, w->info, width, height, (int)bits, types[channels - 1], PNG_INTERLACE_NONE,
    PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w->png, w->info);
  if (bits == 16 && is_little_endian()) png_set_swap(w->png);
  return w;
}

bool png_shim_write_row(png_shim_writer *w, const uint8_t *row, char *message) {
  tell_writer(w, message);
  if (setjmp(png_jmpbuf(w->png))) return false;
  png_write_row(w->png, row);
  return true;
}

bool png_shim_write_chunk(
  png_shim_writer *w, const uint8_t *name, const uint8_t *data, size_t count, char *message) {
  tell_writer(w, message);
  if (setjmp(png_jmpbuf(w->png))) return false;
  png_write_chunk(w->png, name, data, count);
  return true;
}

bool png_shim_end_writer(png_shim_writer *w, char *message) {
  tell_writer(w, message);
  if (setjmp(png_jmpbuf(w->png))) return false;
  png_write_end(w->png, NULL);
  return true;
}
