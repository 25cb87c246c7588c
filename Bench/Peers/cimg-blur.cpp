// Adapter for CImg's blur, which is van Vliet's recursive filter. OpenMP divides its lines among the threads.
//
// CImg stores an image as one plane of floats per channel. Splitting rows into planes and joining them again
// is part of the measured time, and the same threads share that work. OMP_WAIT_POLICY decides whether
// OpenMP's threads spin or sleep between blurs.
//
// Packages: cimg-dev

#define cimg_display 0
#define cimg_use_openmp 1
#include <CImg.h>
#include <omp.h>

#include <algorithm>
#include <type_traits>

#include "adapter.h"

namespace {

#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

struct Blur {
  blur_request request;
  cimg_library::CImg<float> planes;

  Blur(const blur_request &r, const void *)
      : request(r), planes(unsigned(r.width), unsigned(r.height), 1, unsigned(channels(r))) {
    if (r.sigma_x < .5 || r.sigma_y < .5) throw Unsupported("sigma below 0.5: another filter");
  }

  template <class Value>
  void run(const char *source, int64_t from, char *target, int64_t to) {
    const int width = planes.width(), count = planes.spectrum();
#pragma omp parallel for
    for (int y = 0; y < planes.height(); y++) {
      const Value *row = reinterpret_cast<const Value *>(source + y * from);
      for (int c = 0; c < count; c++)
        for (int x = 0; x < width; x++) planes(x, y, 0, c) = float(row[x * count + c]);
    }
    planes.blur(float(request.sigma_x), float(request.sigma_y), 0);
#pragma omp parallel for
    for (int y = 0; y < planes.height(); y++) {
      Value *row = reinterpret_cast<Value *>(target + y * to);
      for (int c = 0; c < count; c++)
        for (int x = 0; x < width; x++) row[x * count + c] = rounded<Value>(planes(x, y, 0, c));
    }
  }

  template <class Value>
  static Value rounded(float value) {
    if constexpr (std::is_integral_v<Value>)
      return Value(std::clamp(value + .5f, 0.f, float(Value(~Value(0)))));
    else
      return value;
  }

  void operator()(const void *source, int64_t from, void *target, int64_t to) {
    omp_set_num_threads(request.threads);
    const char *in = static_cast<const char *>(source);
    char *out = static_cast<char *>(target);
    switch (depth(request)) {
      case 1: return run<uint8_t>(in, from, out, to);
      case 2: return run<uint16_t>(in, from, out, to);
      default: return run<float>(in, from, out, to);
    }
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  static const std::vector<blur_kernel> kernels = {
      kernel<Blur>("cimg-blur", "CImg " TEXT(cimg_version) ", blur: van Vliet's recursive filter, OpenMP",
                   every_format, bits({BLUR_CLAMP}), 0)};
  return table(kernels);
}
