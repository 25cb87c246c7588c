/* Blurs with all strides that a caller may pass, and on two threads with one plan. Prints a line for each
 * check that fails, and then the number of failed checks. */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "blur.h"

enum { width = 37, height = 23, most = (4 * 4 * width + 64) * 2 * height, turns = 200 };

static int mistakes = 0;
static unsigned char packed[most], expected[most], source[most], result[most], mask[most];

static void check(int is_right, const char *what, int32_t format) {
  if (is_right) return;
  printf("%s: %s (%s)\n", blur_format_name(format), what, blur_last_error());
  mistakes++;
}

/* A plan of either kind. Exactly one of the pointers is not NULL. */
typedef struct {
  blur_plan *plan;
  blur_variable_plan *variable;
  int64_t pixel, width, height; /* the bytes of a pixel, and the size of the result */
} any_plan;

static int32_t execute(const any_plan *any, const void *from, int64_t from_stride, void *to,
                       int64_t to_stride) {
  return any->plan ? blur_execute(any->plan, from, from_stride, to, to_stride)
                   : blur_variable_execute(any->variable, from, from_stride, to, to_stride);
}

/* Copies the rows of an image of another stride. */
static void copy(unsigned char *to, int64_t to_stride, const unsigned char *from, int64_t from_stride,
                 int64_t row, int64_t rows) {
  for (int64_t y = 0; y < rows; y++) memcpy(to + y * to_stride, from + y * from_stride, (size_t)row);
}

/* Blurs with each pair of strides. A stride of 0 stands for rows without padding, whatever the other stride
 * is. */
static void try_strides(const any_plan *any, int32_t format) {
  const int64_t row = width * any->pixel, result_row = any->width * any->pixel;
  const int64_t from[] = {0, row, row + 1, row + 64}, to[] = {0, result_row, result_row + 3, row + 64};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const int64_t from_stride = from[i] ? from[i] : row, to_stride = to[j] ? to[j] : result_row;
      memset(source, 0xFF, sizeof source);
      copy(source, from_stride, packed, row, row, height);
      memset(result, 0x55, sizeof result);
      check(!execute(any, source, from[i], result, to[j]), "cannot blur", format);
      int is_same = 1, is_untouched = 1;
      for (int64_t k = 0; k < most; k++) {
        const int64_t y = k / to_stride, x = k % to_stride;
        if (y >= any->height || x >= result_row) is_untouched &= result[k] == 0x55;
        else is_same &= result[k] == expected[y * result_row + x];
      }
      check(is_same, "another stride gives another result", format);
      check(is_untouched, "bytes around the rows are written", format);
    }
}

/* Blurs from the left half of an image into its right half, with the stride of the whole image for both. */
static void try_side_by_side(const any_plan *any, int32_t format) {
  const int64_t row = width * any->pixel, result_row = any->width * any->pixel, stride = row + result_row;
  memset(source, 0, sizeof source);
  copy(source, stride, packed, row, row, height);
  check(!execute(any, source, stride, source + row, stride), "cannot blur beside the source", format);
  for (int64_t y = 0; y < height; y++) {
    check(!memcmp(source + y * stride, packed + y * row, (size_t)row), "the source has changed", format);
    if (y < any->height)
      check(!memcmp(source + y * stride + row, expected + y * result_row, (size_t)result_row),
            "another result beside the source", format);
  }
}

static void *blur_often(void *opaque) {
  static __thread unsigned char own[most];
  const any_plan *any = opaque;
  const size_t bytes = (size_t)(any->width * any->height * any->pixel);
  for (int i = 0; i < turns; i++)
    if (execute(any, packed, 0, own, 0) || memcmp(own, expected, bytes)) return opaque;
  return NULL;
}

/* Blurs another image while a second thread uses the same plan. */
static void try_threads(const any_plan *any, int32_t format) {
  static unsigned char other[most];
  pthread_t thread;
  void *failed = NULL;
  if (pthread_create(&thread, NULL, blur_often, (void *)any)) return;
  for (int i = 0; i < turns; i++) check(!execute(any, source, 0, other, 0), "cannot blur", format);
  pthread_join(thread, &failed);
  check(!failed, "another thread that uses the plan changes the result", format);
}

static void try_plan(const any_plan *any, int32_t format) {
  check(!execute(any, packed, width * any->pixel, expected, any->width * any->pixel), "cannot blur", format);
  const size_t bytes = (size_t)(any->width * any->height * any->pixel);
  check(memcmp(packed, expected, bytes) != 0, "nothing is blurred", format);
  try_strides(any, format);
  try_side_by_side(any, format);
  try_threads(any, format);
  blur_destroy(any->plan);
  blur_variable_destroy(any->variable);
}

static void draw(int64_t pixel, int64_t component) {
  for (int64_t i = 0; i < width * height * pixel / component; i++) {
    const uint32_t noise = (uint32_t)i * 2654435761u >> 8;
    const float single = (float)(noise & 1023) / 1023;
    if (component == 4) memcpy(packed + 4 * i, &single, 4);
    else memcpy(packed + component * i, &noise, (size_t)component);
  }
}

static void try_format(int32_t format, int64_t pixel, int64_t component) {
  draw(pixel, component);
  blur_options options = {0};
  options.size = sizeof options;
  options.format = format;
  options.width = width;
  options.height = height;
  options.sigma_x = options.sigma_y = 2;
  for (int has_region = 0; has_region < 2; has_region++) {
    any_plan any = {NULL, NULL, pixel, has_region ? 11 : width, has_region ? 9 : height};
    const blur_region part = {5, 7, 11, 9};
    if (has_region) options.region = part;
    check(!blur_plan_create(&options, &any.plan), "cannot plan", format);
    try_plan(&any, format);
  }
  blur_variable_options variable = {0};
  variable.size = sizeof variable;
  variable.format = format;
  variable.width = width;
  variable.height = height;
  variable.sigma = 4;
  variable.mask = mask;
  /* The stride of a mask may be 0, its width, or the stride of the images. */
  const int64_t strides[] = {0, width, width * pixel + 64};
  for (int i = 0; i < 3; i++) {
    const int64_t stride = strides[i] ? strides[i] : width;
    memset(mask, 0, sizeof mask);
    for (int64_t k = 0; k < width * height; k++)
      mask[k / width * stride + k % width] = (unsigned char)(k * 255 / (width * height) / 16 * 16 + 15);
    variable.mask_stride = strides[i];
    any_plan any = {NULL, NULL, pixel, width, height};
    check(!blur_variable_plan_create(&variable, &any.variable), "cannot plan", format);
    static unsigned char first[most];
    check(!execute(&any, packed, 0, expected, 0), "cannot blur", format);
    if (i == 0) memcpy(first, expected, sizeof first);
    check(!memcmp(first, expected, (size_t)(width * height * pixel)), "another mask stride", format);
    if (i == 2) try_plan(&any, format);
    else blur_variable_destroy(any.variable);
  }
}

int main(void) {
  const int64_t channels[] = {1, 4, 1, 4, 1, 4, 3, 3, 3}, bytes[] = {1, 1, 2, 2, 4, 4, 1, 2, 4};
  for (int32_t format = 0; blur_format_name(format); format++)
    try_format(format, channels[format] * bytes[format], bytes[format]);
  printf("%d mistakes\n", mistakes);
  return mistakes > 0;
}
