/* A plug-in whose two threads take their rows from a counter without a lock. It copies images. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "blur_plugin.h"

typedef struct {
  int64_t row, height;
  int32_t threads;
  int64_t next; /* the next row to copy, which both threads read and write */
  const unsigned char *source;
  unsigned char *destination;
  int64_t source_stride, destination_stride;
} racing_plan;

static void *copy_rows(void *opaque) {
  racing_plan *plan = opaque;
  for (int64_t y; (y = plan->next++) < plan->height;)
    memcpy(plan->destination + y * plan->destination_stride, plan->source + y * plan->source_stride,
           (size_t)plan->row);
  return NULL;
}

static int32_t make_plan(const void *context, const blur_request *request, void **made,
                         blur_message message) {
  (void)context, (void)message;
  racing_plan *plan = calloc(1, sizeof *plan);
  if (!plan) return BLUR_FAILED;
  plan->row = request->width;
  plan->height = request->height;
  plan->threads = request->threads;
  *made = plan;
  return BLUR_OK;
}

static int32_t blur(void *opaque, const void *source, int64_t source_stride, void *destination,
                    int64_t destination_stride, blur_message message) {
  (void)message;
  racing_plan *plan = opaque;
  plan->next = 0;
  plan->source = source;
  plan->destination = destination;
  plan->source_stride = source_stride;
  plan->destination_stride = destination_stride;
  pthread_t other;
  int has_other = plan->threads > 1 && pthread_create(&other, NULL, copy_rows, plan) == 0;
  copy_rows(plan);
  if (has_other) pthread_join(other, NULL);
  return BLUR_OK;
}

const blur_plugin_table *blur_plugin(void) {
  static const blur_kernel kernel = {
      .name = "racing", .summary = "two threads without a lock", .formats = 1u << BLUR_GRAY8,
      .edges = 1u << BLUR_CLAMP, .most_threads = 2, .plan = make_plan, .blur = blur, .destroy = free};
  static const blur_plugin_table table = {BLUR_PLUGIN_VERSION, 1, &kernel};
  return &table;
}
