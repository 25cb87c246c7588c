// Adapter for libvips: gaussblur with its default settings, and with its widest window in float. libvips uses
// its own threads, as many as the request asks for.
//
// By default, gaussblur uses integer weights and cuts the window where the Gaussian falls below 0.2 of its
// peak (1.8 sigma). The lowest limit that it allows is 0.001 (3.7 sigma). All bands are filtered in the same
// way, and edges are clamped. Each call builds a pipeline, which is the intended use of libvips, with the
// cache of results switched off. Rows with padding are first copied to packed rows.
//
// Packages: libvips-dev

#include <cstring>
#include <vips/vips8>

#include "adapter.h"

namespace {

struct Blur {
  blur_request request;
  bool wide;
  VipsBandFormat format;
  std::vector<uint8_t> packed;
  uint8_t *target;
  int64_t stride;

  Blur(const blur_request &r, const void *window) : request(r), wide(window) {
    if (r.sigma_x != r.sigma_y) throw Unsupported("gaussblur has one sigma for both axes");
    format = depth(r) == 1 ? VIPS_FORMAT_UCHAR : depth(r) == 2 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_FLOAT;
  }

  vips::VImage blurred(const vips::VImage &image) const {
    if (!wide) return image.gaussblur(request.sigma_x);
    auto *options = vips::VImage::option()->set("min_ampl", .001)->set("precision", VIPS_PRECISION_FLOAT);
    const vips::VImage sums = image.gaussblur(request.sigma_x, options);
    return format == VIPS_FORMAT_FLOAT ? sums : (sums + .5).cast(format);
  }

  static int write(VipsRegion *region, void *, void *, void *opaque, gboolean *) {
    const Blur &plan = *static_cast<Blur *>(opaque);
    const VipsRect &area = region->valid;
    const size_t pixel = VIPS_REGION_SIZEOF_PEL(region);
    for (int y = area.top; y < VIPS_RECT_BOTTOM(&area); y++)
      std::memcpy(plan.target + y * plan.stride + area.left * pixel, VIPS_REGION_ADDR(region, area.left, y),
                  area.width * pixel);
    return 0;
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    if (vips_concurrency_get() != request.threads) vips_concurrency_set(request.threads);
    const size_t row = size_t(request.width) * channels(request) * depth(request);
    const size_t size = row * request.height;
    if (size_t(from) != row) packed.resize(size);
    for (size_t y = 0; y < packed.size() / row; y++)
      std::memcpy(&packed[y * row], static_cast<const uint8_t *>(source) + y * from, row);
    target = static_cast<uint8_t *>(destination), stride = to;
    const vips::VImage image = vips::VImage::new_from_memory(
        packed.empty() ? const_cast<void *>(source) : packed.data(), size, int(request.width),
        int(request.height), channels(request), format);
    if (vips_sink(blurred(image).get_image(), nullptr, write, nullptr, nullptr, this)) throw vips::VError();
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
