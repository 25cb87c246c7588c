// A kernel that copies the image, on one or two threads. On two threads it is wrong in every fifth blur, as a
// kernel with a race between its threads would be. The number of the wrong blur does not depend on chance.

#include <stdlib.h>
#include <string.h>

#include "blur_plugin.h"

static int32_t make_plan(const void *context, const blur_request *request, void **made,
                         blur_message message) {
  (void)context;
  (void)message;
  *made = malloc(sizeof *request);
  memcpy(*made, request, sizeof *request);
  return BLUR_OK;
}

static int32_t blur(void *made, const void *source, int64_t source_stride, void *destination,
                    int64_t destination_stride, blur_message message) {
  const blur_request *request = made;
  (void)message;
  char *to = destination;
  for (int64_t y = 0; y < request->height; y++)
    memcpy(to + y * destination_stride, (const char *)source + y * source_stride, (size_t)request->width);
  static int blurs;
  if (request->threads == 2 && ++blurs % 5 == 0) to[0] ^= 1;
  return BLUR_OK;
}

static const blur_kernel kernels[] = {
    {"races", "is wrong in every fifth blur", 0, 0, 0, 1, 1, 2, NULL, make_plan, blur, free}};
static const blur_plugin_table table = {BLUR_PLUGIN_VERSION, 1, kernels};
const blur_plugin_table *blur_plugin(void) { return &table; }
