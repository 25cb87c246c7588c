// Adapters for Apple's vImage: the sampled Gaussian by convolution, and vImage's own tent and box filters.
// The adapters use one thread.
//
// The adapters were written from Apple's documentation and type-checked against a stub of the header
// (Tests/ports/stubs). They have never run. Gray images use vImage's separable convolution. vImage has no
// separable convolution for interleaved pixels, so rgba images use two convolutions, with windows of one row
// and of one column. In vImage, the weights for 8-bit rgba are 16-bit integers. The widths of the tent and of
// the three boxes are whole numbers of pixels, so their sigma is only close to the requested one. Needs macOS
// 11 or later.

#if __has_include(<Accelerate/Accelerate.h>)

#include <Accelerate/Accelerate.h>

#include <algorithm>

#include "adapter.h"

namespace {

void check(vImage_Error error) {
  if (error != kvImageNoError) throw std::runtime_error("vImage says error " + std::to_string(error));
}

/// The parts that all filters have in common: the format, the edge mode, and memory between passes.
struct Request {
  blur_request request;
  vImage_Flags flags;
  Pixel_8 background[4] = {};
  Pixel_FFFF floats = {};
  std::vector<uint8_t> scratch, between[2];

  explicit Request(const blur_request &r) : request(r) {
    // Without tiling, vImage starts no threads of its own.
    flags = kvImageDoNotTile | (r.edge == BLUR_CLAMP ? kvImageEdgeExtend : kvImageBackgroundColorFill);
    for (int i = 0; i < channels(r); i++) {
      floats[i] = float(r.constant[i]);
      background[i] = Pixel_8(std::clamp(r.constant[i] + .5, 0., 255.));
    }
    for (auto &memory : between) memory.resize(row() * size_t(r.height));
  }

  size_t row() const { return size_t(request.width) * channels(request) * depth(request); }

  vImage_Buffer buffer(const void *pixels, int64_t stride) const {
    return {const_cast<void *>(pixels), vImagePixelCount(request.height), vImagePixelCount(request.width),
            size_t(stride)};
  }

  vImage_Buffer middle(int number) { return buffer(between[number].data(), int64_t(row())); }

  /// Calls `filter` with temporary memory of the size that the filter asks for.
  template <class Filter>
  void run(Filter filter) {
    const vImage_Error size = filter(nullptr, flags | kvImageGetTempBufferSize);
    if (size < 0) check(size);
    if (scratch.size() < size_t(size)) scratch.resize(size_t(size));
    check(filter(scratch.data(), flags));
  }
};

struct Gaussian : Request {
  std::vector<float> x, y;
  std::vector<int16_t> whole_x, whole_y;
  int32_t sum_x = 0, sum_y = 0;

  Gaussian(const blur_request &r, const void *) : Request(r) {
    x = weights(r.sigma_x, whole_x, sum_x), y = weights(r.sigma_y, whole_y, sum_y);
  }

