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
  refusals(method);
  FILE *file = fopen("result", "wb");
  check(file && fwrite(result, 1, sizeof result, file) == sizeof result, "cannot write");
  if (file) fclose(file);
  printf("%d mistakes\n", mistakes);
  return mistakes > 0;
}
