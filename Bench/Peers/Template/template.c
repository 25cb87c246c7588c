/* The smallest complete plug-in: a separable Gaussian for 8-bit pixels with clamped edges. The file compiles
 * as C and as C++. To build and check the plug-in:
 *
 *   cc -O2 -shared -fPIC -ISources/CBlur/include Bench/Peers/Template/template.c -o template.so -lm
 *   blurbench verify --plugin ./template.so
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "blur_plugin.h"

typedef struct {
  int64_t width, height, channels;
  int64_t radius_x, radius_y;
  float *weights_x, *weights_y; /* 2 * radius + 1 weights each, with the sum 1 */
  float *row;                   /* one row after the vertical pass, with radius_x more pixels on each side */
} template_plan;

/* Returns 2 * radius + 1 weights: the Gaussian sampled at the integers, cut off at `radius` and scaled to the
 * sum 1. For sigma 0, the radius is 0 and the single weight is 1. Returns NULL if there is no memory. The
 * caller frees the weights. */
static float *make_weights(double sigma, int64_t radius) {
  float *weights = (float *)malloc((size_t)(2 * radius + 1) * sizeof(float));
  if (!weights) return NULL;
  double sum = 0;
  for (int64_t i = -radius; i <= radius; i++) sum += i ? exp(-(i * i) / (2 * sigma * sigma)) : 1;
  for (int64_t i = -radius; i <= radius; i++)
    weights[i + radius] = (float)((i ? exp(-(i * i) / (2 * sigma * sigma)) : 1) / sum);
  return weights;
}

static int64_t clamped(int64_t index, int64_t count) {
  return index < 0 ? 0 : index < count ? index : count - 1;
}

static void destroy(void *opaque) {
  template_plan *plan = (template_plan *)opaque;
  if (!plan) return;
  free(plan->weights_x);
  free(plan->weights_y);
  free(plan->row);
  free(plan);
}

/* Makes a plan, once per case. Allocate memory and make decisions here, and not in `blur`. The harness has
 * already checked `formats`, `edges` and `most_threads`. If there is anything else that the kernel cannot do,
 * return BLUR_UNSUPPORTED here. */
static int32_t make_plan(const void *context, const blur_request *request, void **made,
                         blur_message message) {
  (void)context;
  template_plan *plan = (template_plan *)calloc(1, sizeof *plan);
  if (plan) {
    plan->width = request->width;
    plan->height = request->height;
    plan->channels = blur_channels(request->format);
    plan->radius_x = (int64_t)ceil(4 * request->sigma_x);
    plan->radius_y = (int64_t)ceil(4 * request->sigma_y);
    plan->weights_x = make_weights(request->sigma_x, plan->radius_x);
    plan->weights_y = make_weights(request->sigma_y, plan->radius_y);
    size_t pixels = (size_t)(plan->width + 2 * plan->radius_x);
    plan->row = (float *)malloc(pixels * (size_t)plan->channels * sizeof(float));
  }
  if (!plan || !plan->weights_x || !plan->weights_y || !plan->row) {
    destroy(plan);
    snprintf(message.text, message.capacity, "no memory for the plan");
    return BLUR_FAILED;
  }
  *made = plan;
  return BLUR_OK;
}

/* Blurs the image row by row. For each row, the vertical pass writes the weighted sums of the columns into a
 * buffer. The buffer is then extended on both sides with copies of its edge pixels, and the horizontal pass
 * sums along it. */
static int32_t blur(void *opaque, const void *source, int64_t source_stride, void *destination,
                    int64_t destination_stride, blur_message message) {
  (void)message;
  const template_plan *plan = (const template_plan *)opaque;
  int64_t channels = plan->channels, count = plan->width * channels; /* the number of values in a row */
  int64_t radius_y = plan->radius_y, radius_x = plan->radius_x;
  float *row = plan->row + radius_x * channels;
  for (int64_t y = 0; y < plan->height; y++) {
    for (int64_t x = 0; x < count; x++) row[x] = 0;
    for (int64_t i = -radius_y; i <= radius_y; i++) {
      const uint8_t *line = (const uint8_t *)source + clamped(y + i, plan->height) * source_stride;
      for (int64_t x = 0; x < count; x++) row[x] += plan->weights_y[i + radius_y] * line[x];
    }
    for (int64_t i = 0; i < radius_x * channels; i++) {
      row[-1 - i] = row[channels - 1 - i % channels];
      row[count + i] = row[count - channels + i % channels];
    }
    uint8_t *target = (uint8_t *)destination + y * destination_stride;
    for (int64_t x = 0; x < count; x++) {
      float sum = 0.5f;
      for (int64_t i = -radius_x; i <= radius_x; i++)
        sum += plan->weights_x[i + radius_x] * row[x + i * channels];
      target[x] = (uint8_t)(sum < 255 ? sum : 255);
    }
  }
  return BLUR_OK;
}

static const blur_kernel kernels[] = {{
    .name = "template-gaussian",
    .summary = "separable Gaussian, window 4 sigma, plain C: the plug-in to start from",
    /* The promise: the largest error that the kernel claims for any image, which `verify` checks.
     * - A kernel that computes the Gaussian promises BLUR_PROMISE_EXACT, with 1 level (1/255 of full scale)
     *   for 8 bits. If it offers 16 bits or float, it also sets `promise_share`. A window that ends
     *   at 4 sigma, as here, can promise 1e-4. A promise of 2e-5 needs a window of 5 sigma.
     * - An approximation promises BLUR_PROMISE_APPROXIMATION. Its number of levels is the largest error that
     *   `blurbench certify` prints, plus 1.
     * - With BLUR_PROMISE_NONE, `verify` only checks that the result looks like a Gaussian.
     * - A kernel that is another filter states BLUR_PROMISE_NOT_GAUSSIAN.
     * docs/KERNEL-AUTHORS.md shows how to find the largest error. */
    .promise = BLUR_PROMISE_EXACT,
    .promise_levels = 1,
    .formats = 1u << BLUR_GRAY8 | 1u << BLUR_RGB8 | 1u << BLUR_RGBA8,
    .edges = 1u << BLUR_CLAMP,
    .most_threads = 1,
    .plan = make_plan,
    .blur = blur,
    .destroy = destroy,
}};

const blur_plugin_table *blur_plugin(void) {
  static const blur_plugin_table table = {BLUR_PLUGIN_VERSION, sizeof kernels / sizeof *kernels, kernels};
  return &table;
}
