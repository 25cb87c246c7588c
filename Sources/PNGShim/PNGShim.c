#include "PNGShim.h"

#include "../CPNG/CPNG.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const png_uint_32 maximum_side = 1u << 24;

/// Limits for damaged or malicious files: the largest number of bytes of one chunk, and the largest number of
/// chunks with additional data, such as texts, that libpng keeps.
static const png_alloc_size_t maximum_chunk = 8000000;
static const png_uint_32 maximum_chunks = 1000;

// Error handling: libpng reports an error by calling `fail`. This function copies the text of the error and
// then calls `png_longjmp`, which jumps back to the `setjmp` in the entry function, that is, the function of
// this file that Swift called.

static void fail(png_structp png, png_const_charp text) {
  snprintf(png_get_error_ptr(png), PNG_SHIM_MESSAGE, "%s", text);
  png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

/// Makes libpng store the text of an error in `message`. Every function that reads or writes calls this
/// first, because its caller passes a new buffer for the message each time.
static void tell(png_structp png, char *message) { png_set_error_fn(png, message, fail, ignore_warning); }

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
};

static void take_bytes(png_structp png, png_bytep target, size_t count) {
  png_shim_reader *r = png_get_io_ptr(png);
  if (fread(target, 1, count, r->file) == count) return;
  png_error(png, ferror(r->file) ? strerror(errno) : "the file ends too early");
}

void png_shim_close_reader(png_shim_reader *r) {
  if (!r) return;
  png_destroy_read_struct(&r->png, &r->info, NULL);
  free(r);
}

static png_shim_reader *make_reader(FILE *file, char *message) {
  png_shim_reader *r = calloc(1, sizeof *r);
  if (r) {
    r->file = file;
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore_warning);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    if (r->info) return r;
  }
  snprintf(message, PNG_SHIM_MESSAGE, "libpng cannot be set up (out of memory?)");
  png_shim_close_reader(r);
  return NULL;
}

/// Reads all chunks before the pixels. Errors are not tolerated, so that a damaged transparency chunk is
/// reported and not silently dropped.
static void read_info(png_shim_reader *r) {
  png_set_read_fn(r->png, r, take_bytes);
  png_set_user_limits(r->png, maximum_side, maximum_side);
  png_set_chunk_malloc_max(r->png, maximum_chunk);
  png_set_chunk_cache_max(r->png, maximum_chunks);
  png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_benign_errors(r->png, 0);
  png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_read_info(r->png, r->info);
}

static void read_header(png_shim_reader *r, png_shim_header *header) {
  png_byte type = png_get_color_type(r->png, r->info);
  png_byte depth = png_get_bit_depth(r->png, r->info);
  header->width = png_get_image_width(r->png, r->info);
  header->height = png_get_image_height(r->png, r->info);
  header->bits_per_pixel = (uint32_t)depth * png_get_channels(r->png, r->info);
  header->bits = depth == 16 ? 16 : 8;
  bool has_alpha = (type & PNG_COLOR_MASK_ALPHA) || png_get_valid(r->png, r->info, PNG_INFO_tRNS);
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
  tell(r->png, message);
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
  tell(r->png, message);
  if (setjmp(png_jmpbuf(r->png))) return false;
  png_read_row(r->png, row, NULL);
  return true;
}

bool png_shim_read_image(png_shim_reader *r, uint8_t *samples, char *message) {
  tell(r->png, message);
  if (setjmp(png_jmpbuf(r->png))) return false;
  size_t row_bytes = png_get_rowbytes(r->png, r->info);
  png_uint_32 height = png_get_image_height(r->png, r->info);
  for (int pass = 0; pass < r->passes; pass++)
    for (png_uint_32 y = 0; y < height; y++) png_read_row(r->png, samples + y * row_bytes, NULL);
  return true;
}

bool png_shim_end_reader(png_shim_reader *r, char *message) {
  tell(r->png, message);
  if (setjmp(png_jmpbuf(r->png))) return false;
  png_read_end(r->png, NULL);
  return true;
}

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

/// Does nothing when libpng asks for a flush, because closing the file flushes it.
static void flush_nothing(png_structp png) { (void)png; }

void png_shim_close_writer(png_shim_writer *w) {
  if (!w) return;
  png_destroy_write_struct(&w->png, &w->info);
  free(w);
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
  tell(w->png, message);
  if (setjmp(png_jmpbuf(w->png))) return false;
  png_write_row(w->png, row);
  return true;
}

bool png_shim_end_writer(png_shim_writer *w, char *message) {
  tell(w->png, message);
  if (setjmp(png_jmpbuf(w->png))) return false;
  png_write_end(w->png, NULL);
  return true;
}
