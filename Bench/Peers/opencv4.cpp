// OpenCV from Debian or Ubuntu, three ways. Its threads are OpenCV's own, as many as asked for.
// Packages: libopencv-imgproc-dev. Libraries: -lopencv_imgproc -lopencv_core
//
// 8-bit GaussianBlur computes with weights in steps of 1/256, which at large sigma is off by many levels whatever
// the window; so the wide kernel filters 8-bit images with float weights into a float buffer.

#include <opencv2/imgproc.hpp>

#include "adapter.h"

namespace {

struct Common {
  int type, border, threads;
  cv::Size size;
  double sigma_x, sigma_y;

  explicit Common(const blur_request &r)
      : type(CV_MAKETYPE(r.format < BLUR_GRAY16 ? CV_8U : r.format < BLUR_GRAYF32 ? CV_16U : CV_32F, channels(r))),
        border(r.edge == BLUR_CLAMP ? cv::BORDER_REPLICATE
               : r.edge == BLUR_MIRROR ? cv::BORDER_REFLECT_101
               : r.edge == BLUR_REFLECT ? cv::BORDER_REFLECT : cv::BORDER_CONSTANT),
        threads(r.threads), size(int(r.width), int(r.height)), sigma_x(r.sigma_x), sigma_y(r.sigma_y) {
    for (double value : r.constant)
      if (r.edge == BLUR_CONSTANT && value != 0) throw Unsupported("a constant other than 0");
    if (sigma_x == 0 || sigma_y == 0) throw Unsupported("sigma 0: OpenCV would take the other axis' sigma");
  }

  cv::Mat view(const void *pixels, int64_t stride) const {
    static int current = -1;  // changing the number makes new threads
    if (current != threads) cv::setNumThreads(current = threads);
    return cv::Mat(size, type, const_cast<void *>(pixels), size_t(stride));
  }
};

struct Default : Common {
  Default(const blur_request &r, const void *) : Common(r) {}
  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    cv::Mat target = view(destination, to);
    cv::GaussianBlur(view(source, from), target, cv::Size(), sigma_x, sigma_y, border);
  }
};

struct Wide : Common {
  cv::Mat row, column, sums;
  Wide(const blur_request &r, const void *)
      : Common(r), row(cv::Mat(gaussian(sigma_x, wide_radius(sigma_x)), true)),
        column(cv::Mat(gaussian(sigma_y, wide_radius(sigma_y)), true)) {
    row.convertTo(row, CV_32F), column.convertTo(column, CV_32F);
  }
  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    cv::Mat target = view(destination, to), &result = CV_MAT_DEPTH(type) == CV_32F ? target : sums;
    cv::sepFilter2D(view(source, from), result, CV_32F, row, column, cv::Point(-1, -1), 0, border);
    if (&result == &sums) sums.convertTo(target, type);
  }
};

// Shrinks by the power of two that leaves a sigma of 2.5 to 5, less the variances of shrinking and enlarging.
struct Shrink : Common {
  cv::Size low;
  double low_x, low_y;
  cv::Mat small, blurred;
  Shrink(const blur_request &r, const void *) : Common(r), low(shrunk(size.width, sigma_x), shrunk(size.height, sigma_y)) {
    low_x = rest(size.width, low.width, sigma_x), low_y = rest(size.height, low.height, sigma_y);
  }
  static int shrunk(int count, double sigma) {
    if (sigma < 5) throw Unsupported("sigma below 5: nothing to shrink");
    return std::max(1, int(std::lround(count / std::exp2(std::floor(std::log2(sigma / 2.5))))));
  }
  static double rest(double count, double low, double sigma) {
    const double factor = count / low, area = (factor * factor - 1) / 12, linear = factor * factor / 6;
    return std::sqrt(sigma * sigma - area - linear) / factor;
  }
  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    cv::Mat target = view(destination, to);
    cv::resize(view(source, from), small, low, 0, 0, cv::INTER_AREA);
    cv::GaussianBlur(small, blurred, cv::Size(), low_x, low_y, border);
    cv::resize(blurred, target, size, 0, 0, cv::INTER_LINEAR);
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  const uint32_t edges = bits({BLUR_CLAMP, BLUR_MIRROR, BLUR_REFLECT, BLUR_CONSTANT});
  static const std::vector<blur_kernel> kernels = {
      kernel<Default>("opencv4-gaussian", "OpenCV " CV_VERSION ", GaussianBlur, its own window", every_format, edges, 0),
      kernel<Wide>("opencv4-gaussian-wide", "OpenCV " CV_VERSION ", sepFilter2D in float, window 4 sigma", every_format, edges, 0),
      kernel<Shrink>("opencv4-shrink", "OpenCV " CV_VERSION ", resize by area, GaussianBlur, resize linear", every_format,
                     bits({BLUR_CLAMP, BLUR_REFLECT}), 0)};
  return table(kernels);
}
