// libvips' gaussblur as it is, and with its widest window in float. Threads are libvips' own, as many as asked for.
//
// By default it cuts where the Gaussian falls below .2 of its peak (1.8 sigma), with integer weights; the least it
// allows is .001 (3.7 sigma). Every band is filtered alike and edges are clamped. Each call builds a pipeline, as
// libvips means it to be used, with the cache of results off; rows that aren't packed are packed first.
// Packages: libvips-dev

#include <vips/vips.h>

#include <cstring>
#include <memory>

#include "adapter.h"

namespace {

struct Release {
  void operator()(VipsImage *image) const { g_object_unref(image); }
};
using Image = std::unique_ptr<VipsImage, Release>;

struct Target {
  uint8_t *pixels;
  int64_t stride;
};

// `image` by reference: the call that fills it may be evaluated last.
Image made(int status, VipsImage *const &image) {
  if (status == 0) return Image(image);
  const std::string reason = vips_error_buffer();
  vips_error_clear();
  throw std::runtime_error(reason);
}

struct Blur {
  blur_request request;
  bool wide;
  std::vector<uint8_t> packed;

  Blur(const blur_request &r, const void *context) : request(r), wide(context != nullptr) {
    if (r.sigma_x != r.sigma_y) throw Unsupported("gaussblur has one sigma for both axes");
  }

  VipsBandFormat format() const {
    return depth(request) == 1 ? VIPS_FORMAT_UCHAR : depth(request) == 2 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_FLOAT;
  }

  Image read(const void *source, int64_t stride) {
    const size_t row = size_t(request.width) * channels(request) * depth(request);
    if (size_t(stride) != row) {
      packed.resize(row * request.height);
      for (int64_t y = 0; y < request.height; y++)
        std::memcpy(&packed[y * row], static_cast<const uint8_t *>(source) + y * stride, row);
      source = packed.data();
    }
    VipsImage *image = vips_image_new_from_memory(source, row * request.height, int(request.width),
                                                  int(request.height), channels(request), format());
    return made(image ? 0 : -1, image);
  }

  Image blurred(VipsImage *image) const {
    VipsImage *out = nullptr;
    if (!wide) return made(vips_gaussblur(image, &out, request.sigma_x, nullptr), out);
    Image sums = made(
        vips_gaussblur(image, &out, request.sigma_x, "min_ampl", .001, "precision", VIPS_PRECISION_FLOAT, nullptr), out);
    if (format() == VIPS_FORMAT_FLOAT) return sums;
    Image rounded = made(vips_linear1(sums.get(), &out, 1, .5, nullptr), out);
    return made(vips_cast(rounded.get(), &out, format(), nullptr), out);
  }

  static int write(VipsRegion *region, void *, void *, void *opaque, gboolean *) {
    const Target &target = *static_cast<Target *>(opaque);
    const VipsRect &area = region->valid;
    const size_t pixel = VIPS_IMAGE_SIZEOF_PEL(region->im);
    for (int y = area.top; y < VIPS_RECT_BOTTOM(&area); y++)
      std::memcpy(target.pixels + y * target.stride + area.left * pixel, VIPS_REGION_ADDR(region, area.left, y),
                  area.width * pixel);
    return 0;
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    if (vips_concurrency_get() != request.threads) vips_concurrency_set(request.threads);
    Image image = read(source, from), result = blurred(image.get());
    Target target = {static_cast<uint8_t *>(destination), to};
    made(vips_sink(result.get(), nullptr, write, nullptr, nullptr, &target), nullptr);
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  if (VIPS_INIT("blur")) return nullptr;
  vips_cache_set_max(0);
  static const std::vector<blur_kernel> kernels = {
      kernel<Blur>("vips-gaussblur", "libvips " VIPS_VERSION ", gaussblur, its own window (amplitude .2)",
                   every_format, bits({BLUR_CLAMP}), 0),
      kernel<Blur>("vips-gaussblur-wide", "libvips " VIPS_VERSION ", gaussblur in float, window 3.7 sigma",
                   every_format, bits({BLUR_CLAMP}), 0, "wide")};
  return table(kernels);
}
