/* Passes bad input of every kind to the library. Prints a line for each mistake, which is an input that does
   not give the expected error, and then the number of mistakes. */

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blur.h"

static int mistakes = 0;

static void expect(int32_t found, int32_t expected, const char *word, const char *what) {
  if (found == expected && strlen(blur_error_text(found)) > 0 &&
      (found == 0 || strstr(blur_last_error(), word) != NULL))
    return;
  printf("%s: %d, not %d, with \"%s\" (expected: %s)\n", what, found, expected, blur_last_error(), word);
  mistakes++;
}

static blur_options good(void) {
  blur_options options = {0};
  options.size = sizeof options;
  options.width = 8;
  options.height = 6;
  options.sigma_x = options.sigma_y = 2;
  return options;
}

/* Makes a plan with one option changed. The plan must be NULL if and only if there is an error. */
#define PLAN(expected, word, change)                           \
  do {                                                         \
    blur_options options = good();                             \
    change;                                                    \
    blur_plan *plan = (blur_plan *)&options;                   \
    int32_t found = blur_plan_create(&options, &plan);         \
    expect(found, expected, word, #change);                    \
    if ((plan == NULL) != (found != 0)) {                      \
      printf("%s: plan and code don't fit\n", #change);        \
      mistakes++;                                              \
    }                                                          \
    blur_destroy(plan);                                        \
  } while (0)

static void plans(void) {
  blur_plan *plan = NULL;
  blur_options fine = good();
  expect(blur_plan_create(NULL, &plan), BLUR_ERROR_ARGUMENT, "options", "no options");
  expect(blur_plan_create(&fine, NULL), BLUR_ERROR_ARGUMENT, "plan", "no place for the plan");

  PLAN(BLUR_SUCCESS, "", (void)options);
  PLAN(BLUR_ERROR_ARGUMENT, "size 0", options.size = 0);
  PLAN(BLUR_ERROR_ARGUMENT, "size 8", options.size = 8);
  PLAN(BLUR_ERROR_ARGUMENT, "size", options.size = sizeof options + 8);
  PLAN(BLUR_ERROR_ARGUMENT, "size", options.size = SIZE_MAX);
  PLAN(BLUR_ERROR_ARGUMENT, "format 9", options.format = 9);
  PLAN(BLUR_ERROR_ARGUMENT, "format -1", options.format = -1);
  PLAN(BLUR_ERROR_ARGUMENT, "format", options.format = INT32_MIN);
  PLAN(BLUR_ERROR_ARGUMENT, "edge 5", options.edge = 5);
  PLAN(BLUR_ERROR_ARGUMENT, "edge -1", options.edge = -1);
  PLAN(BLUR_ERROR_ARGUMENT, "pixels 4", options.pixels = 4);
  PLAN(BLUR_ERROR_ARGUMENT, "pixels 48", options.pixels = BLUR_STRAIGHT | BLUR_OPAQUE);
  PLAN(BLUR_ERROR_ARGUMENT, "pixels -1", options.pixels = -1);
  PLAN(BLUR_ERROR_ARGUMENT, "pixels", options.pixels = INT32_MIN);
  PLAN(BLUR_ERROR_LAYOUT, "pixels 16: BLUR_STRAIGHT needs a format with 4 channels, but rgb8 has 3",
       options.format = BLUR_RGB8; options.pixels = BLUR_STRAIGHT);
  PLAN(BLUR_ERROR_LAYOUT, "BLUR_OPAQUE needs", options.pixels = BLUR_OPAQUE | BLUR_BGRA);
  PLAN(BLUR_ERROR_LAYOUT, "BLUR_ARGB needs", options.format = BLUR_RGB8; options.pixels = BLUR_ARGB);
  PLAN(BLUR_ERROR_LAYOUT, "BLUR_ABGR needs", options.format = BLUR_RGB8; options.pixels = BLUR_ABGR);
  PLAN(BLUR_ERROR_LAYOUT, "BLUR_BGRA needs a format with 3 channels", options.pixels = BLUR_BGRA);
  PLAN(BLUR_SUCCESS, "", options.format = BLUR_RGBA8; options.pixels = BLUR_ARGB | BLUR_STRAIGHT);
  PLAN(BLUR_SUCCESS, "", options.format = BLUR_RGB8; options.pixels = BLUR_BGRA);
  PLAN(BLUR_ERROR_ARGUMENT, "allow_copy 2", options.allow_copy = 2);
  PLAN(BLUR_ERROR_LAYOUT, "size 0x6", options.width = 0);
  PLAN(BLUR_ERROR_LAYOUT, "size 8x0", options.height = 0);
  PLAN(BLUR_ERROR_LAYOUT, "size -1x6", options.width = -1);
  PLAN(BLUR_ERROR_LAYOUT, "16777216", options.width = INT64_MAX);
  PLAN(BLUR_ERROR_LAYOUT, "16777216", options.height = INT64_MIN);
  PLAN(BLUR_ERROR_SIGMA, "sigma", options.sigma_x = NAN);
  PLAN(BLUR_ERROR_SIGMA, "sigma", options.sigma_y = INFINITY);
  PLAN(BLUR_ERROR_SIGMA, "sigma -1", options.sigma_x = -1);
  PLAN(BLUR_ERROR_SIGMA, "1000", options.sigma_y = 1000.001);
  PLAN(BLUR_ERROR_SIGMA, "not set", options.sigma_x = options.sigma_y = 0);
  PLAN(BLUR_SUCCESS, "", options.sigma_x = 0);
  PLAN(BLUR_SUCCESS, "", options.sigma_x = options.sigma_y = 0; options.allow_copy = 1);
  PLAN(BLUR_SUCCESS, "", options.sigma_x = options.sigma_y = 1000);
  PLAN(BLUR_ERROR_REGION, "region", options.region.width = 3);
  PLAN(BLUR_ERROR_REGION, "region", options.region.x = 1);
  PLAN(BLUR_ERROR_REGION, "downscaled 3: must be 1, 2 or 4", options.downscaled = 3);
  PLAN(BLUR_ERROR_REGION, "downscaled -2", options.downscaled = -2);
  blur_region out = {1, 0, 8, 6}, huge = {0, 0, INT64_MAX, INT64_MAX}, far = {INT64_MAX, INT64_MAX, 1, 1};
  blur_region negative = {-1, 0, 4, 4}, inside_out = {4, 4, -2, -2}, low = {INT64_MIN, INT64_MIN, 1, 1};
  PLAN(BLUR_ERROR_REGION, "region", options.region = out);
  PLAN(BLUR_ERROR_REGION, "region", options.region = huge);
  PLAN(BLUR_ERROR_REGION, "region", options.region = far);
  PLAN(BLUR_ERROR_REGION, "region", options.region = negative);
  PLAN(BLUR_ERROR_REGION, "region", options.region = inside_out);
  PLAN(BLUR_ERROR_REGION, "region", options.region = low);
  PLAN(BLUR_ERROR_THREADS, "threads -1: must be from 1 to 1024, or 0 for one thread", options.threads = -1);
  PLAN(BLUR_ERROR_THREADS, "1024", options.threads = 1025);
  PLAN(BLUR_ERROR_THREADS, "threads", options.threads = INT32_MIN);
  PLAN(BLUR_ERROR_ACCURACY, "max_error", options.max_error = NAN);
  PLAN(BLUR_ERROR_ACCURACY, "max_error", options.max_error = -0.5);
  PLAN(BLUR_ERROR_ACCURACY, "1e-09", options.max_error = 1e-9);
  PLAN(BLUR_SUCCESS, "", options.max_error = INFINITY);
  PLAN(BLUR_ERROR_KERNEL, "did you mean 'pyramid'?", options.kernel = "pyramyd");
  PLAN(BLUR_ERROR_KERNEL, "''", options.kernel = "");
  PLAN(BLUR_ERROR_KERNEL, "no kernel", options.kernel = "\xff\xfe");
  PLAN(BLUR_ERROR_KERNEL, "`blur_kernel_name` returns", options.kernel = "zzzzzzzz");
  PLAN(BLUR_SUCCESS, "", options.kernel = "box-triple");
  PLAN(BLUR_ERROR_ACCURACY, "kernel box-triple", options.kernel = "box-triple"; options.max_error = 1);

  /* This plan needs more scratch memory than there are addresses. */
  PLAN(BLUR_ERROR_MEMORY, "cannot allocate", options.kernel = "box-triple"; options.format = BLUR_RGBAF32;
       options.sigma_x = options.sigma_y = 20; options.width = options.height = 16777216);

  char *text = malloc(100001);
  memset(text, 'x', 100000);
  text[100000] = 0;
  PLAN(BLUR_ERROR_KERNEL, "xxx", options.kernel = text);
  for (int i = 0; i < 50000; i++) memcpy(text + 2 * i, "\xC3\xA9", 2);
  PLAN(BLUR_ERROR_KERNEL, "\xC3\xA9", options.kernel = text);
  if (strlen(blur_last_error()) > 511) mistakes++, printf("a text of %zu bytes\n", strlen(blur_last_error()));
  free(text);
}

/* A call for one image refuses what a plan or its execution refuses, and gives the result of the plan. */
static void images(void) {
  static unsigned char source[48], result[48], expected[48];
  for (int i = 0; i < 48; i++) source[i] = (unsigned char)(i * i);
  blur_options options = good();
  expect(blur_image(NULL, source, 0, result, 0), BLUR_ERROR_ARGUMENT, "options is NULL", "no options");
  expect(blur_image(&options, NULL, 0, result, 0), BLUR_ERROR_ARGUMENT, "source is NULL", "no source");
  expect(blur_image(&options, source, 0, NULL, 0), BLUR_ERROR_ARGUMENT, "destination is NULL", "no result");
  expect(blur_image(&options, source, 7, result, 0), BLUR_ERROR_LAYOUT, "stride 7", "a short stride");
  expect(blur_image(&options, source, 0, source, 0), BLUR_ERROR_OVERLAP, "share memory", "in place");
  expect(blur_image(&options, source, 0, result, 0), BLUR_SUCCESS, "", "a good image");
  blur_plan *plan = NULL;
  expect(blur_plan_create(&options, &plan), BLUR_SUCCESS, "", "a plan");
  expect(blur_execute(plan, source, 0, expected, 0), BLUR_SUCCESS, "", "a blur");
  blur_destroy(plan);
  if (memcmp(result, expected, 48) || !memcmp(result, source, 48))
    mistakes++, printf("one call gives another result\n");
  options.sigma_x = options.sigma_y = 0;
  expect(blur_image(&options, source, 0, result, 0), BLUR_ERROR_SIGMA, "not set", "no sigma");
  options.allow_copy = 1;
  expect(blur_image(&options, source, 0, result, 0), BLUR_SUCCESS, "", "a copy");
  if (memcmp(result, source, 48)) mistakes++, printf("sigma 0 changes the image\n");
}

/* No border colour may crash a program, whatever the kernel computes from that colour. */
static void constants(void) {
  const float wild[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, -1, 256, 65536};
  static float source[4 * 8 * 6], result[4 * 8 * 6];
  for (int32_t k = 0; blur_kernel_name(k); k++)
    for (int32_t format = 0; blur_format_name(format); format++)
      for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        blur_options options = good();
        options.kernel = blur_kernel_name(k);
        options.format = format;
        options.edge = BLUR_CONSTANT;
        for (int c = 0; c < 4; c++) options.constant[c] = wild[i];
        blur_plan *plan = NULL;
        int32_t error = blur_plan_create(&options, &plan);
        if (error == 0) error = blur_execute(plan, source, 0, result, 0);
        if (error != 0 && error != BLUR_ERROR_UNSUPPORTED) expect(error, 0, "", options.kernel);
        blur_destroy(plan);
      }
}

static void executions(void) {
  static unsigned char source[64], result[64];
  blur_plan *plan = NULL;
  blur_options options = good();
  expect(blur_plan_create(&options, &plan), 0, "", "a good plan");
  expect(blur_execute(NULL, source, 8, result, 8), BLUR_ERROR_ARGUMENT, "plan", "no plan");
  expect(blur_execute(plan, NULL, 8, result, 8), BLUR_ERROR_ARGUMENT, "source", "no source");
  expect(blur_execute(plan, source, 8, NULL, 8), BLUR_ERROR_ARGUMENT, "destination", "no destination");
  expect(blur_execute(plan, source, 7, result, 8), BLUR_ERROR_LAYOUT, "stride 7", "short stride");
  expect(blur_execute(plan, source, 8, result, 7), BLUR_ERROR_LAYOUT, "stride 7", "short result stride");
  expect(blur_execute(plan, source, -8, result, 8), BLUR_ERROR_LAYOUT, "stride -8", "negative stride");
  expect(blur_execute(plan, source, INT64_MAX, result, 8), BLUR_ERROR_LAYOUT, "do not fit into memory",
         "huge stride");
  expect(blur_execute(plan, source, INT64_MIN, result, 8), BLUR_ERROR_LAYOUT, "stride", "least stride");
  expect(blur_execute(plan, (void *)(UINTPTR_MAX - 8), 8, result, 8), BLUR_ERROR_LAYOUT, "end of memory",
         "a picture over the end of memory");
  expect(blur_execute(plan, source, 8, source, 8), BLUR_ERROR_OVERLAP, "share memory", "in place");
  expect(blur_execute(plan, source, 8, source + 16, 8), BLUR_ERROR_OVERLAP, "share memory", "overlap");
  expect(blur_execute(plan, source, 8, result, 9), 0, "", "a good call after all these");
  expect(blur_execute(plan, source, 0, result, 0), 0, "", "rows without padding");
  blur_destroy(plan);
  blur_destroy(NULL);
  if (blur_plan_kernel(NULL) || blur_format_name(-1) || blur_format_name(9) || blur_kernel_name(-1) ||
      blur_kernel_name(INT32_MAX))
    mistakes++, printf("names where there are none\n");
}

static void *fail_elsewhere(void *unused) {
  (void)unused;
  if (strlen(blur_last_error()) > 0) mistakes++, printf("a new thread has an error\n");
  expect(blur_execute(NULL, NULL, 0, NULL, 0), BLUR_ERROR_ARGUMENT, "plan is NULL", "another thread");
  return NULL;
}

/* Checks that each thread has its own last error. */
static void threads(void) {
  expect(blur_plan_create(NULL, NULL), BLUR_ERROR_ARGUMENT, "place", "this thread");
  pthread_t other;
  if (pthread_create(&other, NULL, fail_elsewhere, NULL)) return;
  pthread_join(other, NULL);
  if (!strstr(blur_last_error(), "place")) mistakes++, printf("another thread's error came here\n");
}

int main(void) {
  if (strlen(blur_last_error()) > 0) mistakes++, printf("an error before anything\n");
  plans();
  executions();
  images();
  constants();
  threads();
  for (int32_t i = 0; i < 13; i++)
    for (int32_t j = 0; j < i; j++)
      if (!strcmp(blur_error_text(i), blur_error_text(j)))
        mistakes++, printf("codes %d and %d: one text\n", i, j);
  printf("%d mistakes\n", mistakes);
  return mistakes > 0;
}
