/* Blurs one image with the library's C functions and prints a hash of the result. Tests/ports/count runs this
 * program with the arguments KERNEL FORMAT WIDTH HEIGHT SIGMA. The pixels are the same in every run. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blur.h"

static int fail(const char *what) {
  fprintf(stderr, "counted: %s\n", what);
  return 1;
}

static int32_t format_named(const char *name) {
  for (int32_t format = 0; blur_format_name(format); format++)
    if (!strcmp(blur_format_name(format), name)) return format;
  return -1;
}

/* Allocates memory for an image. The address is a multiple of 4096, so its alignment does not change the
 * counts. */
static void *picture(size_t bytes) { return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096); }

/* Fills the pixels with noise: random bytes for 8- and 16-bit integers, or random floats from 0 to 1. */
static void paint(unsigned char *pixels, size_t bytes, int is_float) {
  uint32_t state = 1;
  for (size_t i = 0; i < bytes; i += is_float ? 4 : 1) {
    state = state * 1664525 + 1013904223;
    float share = (float)(state >> 8) / (1 << 24);
    if (is_float) {
      memcpy(pixels + i, &share, sizeof share);
    } else {
      pixels[i] = (unsigned char)(state >> 24);
    }
  }
}

int main(int count, char **arguments) {
  if (count != 6) return fail("usage: counted KERNEL FORMAT WIDTH HEIGHT SIGMA");
  const char *format = arguments[2], *depth = format + strcspn(format, "0123456789f");
  blur_options options = {0};
  options.size = sizeof options;
  options.kernel = arguments[1];
  options.format = format_named(format);
  options.width = atoll(arguments[3]);
  options.height = atoll(arguments[4]);
  options.sigma_x = options.sigma_y = atof(arguments[5]);
  blur_plan *plan;
  if (blur_plan_create(&options, &plan)) return fail(blur_last_error());

  int is_float = depth[0] == 'f';
  size_t channels = format[0] == 'g' ? 1 : format[3] == 'a' ? 4 : 3;
  size_t component = is_float ? 4 : depth[0] == '1' ? 2 : 1;
  size_t bytes = (size_t)(options.width * options.height) * channels * component;
  unsigned char *source = picture(bytes), *result = picture(bytes);
  if (!source || !result) return fail("not enough memory");
  paint(source, bytes, is_float);
  if (blur_execute(plan, source, 0, result, 0)) return fail(blur_last_error());
  blur_destroy(plan);

  uint64_t hash = 0xCBF29CE484222325;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ result[i]) * 0x100000001B3;
  printf("%016llx\n", (unsigned long long)hash);
  free(source);
  free(result);
  return 0;
}
