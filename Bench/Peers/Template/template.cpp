/* The smallest complete plug-in in C++20: a separable Gaussian for 8-bit pixels with clamped edges. The
 * kernel is a class, and each object of the class is a plan. To build and check the plug-in:
 *
 *   flags='-std=c++20 -O2 -shared -fPIC -ISources/CBlur/include'
 *   c++ $flags Bench/Peers/Template/template.cpp -o template.so
 *   blurbench verify --plugin ./template.so
 */

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "blur_plugin.h"

namespace {

/// Throw this exception if the kernel does not support a request. The case is then SKIPPED with the message.
struct Unsupported : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Returns 2 * radius + 1 weights: the Gaussian sampled at the integers, cut off at 4 sigma and scaled to the
/// sum 1. For sigma 0, it returns the single weight 1.
std::vector<float> gaussian(double sigma) {
  const int radius = static_cast<int>(std::ceil(4 * sigma));
  std::vector<double> exact;
  double sum = 0;
  for (int i = -radius; i <= radius; i++) {
    exact.push_back(i ? std::exp(-double(i) * i / (2 * sigma * sigma)) : 1);
    sum += exact.back();
  }
  std::vector<float> weights;
  for (double weight : exact) weights.push_back(static_cast<float>(weight / sum));
  return weights;
}

class TemplateGaussian {
 public:
  /// Makes a plan, once per case. Allocate memory and make decisions here, and not in the blur itself. The
  /// harness has already checked `formats`, `edges` and `most_threads` of the table below.
  explicit TemplateGaussian(const blur_request &request)
      : width(request.width), height(request.height), channels(blur_channels(request.format)),
        across(gaussian(request.sigma_x)), down(gaussian(request.sigma_y)),
        padded(static_cast<size_t>((width + 2 * radius(across)) * channels)) {}

  /// Blurs the image row by row. For each row, the vertical pass writes the weighted sums of the columns into
  /// a buffer. The buffer is then extended on both sides with copies of its edge pixels, and the horizontal
  /// pass sums along it.
  void operator()(const uint8_t *source, int64_t source_stride, uint8_t *target, int64_t target_stride) {
    const int64_t count = width * channels;  // the number of values in a row
    float *row = padded.data() + radius(across) * channels;
    for (int64_t y = 0; y < height; y++) {
      std::fill_n(row, count, 0.0f);
      for (int64_t i = -radius(down); i <= radius(down); i++) {
        const uint8_t *line = source + std::clamp<int64_t>(y + i, 0, height - 1) * source_stride;
        const float weight = down[i + radius(down)];
        for (int64_t x = 0; x < count; x++) row[x] += weight * line[x];
      }
      for (int64_t i = 0; i < radius(across) * channels; i++) {
        row[-1 - i] = row[channels - 1 - i % channels];
        row[count + i] = row[count - channels + i % channels];
      }
      for (int64_t x = 0; x < count; x++) {
        float sum = 0.5f;
        for (int64_t i = -radius(across); i <= radius(across); i++)
          sum += across[i + radius(across)] * row[x + i * channels];
        target[y * target_stride + x] = static_cast<uint8_t>(std::min(sum, 255.0f));
      }
    }
  }

 private:
  static int64_t radius(const std::vector<float> &weights) { return std::ssize(weights) / 2; }

  int64_t width, height, channels;
  std::vector<float> across, down;
  std::vector<float> padded;  // one row after the vertical pass, with `radius` more pixels on each side
};

/// Calls `body` and turns an exception into a status, because no exception may leave a C function.
template <class Body>
int32_t guarded(blur_message message, Body body) {
  try {
    body();
    return BLUR_OK;
  } catch (const Unsupported &error) {
    std::snprintf(message.text, message.capacity, "%s", error.what());
    return BLUR_UNSUPPORTED;
  } catch (const std::exception &error) {
    std::snprintf(message.text, message.capacity, "%s", error.what());
    return BLUR_FAILED;
  }
}

int32_t make_plan(const void *, const blur_request *request, void **plan, blur_message message) {
  return guarded(message, [&] { *plan = new TemplateGaussian(*request); });
}

int32_t blur(void *plan, const void *source, int64_t source_stride, void *destination,
             int64_t destination_stride, blur_message message) {
  return guarded(message, [&] {
    (*static_cast<TemplateGaussian *>(plan))(static_cast<const uint8_t *>(source), source_stride,
                                             static_cast<uint8_t *>(destination), destination_stride);
  });
}

void destroy(void *plan) { delete static_cast<TemplateGaussian *>(plan); }

const blur_kernel kernels[] = {{
    .name = "template-gaussian",
    .summary = "separable Gaussian, window 4 sigma, plain C++: the plug-in to start from",
    /* The promise: the largest error that the kernel claims for any image, which `verify` checks.
     * - A kernel that computes the Gaussian promises BLUR_PROMISE_EXACT, with 1 level (1/255 of full scale)
     *   for 8 bits. If it offers 16 bits or float, it also sets `promise_share`. A window that ends
     *   at 4 sigma, as here, can promise 1e-4. A promise of 2e-5 needs a window of 5 sigma.
     * - An approximation promises BLUR_PROMISE_APPROXIMATION. Its number of levels is the largest error that
     *   `blurbench certify` prints, plus 1.
     * - With BLUR_PROMISE_NONE, `verify` only checks that the result looks like a Gaussian.
     * - A kernel that is another filter states BLUR_PROMISE_NOT_GAUSSIAN.
     * docs/KERNEL-AUTHORS.md shows how to find the largest error. */
    .promise = BLUR_PROMISE_EXACT,
    .promise_levels = 1,
    .promise_share = 0,
    .formats = 1u << BLUR_GRAY8 | 1u << BLUR_RGB8 | 1u << BLUR_RGBA8,
    .edges = 1u << BLUR_CLAMP,
    .most_threads = 1,
    .context = nullptr,
    .plan = make_plan,
    .blur = blur,
    .destroy = destroy,
}};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  static const blur_plugin_table table = {BLUR_PLUGIN_VERSION, std::size(kernels), kernels};
  return &table;
}