  /// Returns the weights as floats. Also stores the weights as scaled integers in `whole`, and their sum,
  /// which is the divisor, in `sum`. The scale is limited so that 255 times this sum fits into 32 bits.
  static std::vector<float> weights(double sigma, std::vector<int16_t> &whole, int32_t &sum) {
    const std::vector<double> exact = gaussian(sigma, wide_radius(sigma));
    const double scale = std::min(32767 / *std::max_element(exact.begin(), exact.end()), 8e6);
    for (double weight : exact) {
      whole.push_back(int16_t(std::lround(scale * weight)));
      sum += whole.back();
    }
    return {exact.begin(), exact.end()};
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    const vImage_Buffer in = buffer(source, from), out = buffer(destination, to), half = middle(0);
    const uint32_t width = uint32_t(x.size()), height = uint32_t(y.size());
    switch (request.format) {
      case BLUR_GRAY8:
        return run([&](void *memory, vImage_Flags flags) {
          return vImageSepConvolve_Planar8(&in, &out, memory, 0, 0, x.data(), width, y.data(), height, 0,
                                           background[0], flags);
        });
      case BLUR_GRAY16:
        return run([&](void *memory, vImage_Flags flags) {
          return vImageSepConvolve_Planar16U(&in, &out, memory, 0, 0, x.data(), width, y.data(), height, 0,
                                             Pixel_16U(request.constant[0]), flags);
        });
      case BLUR_GRAYF32:
        return run([&](void *memory, vImage_Flags flags) {
          return vImageSepConvolve_PlanarF(&in, &out, memory, 0, 0, x.data(), width, y.data(), height, 0,
                                           floats[0], flags);
        });
      case BLUR_RGBA8:
        run([&](void *memory, vImage_Flags flags) {
          return vImageConvolve_ARGB8888(&in, &half, memory, 0, 0, whole_x.data(), 1, width, sum_x,
                                         background, flags);
        });
        return run([&](void *memory, vImage_Flags flags) {
          return vImageConvolve_ARGB8888(&half, &out, memory, 0, 0, whole_y.data(), height, 1, sum_y,
                                         background, flags);
        });
      default:
        run([&](void *memory, vImage_Flags flags) {
          return vImageConvolve_ARGBFFFF(&in, &half, memory, 0, 0, x.data(), 1, width, floats, flags);
        });
        return run([&](void *memory, vImage_Flags flags) {
          return vImageConvolve_ARGBFFFF(&half, &out, memory, 0, 0, y.data(), height, 1, floats, flags);
        });
    }
  }
};

/// Runs one pass of `vImageTentConvolve` or `vImageBoxConvolve`, whose functions take the same arguments.
template <class Gray, class Colour>
void filtered(Request &r, Gray gray, Colour colour, const vImage_Buffer &in, const vImage_Buffer &out,
              uint32_t height, uint32_t width) {
  r.run([&](void *memory, vImage_Flags flags) {
    return r.request.format == BLUR_GRAY8
               ? gray(&in, &out, memory, 0, 0, height, width, r.background[0], flags)
               : colour(&in, &out, memory, 0, 0, height, width, r.background, flags);
  });
}

/// Returns the width, in pixels, of the tent filter that is closest to a Gaussian of this sigma. A tent of 2
/// m - 1 pixels equals two boxes of m pixels, with the variance (m² - 1) / 6.
uint32_t tent(double sigma) { return 2 * uint32_t(std::lround(std::sqrt(6 * sigma * sigma + 1))) - 1; }

/// Returns the width, in pixels, of three equal boxes that are closest to a Gaussian of this sigma. Three
/// boxes of n pixels have the variance (n² - 1) / 4, and vImage needs odd widths.
uint32_t box(double sigma) {
  return 2 * uint32_t(std::lround((std::sqrt(4 * sigma * sigma + 1) - 1) / 2)) + 1;
}

struct Tent : Request {
  Tent(const blur_request &r, const void *) : Request(r) {}

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    filtered(*this, vImageTentConvolve_Planar8, vImageTentConvolve_ARGB8888, buffer(source, from),
             buffer(destination, to), tent(request.sigma_y), tent(request.sigma_x));
  }
};

struct Boxes : Request {
  Boxes(const blur_request &r, const void *) : Request(r) {}

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    const vImage_Buffer stages[] = {buffer(source, from), middle(0), middle(1), buffer(destination, to)};
    for (int i = 0; i < 3; i++)
      filtered(*this, vImageBoxConvolve_Planar8, vImageBoxConvolve_ARGB8888, stages[i], stages[i + 1],
               box(request.sigma_y), box(request.sigma_x));
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  const uint32_t edges = bits({BLUR_CLAMP, BLUR_CONSTANT}), bytes = bits({BLUR_GRAY8, BLUR_RGBA8});
  const uint32_t formats = bits({BLUR_GRAY8, BLUR_RGBA8, BLUR_GRAY16, BLUR_GRAYF32, BLUR_RGBAF32});
  static const std::vector<blur_kernel> kernels = {
      kernel<Gaussian>("vimage-gaussian", "Apple vImage, convolutions, window 4 sigma (never tried)", formats,
                       edges, 1),
      kernel<Tent>("vimage-tent", "Apple vImage, TentConvolve of the nearest width (never tried)", bytes,
                   edges, 1),
      kernel<Boxes>("vimage-box3", "Apple vImage, BoxConvolve three times (never tried)", bytes, edges, 1)};
  return table(kernels);
}

#else
#error "Accelerate is a part of macOS: there is no Accelerate/Accelerate.h here"
#endif
