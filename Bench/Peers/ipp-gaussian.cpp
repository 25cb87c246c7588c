// Adapters for Intel IPP's Gaussian filter: one with a window of 3 sigma, which OpenCV chooses when it calls
// IPP, and one with a window of 4 sigma. The filter supports 1 and 3 channels, but not 4.

#include "ipp-common.h"

#include <algorithm>

namespace {

struct Gaussian : Request {
  std::vector<Ipp8u> memory;
  IppFilterGaussianSpec *spec;
  double constant[3];  // the pixel beyond the edges for the edge mode constant

  Gaussian(const blur_request &r, const void *window) : Request(r) {
    if (sigma == 0) throw Unsupported("sigma 0");
    std::copy_n(r.constant, 3, constant);
    const int radius = int(std::ceil(*static_cast<const double *>(window) * sigma)), side = 2 * radius + 1;
    int bytes = 0, more = 0;
    check(ippiFilterGaussianGetBufferSize(size, side, type, count, &bytes, &more));
    memory.resize(bytes), scratch.resize(more);
    spec = reinterpret_cast<IppFilterGaussianSpec *>(memory.data());
    const IppiBorderType border = r.edge == BLUR_CLAMP    ? ippBorderRepl
                                  : r.edge == BLUR_MIRROR ? ippBorderMirror
                                                          : ippBorderConst;
    check(ippiFilterGaussianInit(size, side, float(sigma), border, type, count, spec, scratch.data()));
  }

  template <class Pixel, class Gray, class Colour>
  void run(Gray gray, Colour colour, const void *from, int64_t row, void *to, int64_t target) {
    const auto *source = static_cast<const Pixel *>(from);
    auto *destination = static_cast<Pixel *>(to);
    Pixel outside[] = {Pixel(constant[0]), Pixel(constant[1]), Pixel(constant[2])};
    check(count == 1
              ? gray(source, int(row), destination, int(target), size, outside[0], spec, scratch.data())
              : colour(source, int(row), destination, int(target), size, outside, spec, scratch.data()));
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    if (type == ipp8u)
      run<Ipp8u>(ippiFilterGaussianBorder_8u_C1R, ippiFilterGaussianBorder_8u_C3R, source, from, destination,
                 to);
    if (type == ipp16u)
      run<Ipp16u>(ippiFilterGaussianBorder_16u_C1R, ippiFilterGaussianBorder_16u_C3R, source, from,
                  destination, to);
    if (type == ipp32f)
      run<Ipp32f>(ippiFilterGaussianBorder_32f_C1R, ippiFilterGaussianBorder_32f_C3R, source, from,
                  destination, to);
  }
};

const double narrow = 3, wide = 4;

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  const uint32_t formats = bits({BLUR_GRAY8, BLUR_GRAY16, BLUR_GRAYF32, BLUR_RGB8, BLUR_RGB16, BLUR_RGBF32});
  const uint32_t edges = bits({BLUR_CLAMP, BLUR_MIRROR, BLUR_CONSTANT});
  static const std::vector<blur_kernel> kernels = {
      kernel<Gaussian>("ipp-gaussian",
                       "Intel IPP " IPP_VERSION_STR ", FilterGaussianBorder, window 3 sigma", formats, edges,
                       1, &narrow),
      kernel<Gaussian>("ipp-gaussian-wide",
                       "Intel IPP " IPP_VERSION_STR ", FilterGaussianBorder, window 4 sigma", formats, edges,
                       1, &wide)};
  return table(kernels);
}
