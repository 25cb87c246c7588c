// Adapter that applies Intel IPP's box filter three times. The boxes have odd widths whose variances add up
// to about sigma² (Kovesi 2010).

#include "ipp-common.h"

namespace {

struct Boxes : Request {
  int sides[3];
  std::vector<Ipp8u> first, second;
  int stride;

  Boxes(const blur_request &r, const void *) : Request(r), stride(size.width * channels(r) * depth(r)) {
    int lower = int(std::sqrt(4 * sigma * sigma + 1));
    lower -= lower % 2 == 0;
    if (lower < 3) throw Unsupported("sigma below 1.42: sides of 1");
    // The number of boxes that have the smaller odd width, as a real number. The other boxes are 2 pixels
    // wider. The line solves the equation that makes the variances of all three boxes add up to sigma².
    const double lows = (12 * sigma * sigma - 3.0 * lower * lower - 12 * lower - 9) / (-4.0 * lower - 4);
    for (int i = 0; i < 3; i++) sides[i] = lower + (i < std::lround(lows) ? 0 : 2);
    int bytes = 0;
    check(ippiFilterBoxBorderGetBufferSize(size, {sides[2], sides[2]}, type, count, &bytes));
    scratch.resize(bytes), first.resize(size_t(stride) * size.height), second.resize(first.size());
  }

  template <class Pixel, class Filter>
  void run(Filter filter, const void *source, int64_t from, void *destination, int64_t to) {
    const Pixel outside[4] = {};
    const auto pass = [&](const void *a, int64_t row, void *b, int64_t target, int side) {
      check(filter(static_cast<const Pixel *>(a), int(row), static_cast<Pixel *>(b), int(target), size,
                   {side, side}, ippBorderRepl, outside, scratch.data()));
    };
    pass(source, from, first.data(), stride, sides[0]);
    pass(first.data(), stride, second.data(), stride, sides[1]);
    pass(second.data(), stride, destination, to, sides[2]);
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    const auto chosen = [&](auto one, auto three, auto four) {
      return count == 1 ? one : count == 3 ? three : four;
    };
    if (type == ipp8u)
      run<Ipp8u>(
          chosen(ippiFilterBoxBorder_8u_C1R, ippiFilterBoxBorder_8u_C3R, ippiFilterBoxBorder_8u_C4R), source,
          from, destination, to);
    if (type == ipp16u)
      run<Ipp16u>(
          chosen(ippiFilterBoxBorder_16u_C1R, ippiFilterBoxBorder_16u_C3R, ippiFilterBoxBorder_16u_C4R),
          source, from, destination, to);
    if (type == ipp32f)
      run<Ipp32f>(
          chosen(ippiFilterBoxBorder_32f_C1R, ippiFilterBoxBorder_32f_C3R, ippiFilterBoxBorder_32f_C4R),
          source, from, destination, to);
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  static const std::vector<blur_kernel> kernels = {
      kernel<Boxes>("ipp-box3", "Intel IPP " IPP_VERSION_STR ", FilterBoxBorder three times", every_format,
                    bits({BLUR_CLAMP}), 1)};
  return table(kernels);
}
