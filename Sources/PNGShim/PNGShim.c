#include "PNGShim.h"

#include "../CPNG/shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const png_uint_32 maximum_side = 1u << 24;

// Errors: the text is kept, then libpng's own jump returns to the entry function's setjmp.

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

// Reading.

typedef struct {
  png_structp png;
  png_infop info;
  const uint8_t *data;
  size_t left;
} reader;

static void take_bytes(png_structp png, png_bytep target, size_t count) {
  reader *r = png_get_io_ptr(png);
  if (count > r->left) png_error(png, "the file ends too early");
  memcpy(target, r->data, count);
  r->data += count;
  r->left -= count;
}

static bool open_reader(reader *r, const uint8_t *data, size_t size, char *message) {
  *r = (reader){.data = data, .left = size};
  r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore_warning);
  r->info = r->png ? png_create_info_struct(r->png) : NULL;
  if (r->info) return true;
  snprintf(message, PNG_SHIM_MESSAGE, "libpng cannot be set up (out of memory?)");
  png_destroy_read_struct(&r->png, &r->info, NULL);
  return false;
}

/// Reads up to the pixels; strictly, so that a damaged transparency chunk is not dropped silently.
static void read_info(reader *r) {
  png_set_read_fn(r->png, r, take_bytes);
  png_set_user_limits(r->png, maximum_side, maximum_side);
  png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_benign_errors(r->png, 0);
  png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_read_info(r->png, r->info);
}

bool png_shim_read_header(const uint8_t *data, size_t size, png_shim_header *header, char *message) {
  reader r;
  if (!open_reader(&r, data, size, message)) return false;
  if (setjmp(png_jmpbuf(r.png))) {
    png_destroy_read_struct(&r.png, &r.info, NULL);
    return false;
  }
  read_info(&r);
  png_byte type = png_get_color_type(r.png, r.info);
  png_byte depth = png_get_bit_depth(r.png, r.info);
  header->width = png_get_image_width(r.png, r.info);
  header->height = png_get_image_height(r.png, r.info);
  header->bits_per_pixel = (uint32_t)depth * png_get_channels(r.png, r.info);
  header->bits = depth == 16 ? 16 : 8;
  bool has_alpha = (type & PNG_COLOR_MASK_ALPHA) || png_get_valid(r.png, r.info, PNG_INFO_tRNS);
  header->channels = (type & PNG_COLOR_MASK_COLOR ? 3 : 1) + (has_alpha ? 1 : 0);
  png_destroy_read_struct(&r.png, &r.info, NULL);
  return true;
}

/// Asks libpng for whole samples in native byte order; returns the number of passes.
static int choose_output(reader *r) {
  png_set_expand(r->png);
  if (is_little_endian()) png_set_swap(r->png);
  int passes = png_set_interlace_handling(r->png);
  png_read_update_info(r->png, r->info);
  return passes;
}

bool png_shim_decode(
  const uint8_t *data, size_t size, uint8_t *samples, size_t capacity, char *message) {
  reader r;
  if (!open_reader(&r, data, size, message)) return false;
  if (setjmp(png_jmpbuf(r.png))) {
    png_destroy_read_struct(&r.png, &r.info, NULL);
    return false;
  }
  read_info(&r);
  int passes = choose_output(&r);
  size_t row_bytes = png_get_rowbytes(r.png, r.info);
  png_uint_32 height = png_get_image_height(r.png, r.info);
  if (capacity / height < row_bytes) png_error(r.png, "the samples take more room than expected");
  for (int pass = 0; pass < passes; pass++)
    for (png_uint_32 y = 0; y < height; y++) png_read_row(r.png, samples + y * row_bytes, NULL);
  png_read_end(r.png, NULL);
  png_destroy_read_struct(&r.png, &r.info, NULL);
  return true;
}

// Writing.

typedef struct {
  png_structp png;
  png_infop info;
  uint8_t *data;
  size_t size, capacity;
} writer;

static void append_bytes(png_structp png, png_bytep bytes, size_t count) {
  writer *w = png_get_io_ptr(png);
  if (w->capacity - w->size < count) {
    size_t capacity = (w->size + count) * 2;
    uint8_t *data = realloc(w->data, capacity);
    if (!data) png_error(png, "out of memory");
    w->data = data;
    w->capacity = capacity;
  }
  memcpy(w->data + w->size, bytes, count);
  w->size += count;
}

static void flush_nothing(png_structp png) { (void)png; }

static bool open_writer(writer *w, char *message) {
  *w = (writer){0};
  w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore_warning);
  w->info = w->png ? png_create_info_struct(w->png) : NULL;
  if (w->info) return true;
  snprintf(message, PNG_SHIM_MESSAGE, "libpng cannot be set up (out of memory?)");
  png_destroy_write_struct(&w->png, &w->info);
  return false;
}

bool png_shim_encode(
  const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels, uint32_t bits, uint8_t **file,
  size_t *file_size, char *message) {
  static const int types[] = {
    PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  writer w;
  if (!open_writer(&w, message)) return false;
  if (setjmp(png_jmpbuf(w.png))) {
    free(w.data);
    png_destroy_write_struct(&w.png, &w.info);
    return false;
  }
  png_set_write_fn(w.png, &w, append_bytes, flush_nothing);
  png_set_user_limits(w.png, maximum_side, maximum_side);
  png_set_IHDR(
    w.png, w.info, width, height, (int)bits, types[channels - 1], PNG_INTERLACE_NONE,
    PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w.png, w.info);
  if (bits == 16 && is_little_endian()) png_set_swap(w.png);
  size_t row_bytes = (size_t)width * channels * bits / 8;
  for (uint32_t y = 0; y < height; y++) png_write_row(w.png, pixels + y * row_bytes);
  png_write_end(w.png, NULL);
  png_destroy_write_struct(&w.png, &w.info);
  *file = w.data;
  *file_size = w.size;
  return true;
}

void png_shim_free(uint8_t *file) { free(file); }
