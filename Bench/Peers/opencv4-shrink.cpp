// The method that experts use for a large sigma: shrink the image by area averages, blur it a little, and
// enlarge it again.
//
// The image is shrunk by the power of two that leaves a sigma of 2.5 to 5. Shrinking and enlarging blur the
// image too, so their variances are subtracted from the variance of the blur. For the edge mode clamp, the
// small image gets a ring of the outermost pixels, shrunk only along the edge, and the blur repeats this ring
// outwards. Within half a small pixel of the edge, the result still has a larger error than inside.

#include "opencv4.h"

namespace {

struct Shrink : Request {
  int ring;
  cv::Size low;
  double low_x, low_y;
  cv::Mat small, blurred;
  Shrink(const blur_request &r, const void *)
      : Request(r), ring(r.edge == BLUR_CLAMP),
        low(shrunk(size.width, sigma_x), shrunk(size.height, sigma_y)),
        low_x(rest(size.width, low.width, sigma_x)), low_y(rest(size.height, low.height, sigma_y)),
        small(low.height + 2 * ring, low.width + 2 * ring, type) {}
  static int shrunk(int count, double sigma) {
    if (sigma < 5) throw Unsupported("sigma below 5: nothing to shrink");
    return std::max(1, int(std::lround(count / std::exp2(std::floor(std::log2(sigma / 2.5))))));
  }
  static double rest(double count, double low, double sigma) {
    const double factor = count / low, area = (factor * factor - 1) / 12, linear = factor * factor / 6;
    return std::sqrt(sigma * sigma - area - linear) / factor;
  }
  // The small image is composed of nine parts: the image itself, its four edges and its four corners. Along
  // one axis, part 0 is the first pixel, part 1 is the whole line, and part 2 is the last pixel. `from`
  // returns where a part is taken from the source, and `to` returns where it is placed in the small image.
  static cv::Range from(int part, int count) {
    return part == 0 ? cv::Range(0, 1) : part == 1 ? cv::Range(0, count) : cv::Range(count - 1, count);
  }
  cv::Range to(int part, int count) const {
    return part == 0   ? cv::Range(0, 1)
           : part == 1 ? cv::Range(ring, count + ring)
                       : cv::Range(count + 1, count + 2);
  }
  void operator()(const void *source, int64_t source_stride, void *destination, int64_t destination_stride) {
    const cv::Mat original = view(source, source_stride);
    cv::Mat target = view(destination, destination_stride);
    for (int j = 1 - ring; j <= 1 + ring; j++)
      for (int i = 1 - ring; i <= 1 + ring; i++) {
        cv::Mat part = small(to(j, low.height), to(i, low.width));
        const cv::Mat piece = original(from(j, size.height), from(i, size.width));
        cv::resize(piece, part, part.size(), 0, 0, cv::INTER_AREA);
      }
    cv::GaussianBlur(small, blurred, cv::Size(), low_x, low_y, border);
    cv::resize(blurred(to(1, low.height), to(1, low.width)), target, size, 0, 0, cv::INTER_LINEAR);
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  static const std::vector<blur_kernel> kernels = {
      kernel<Shrink>("opencv4-shrink", "OpenCV " CV_VERSION ", resize by area, GaussianBlur, resize linear",
                     every_format, bits({BLUR_CLAMP, BLUR_REFLECT}), 0)};
  return table(kernels);
}
