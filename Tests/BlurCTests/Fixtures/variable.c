/* Blurs the file `source` (gray16, 60 x 40 pixels) with the mask in the file `mask`, and writes the file
 * `result`. The argument is the number of the method. Prints whether the plan states an error bound, a line
 * for each check that fails, and then the number of failed checks. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blur.h"

enum { width = 60, height = 40, padded = 83 };

static int mistakes = 0;
static uint16_t source[width * height], result[width * height], other[padded * height];
static uint8_t mask[width * height], apart[padded * height];

static void check(int is_right, const char *what) {
  if (is_right) return;
  printf("%s (%s)\n", what, blur_last_error());
  mistakes++;
}

static void take(const char *name, void *bytes, size_t size) {
  FILE *file = fopen(name, "rb");
  check(file && fread(bytes, 1, size, file) == size, name);
  if (file) fclose(file);
}

static blur_variable_options base(int32_t method) {
  blur_variable_options options = {0};
  options.size = sizeof options;
  options.format = BLUR_GRAY16;
  options.edge = BLUR_REFLECT;
  options.width = width;
  options.height = height;
  options.sigma = 5;
  options.mask = mask;
  options.method = method;
  return options;
}

/* Makes a plan with one option changed. The plan must be NULL if and only if there is an error. */
#define PLAN(expected, word, change)                                                   \
  do {                                                                                 \
    blur_variable_options options = base(method);                                      \
    change;                                                                            \
    blur_variable_plan *plan = (blur_variable_plan *)&options;                         \
    int32_t found = blur_variable_plan_create(&options, &plan);                        \
    check(found == (expected) && (!found || strstr(blur_last_error(), word)), #change); \
    check((plan == NULL) == (found != 0), #change ": plan and code don't fit");        \
    blur_variable_destroy(plan);                                                       \
  } while (0)

static void refusals(int32_t method) {
  blur_variable_plan *none = NULL;
  blur_variable_options fine = base(method);
  check(blur_variable_plan_create(NULL, &none) == BLUR_ERROR_ARGUMENT, "no options");
  check(blur_variable_plan_create(&fine, NULL) == BLUR_ERROR_ARGUMENT, "no place for the plan");
  PLAN(BLUR_SUCCESS, "", (void)options);
  PLAN(BLUR_ERROR_ARGUMENT, "size 0", options.size = 0);
  PLAN(BLUR_ERROR_ARGUMENT, "sizeof(blur_variable_options)", options.size = sizeof(blur_options) + 8);
  PLAN(BLUR_ERROR_ARGUMENT, "format 9", options.format = 9);
  PLAN(BLUR_ERROR_ARGUMENT, "edge -1", options.edge = -1);
  PLAN(BLUR_ERROR_ARGUMENT, "method 4", options.method = 4);
  PLAN(BLUR_ERROR_ARGUMENT, "method", options.method = INT32_MIN);
  PLAN(BLUR_ERROR_ARGUMENT, "pixels 4: must be at most one of BLUR_BGRA", options.pixels = 4);
  PLAN(BLUR_ERROR_ARGUMENT, "pixels -1", options.pixels = -1);
  PLAN(BLUR_ERROR_LAYOUT, "BLUR_STRAIGHT needs a format with 4 channels, but gray16 has 1",
       options.pixels = BLUR_STRAIGHT);
  PLAN(BLUR_ERROR_ARGUMENT, "mask is NULL", options.mask = NULL);
  PLAN(BLUR_ERROR_LAYOUT, "size 0x40", options.width = 0);
  PLAN(BLUR_ERROR_LAYOUT, "16777216", options.height = INT64_MAX);
  PLAN(BLUR_ERROR_LAYOUT, "stride", options.mask_stride = width - 1);
  PLAN(BLUR_ERROR_LAYOUT, "stride", options.mask_stride = -1);
  PLAN(BLUR_ERROR_LAYOUT, "", options.mask_stride = INT64_MAX);
  PLAN(BLUR_ERROR_SIGMA, "sigma", options.sigma = NAN);
  PLAN(BLUR_ERROR_SIGMA, "1000", options.sigma = 1001);
  PLAN(BLUR_ERROR_SIGMA, "options.sigma: not set", options.sigma = 0);
  PLAN(BLUR_SUCCESS, "", options.sigma = 0; options.allow_copy = 1);
  PLAN(BLUR_ERROR_THREADS, "threads -1: must be from 1 to 1024, or 0 for one thread", options.threads = -1);
  PLAN(BLUR_ERROR_THREADS, "1024", options.threads = 1025);
  PLAN(BLUR_ERROR_KERNEL, "did you mean 'pyramid'?", options.kernel = "pyramyd");
  check(blur_variable_execute(NULL, source, 0, result, 0) == BLUR_ERROR_ARGUMENT, "no plan");
  blur_variable_destroy(NULL);
  check(blur_variable_plan_error(NULL) == -1, "an error of no plan");
  check(blur_variable_method_name(4) == NULL && blur_variable_method_name(-1) == NULL, "a method too many");
}

/* The result must not change if the mask is overwritten after planning, if rows are padded, or if the plan
   has three threads. */
static void same(int32_t method) {
  for (int y = 0; y < height; y++) memcpy(apart + y * padded, mask + y * width, width);
  blur_variable_options options = base(method);
  options.mask = apart;
  options.mask_stride = padded;
  options.threads = 3;
  blur_variable_plan *plan = NULL;
  check(!blur_variable_plan_create(&options, &plan), "cannot plan");
  memset(apart, 77, sizeof apart);
  memset(other, 0x55, sizeof other);
  check(!blur_variable_execute(plan, source, 0, other, 2 * padded), "cannot blur");
  for (int y = 0; y < height; y++) {
    check(!memcmp(other + y * padded, result + y * width, 2 * width), "another result");
    for (int x = width; x < padded; x++) check(other[y * padded + x] == 0x5555, "padding is written");
  }
  check(blur_variable_execute(plan, source, 0, source, 0) == BLUR_ERROR_OVERLAP, "in place");
  check(blur_variable_execute(plan, source, 7, result, 0) == BLUR_ERROR_LAYOUT, "a stride of 7");
  check(blur_variable_execute(plan, NULL, 0, result, 0) == BLUR_ERROR_ARGUMENT, "no source");
  check(blur_variable_execute(plan, source, 0, NULL, 0) == BLUR_ERROR_ARGUMENT, "no destination");
  blur_variable_destroy(plan);
}

/* Blurs an RGBA8 image with a constant edge. */
static void blur_four(int32_t method, int32_t pixels, const uint8_t *by, const uint8_t *from, uint8_t *to) {
  const float edge[4] = {250, 20, 130, 90};
  blur_variable_options options = base(method);
  options.format = BLUR_RGBA8;
  options.edge = BLUR_CONSTANT;
  memcpy(options.constant, edge, sizeof edge);
  options.mask = by;
  options.pixels = pixels;
  blur_variable_plan *plan = NULL;
  check(!blur_variable_plan_create(&options, &plan), "cannot plan for four channels");
  check(!blur_variable_execute(plan, from, 0, to, 0), "cannot blur four channels");
  blur_variable_destroy(plan);
}

/* If the channels of an image change places, those of the result change places, too. The colour of the edge
   is always red, green, blue, alpha. */
static void orders(int32_t method) {
  static const int channels[4][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 0, 1, 2}, {3, 2, 1, 0}};
  static const int32_t alphas[] = {0, BLUR_STRAIGHT, BLUR_OPAQUE};
  static uint8_t rgba[4 * width * height], moved[4 * width * height];
  static uint8_t expected[4 * width * height], found[4 * width * height];
  for (uint32_t i = 0; i < sizeof rgba; i++) rgba[i] = (uint8_t)(i * 2654435761u >> 24);
  for (int a = 0; a < 3; a++) {
    blur_four(method, alphas[a], mask, rgba, expected);
    if (alphas[a] == BLUR_OPAQUE) check(expected[3] == 255, "an opaque pixel is not opaque");
    for (int order = BLUR_BGRA; order <= BLUR_ABGR; order++) {
      const int *from = channels[order];
      for (int i = 0; i < 4 * width * height; i++) moved[i] = rgba[i / 4 * 4 + from[i % 4]];
      blur_four(method, order | alphas[a], mask, moved, found);
      int same = 1;
      for (int i = 0; i < 4 * width * height; i++) same &= found[i] == expected[i / 4 * 4 + from[i % 4]];
      check(same, "the result depends on the order of the channels");
    }
  }
}

/* The right half of the image is transparent green, which must not make the left half greener. A colour may
   be wrong by the error of a blur divided by alpha, which is about 4 where alpha is half of full scale. */
static void hidden_colours(int32_t method) {
  static uint8_t white[width * height], from[4 * width * height], to[4 * width * height];
  const uint8_t left[4] = {200, 100, 50, 255}, right[4] = {0, 255, 0, 0};
  memset(white, 255, sizeof white);
  for (int i = 0; i < 4 * width * height; i++) from[i] = (i / 4 % width < width / 2 ? left : right)[i % 4];
  blur_four(method, BLUR_STRAIGHT, white, from, to);
  /* The last pixel of the left half, in the middle row. The edges are at least 19 pixels away. With sigma 5,
     they hardly matter. */
  const uint8_t *pixel = to + 4 * (height / 2 * width + width / 2 - 1);
  check(pixel[3] >= 128 && pixel[3] < 160, "alpha is not blurred");
  for (int c = 0; c < 3; c++) check(abs(pixel[c] - left[c]) <= 8, "a hidden colour bleeds");
}

int main(int count, char **words) {
  int32_t method = count > 1 ? atoi(words[1]) : 0;
  take("source", source, sizeof source);
  take("mask", mask, sizeof mask);
  blur_variable_options options = base(method);
  blur_variable_plan *plan = NULL;
  check(!blur_variable_plan_create(&options, &plan), "cannot plan");
  printf("%s\n", blur_variable_plan_error(plan) < 0 ? "none" : "stated");
  check(!blur_variable_execute(plan, source, 0, result, 0), "cannot blur");
  blur_variable_destroy(plan);
  same(method);
  orders(method);
  hidden_colours(method);
  refusals(method);
  FILE *file = fopen("result", "wb");
  check(file && fwrite(result, 1, sizeof result, file) == sizeof result, "cannot write");
  if (file) fclose(file);
  printf("%d mistakes\n", mistakes);
  return mistakes > 0;
}
