// Adapter for a separable FIR filter scheduled in Halide, which fir.py describes. Halide uses its own
// threads. Their number is the number in the request.
//
// Package of the virtual environment: halide. The setup script passes its version as HALIDE_PACKAGE.

#include <algorithm>

#include "HalideBuffer.h"
#include "adapter.h"
#include "halide_fir.h"

namespace {

using Halide::Runtime::Buffer;

struct Fir {
  blur_request request;
  Buffer<> x, y, constant;

  Fir(const blur_request &r, const void *window)
      : request(r), x(weights(r.sigma_x, *static_cast<const double *>(window))),
        y(weights(r.sigma_y, *static_cast<const double *>(window))), constant(pixel()) {}

  // Returns half the weight of the centre, followed by the weights of one side. In 16 bits, the rounding
  // error of each weight is carried to the next one, so that the sum of the weights is exact.
  Buffer<> weights(double sigma, double window) const {
    const int radius = int(std::ceil(window * sigma));
    std::vector<double> whole = gaussian(sigma, radius);
    Buffer<float> floats(radius + 1);
    Buffer<uint16_t> steps(radius + 1);
    double carried = 0;
    for (int i = radius; i >= 0; i--) {
      const double weight = whole[radius + i] / (i ? 1 : 2);
      floats(i) = float(weight);
      steps(i) = uint16_t(std::lround(weight * 65536 + carried));
      carried += weight * 65536 - steps(i);
    }
    return depth(request) == 1 ? Buffer<>(steps) : Buffer<>(floats);
  }

  // The pixel that lies beyond the edges if the edge mode is `constant`.
  Buffer<> pixel() const {
    Buffer<uint8_t> bytes(channels(request));
    Buffer<float> floats(channels(request));
    for (int c = 0; c < channels(request); c++) {
      bytes(c) = uint8_t(std::lround(std::clamp(request.constant[c], 0., 255.)));
      floats(c) = float(request.constant[c]);
    }
    return depth(request) == 1 ? Buffer<>(bytes) : Buffer<>(floats);
  }

  Buffer<> view(const void *pixels, int64_t stride) const {
    if (stride % depth(request)) throw std::runtime_error("rows don't begin at multiples of a component");
    const halide_dimension_t shape[] = {{0, int(request.width) * channels(request), 1},
                                        {0, int(request.height), int(stride / depth(request))}};
    const halide_type_t type = depth(request) == 1 ? halide_type_of<uint8_t>() : halide_type_of<float>();
    return Buffer<>(type, const_cast<void *>(pixels), 2, shape);
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    static int current = 0;
    if (current != request.threads) {
      // Halide keeps its thread pool from one blur to the next. If the old pool has more threads than are
      // requested now, Halide would still use all of them, so the pool is shut down first.
      halide_shutdown_thread_pool();
      halide_set_num_threads(current = request.threads);
    }
    Buffer<> input = view(source, from), output = view(destination, to);
    const auto run = halide_fir[6 * request.edge + (depth(request) == 1 ? 0 : 3) + channels(request) / 2];
    if (run(input, x, y, constant, output)) throw std::runtime_error("Halide reported an error");
  }
};

const double narrow = 3, wide = 4;

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  const uint32_t formats =
      bits({BLUR_GRAY8, BLUR_RGB8, BLUR_RGBA8, BLUR_GRAYF32, BLUR_RGBF32, BLUR_RGBAF32});
  const uint32_t edges = bits({BLUR_CLAMP, BLUR_MIRROR, BLUR_REFLECT, BLUR_WRAP, BLUR_CONSTANT});
  static const std::vector<blur_kernel> kernels = {
      kernel<Fir>("halide-fir", "separable FIR scheduled in Halide " HALIDE_PACKAGE ", window 3 sigma",
                  formats, edges, 0, &narrow),
      kernel<Fir>("halide-fir-wide", "separable FIR scheduled in Halide " HALIDE_PACKAGE ", window 4 sigma",
                  formats, edges, 0, &wide)};
  return table(kernels);
}
