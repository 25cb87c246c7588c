// Adapters for OpenCV's Gaussian: one with the default settings, and one with a window and a number format
// that keep our error bound.
//
// The 8-bit GaussianBlur uses weights in steps of 1/256. At a large sigma, that causes errors of many levels,
// whatever the window is. The wide kernel therefore filters floats, and converts 8- and 16-bit images to
// floats and back.

#include "opencv4.h"

namespace {

struct Default : Request {
  Default(const blur_request &r, const void *) : Request(r) {}
  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    cv::Mat target = view(destination, to);
    cv::GaussianBlur(view(source, from), target, cv::Size(), sigma_x, sigma_y, border);
  }
};

struct Wide : Request {
  cv::Mat row, column, floats, sums;
  Wide(const blur_request &r, const void *)
      : Request(r), row(cv::Mat(gaussian(sigma_x, wide_radius(sigma_x)), true)),
        column(cv::Mat(gaussian(sigma_y, wide_radius(sigma_y)), true)) {
    row.convertTo(row, CV_32F), column.convertTo(column, CV_32F);
  }
  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    const cv::Mat original = view(source, from);
    cv::Mat target = view(destination, to);
    const bool direct = original.depth() == CV_32F;
    if (!direct) original.convertTo(floats, CV_32F);
    cv::sepFilter2D(direct ? original : floats, direct ? target : sums, CV_32F, row, column, {-1, -1}, 0,
                    border);
    if (!direct) sums.convertTo(target, type);
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  const uint32_t edges = bits({BLUR_CLAMP, BLUR_MIRROR, BLUR_REFLECT, BLUR_CONSTANT});
  static const std::vector<blur_kernel> kernels = {
      kernel<Default>("opencv4-gaussian", "OpenCV " CV_VERSION ", GaussianBlur, its own window", every_format,
                      edges, 0),
      kernel<Wide>("opencv4-gaussian-wide", "OpenCV " CV_VERSION ", sepFilter2D in float, window 4 sigma",
                   every_format, edges, 0)};
  return table(kernels);
}
