/* Checks what each option does by a property of the result. Prints which kernel is chosen for each error
   bound, a line for each check that fails, and then the number of failed checks. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "blur.h"

enum { width = 90, height = 70 };

static int mistakes = 0;
static float source[width * height], whole[width * height], part[width * height];

static void check(int is_right, const char *what) {
  if (is_right) return;
  printf("%s (%s)\n", what, blur_last_error());
  mistakes++;
}

static blur_options base(void) {
  blur_options options = {0};
  options.size = sizeof options;
  options.format = BLUR_GRAYF32;
  options.width = width;
  options.height = height;
  options.sigma_x = options.sigma_y = 3;
  return options;
}

static void blur(const blur_options *options, float *result, int64_t stride) {
  blur_plan *plan;
  check(!blur_plan_create(options, &plan) && !blur_execute(plan, source, 0, result, stride), "cannot blur");
  blur_destroy(plan);
}

/* A region must hold the same values as in the whole blurred image. The dct kernel promises this. */
static void region(void) {
  for (int i = 0; i < width * height; i++) source[i] = (float)(i * 7919 % 1009) / 1009;
  blur_options options = base();
  options.kernel = "dct";
  blur(&options, whole, 0);
  blur_region wanted = {11, 5, 20, 30};
  options.region = wanted;
  options.threads = 2;
  blur(&options, part, 0);
  int same = 1;
  for (int y = 0; y < 30; y++)
    same &= !memcmp(part + 20 * y, whole + width * (5 + y) + 11, 20 * sizeof(float));
  check(same, "the region differs from the whole");
}

/* A result of half the size must show the means of blocks of 2x2 pixels. */
static void downscaled(void) {
  for (int i = 0; i < width * height; i++) source[i] = (float)(i * 7919 % 1009) / 1009;
  blur_options options = base();
  blur(&options, whole, 0);
  options.downscaled = 2;
  blur(&options, part, 0);
  float worst = 0;
  for (int y = 0; y < height / 2; y++)
    for (int x = 0; x < width / 2; x++) {
      const float *block = whole + 2 * y * width + 2 * x;
      float mean = (block[0] + block[1] + block[width] + block[width + 1]) / 4;
      worst = fmaxf(worst, fabsf(mean - part[y * (width / 2) + x]));
    }
  check(worst < 2.0f / 255, "a smaller result is not the mean of the whole");
}

/* With sigma_x alone, an impulse must spread only within its row, with a standard deviation of sigma_x. */
static void axes(void) {
  memset(source, 0, sizeof source);
  source[35 * width + 45] = 1;
  blur_options options = base();
  options.sigma_y = 0;
  blur(&options, whole, 0);
  double sum = 0, variance = 0, elsewhere = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double value = whole[y * width + x];
      if (y != 35) elsewhere += fabs(value);
      sum += value;
      variance += value * (x - 45) * (x - 45);
    }
  check(elsewhere == 0, "sigma_x went to other rows");
  check(fabs(sum - 1) < 0.01 && fabs(sqrt(variance) - 3) < 0.1, "sigma_x is not the standard deviation");
}

/* With a white border, a white image must stay white. With a black border, its corner must become the square
   of (1 + g(0)) / 2, where g(0) is the weight of the middle tap. */
static void border(void) {
  for (int i = 0; i < width * height; i++) source[i] = 1;
  blur_options options = base();
  options.edge = BLUR_CONSTANT;
  options.constant[0] = 1;
  blur(&options, whole, 0);
  check(fabsf(whole[0] - 1) < 1e-4f, "the white border is not white");
  options.constant[0] = 0;
  blur(&options, whole, 0);
  check(fabsf(whole[0] - 0.321f) < 0.002f && fabsf(whole[35 * width + 45] - 1) < 1e-4f,
        "the border is not black");
}

/* Blurs an image in which all pixels equal `pixel`, and checks the result. The same colour is beyond the
   edge, where `edge` lists red, green, blue and alpha, whatever the order in the image is. */
static void pixel(int32_t pixels, const uint8_t *pixel, const float *edge, const uint8_t *expected) {
  static uint8_t from[4 * width * height], to[4 * width * height];
  for (int i = 0; i < 4 * width * height; i++) from[i] = pixel[i % 4];
  blur_options options = base();
  options.format = BLUR_RGBA8;
  options.edge = BLUR_CONSTANT;
  options.pixels = pixels;
  memcpy(options.constant, edge, sizeof options.constant);
  blur_plan *plan;
  check(!blur_plan_create(&options, &plan) && !blur_execute(plan, from, 0, to, 0), "cannot blur");
  blur_destroy(plan);
  int same = 1;
  for (int i = 0; i < 4 * width * height; i++) same &= to[i] == expected[i % 4];
  check(same, "a pixel has changed");
}

static void layouts(void) {
  const float faint[4] = {0xF0, 0x80, 0x10, 5}, solid[4] = {0xF0, 0x80, 0x10, 255};
  const uint8_t rgba[4] = {0xF0, 0x80, 0x10, 5}, bgra[4] = {0x10, 0x80, 0xF0, 5};
  const uint8_t argb[4] = {5, 0xF0, 0x80, 0x10}, abgr[4] = {5, 0x10, 0x80, 0xF0};
  const uint8_t opaque[4] = {255, 0x10, 0x80, 0xF0};
  pixel(BLUR_STRAIGHT, rgba, faint, rgba);
  pixel(BLUR_STRAIGHT | BLUR_BGRA, bgra, faint, bgra);
  pixel(BLUR_STRAIGHT | BLUR_ARGB, argb, faint, argb);
  pixel(BLUR_BGRA, bgra, faint, bgra);
  pixel(BLUR_ARGB, argb, faint, argb);
  pixel(BLUR_ABGR, abgr, faint, abgr);
  pixel(BLUR_OPAQUE | BLUR_ABGR, abgr, solid, opaque);
}

/* Prints which kernel is chosen for each error bound. The Swift test checks that kernel's promise. */
static void accuracy(void) {
  const double bounds[] = {0, 1, 0.01};
  for (int i = 0; i < 3; i++) {
    blur_options options = base();
    options.max_error = bounds[i];
    blur_plan *plan = NULL;
    check(!blur_plan_create(&options, &plan), "cannot plan");
    printf("%g %s\n", bounds[i], blur_plan_kernel(plan));
    blur_destroy(plan);
  }
}

int main(void) {
  region();
  downscaled();
  axes();
  border();
  layouts();
  accuracy();
  printf("%d mistakes\n", mistakes);
  return mistakes > 0;
}
