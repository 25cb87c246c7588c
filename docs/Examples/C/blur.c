/* Blurs an 8-bit PGM or PPM picture: blur IN OUT SIGMA. Run Bench/install-library first, and then build this
 * program:
 *
 *   export PKG_CONFIG_PATH=~/.local/lib/pkgconfig
 *   cc -O2 blur.c $(pkg-config --cflags --libs blur) -o blur
 */

#include <stdio.h>
#include <stdlib.h>

#include "blur.h"

static int fail(const char *what) {
  fprintf(stderr, "blur: %s\n", what);
  return 1;
}

int main(int count, char **arguments) {
  if (count != 4) return fail("usage: blur IN OUT SIGMA");
  char *end;
  double sigma = strtod(arguments[3], &end);
  if (end == arguments[3] || *end) return fail("SIGMA must be a number, such as 2.5");
  FILE *in = fopen(arguments[1], "rb");
  char kind;
  int width, height, white;
  if (!in) return fail("IN cannot be read");
  if (fscanf(in, "P%c %d %d %d", &kind, &width, &height, &white) != 4 ||
      (kind != '5' && kind != '6') || white != 255 || width < 1 || height < 1 ||
      width > 65535 || height > 65535 || getc(in) == EOF)
    return fail("IN must be a PGM or PPM picture of 8 bits, without comments");

  size_t bytes = (size_t)width * height * (kind == '5' ? 1 : 3);
  unsigned char *source = malloc(bytes), *result = malloc(bytes);
  if (!source || !result) return fail("not enough memory");
  if (fread(source, 1, bytes, in) != bytes) return fail("IN ends too early");
  fclose(in);

  blur_options options = {.size = sizeof options, .format = kind == '5' ? BLUR_GRAY8 : BLUR_RGB8,
                          .width = width, .height = height, .sigma_x = sigma, .sigma_y = sigma,
                          .allow_copy = 1};
  blur_plan *plan;
  if (blur_plan_create(&options, &plan) || blur_execute(plan, source, 0, result, 0))
    return fail(blur_last_error());
  printf("%dx%d by %s\n", width, height, blur_plan_kernel(plan));
  blur_destroy(plan);

  FILE *out = fopen(arguments[2], "wb");
  if (!out) return fail("OUT cannot be written");
  fprintf(out, "P%c\n%d %d\n255\n", kind, width, height);
  size_t written = fwrite(result, 1, bytes, out);
  free(source);
  free(result);
  return fclose(out) || written != bytes ? fail("OUT cannot be written") : 0;
}
