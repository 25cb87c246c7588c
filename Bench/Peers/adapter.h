// The part that all adapters in C or C++ have in common: it turns a class into a kernel of blur_plugin.h.
//
// An object of the class is a plan. The constructor takes the request and the kernel's context. It throws
// Unsupported if the library cannot do exactly what is requested. The call operator takes the source, the
// stride of the source, the destination and the stride of the destination. Any other exception becomes the
// error of the case.

#pragma once

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

#include "blur_plugin.h"

struct Unsupported : std::runtime_error {
  using runtime_error::runtime_error;
};

constexpr uint32_t bits(std::initializer_list<int> values) {
  uint32_t set = 0;
  for (int value : values) set |= 1u << value;
  return set;
}
constexpr uint32_t every_format = (1u << (BLUR_RGBF32 + 1)) - 1;

inline int channels(const blur_request &request) { return blur_channels(request.format); }

/// The number of bytes per component.
inline int depth(const blur_request &request) { return blur_component_bytes(request.format); }

/// Returns 2 * radius + 1 weights: the Gaussian sampled at the integers, cut off at `radius` and normalised
/// to the sum 1. For sigma 0, the weights are those of the identity.
inline std::vector<double> gaussian(double sigma, int radius) {
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; i++) {
    weights.push_back(i ? std::exp(-i * i / (2 * sigma * sigma)) : 1);
    sum += weights.back();
  }
  for (double &weight : weights) weight /= sum;
  return weights;
}

/// Returns the radius of a window of 4 sigma. Cutting off the Gaussian at this radius adds an error of less
/// than 0.03 levels (a level is 1/255 of full scale).
inline int wide_radius(double sigma) { return static_cast<int>(std::ceil(4 * sigma)); }

template <class Call>
int32_t guarded(blur_message message, Call call) {
  try {
    call();
    return BLUR_OK;
  } catch (const Unsupported &error) {
    std::snprintf(message.text, message.capacity, "%s", error.what());
    return BLUR_UNSUPPORTED;
  } catch (const std::exception &error) {
    std::snprintf(message.text, message.capacity, "%s", error.what());
    return BLUR_FAILED;
  }
}

/// Returns a kernel whose plans are objects of the class `Plan`. The kernel promises nothing, unless the
/// adapter sets `promise` afterwards. Without a promise, the property `plausible` of `verify` is the only one
/// that judges the values of the results: they must look like a Gaussian of the requested sigma. The file
/// template.c explains how to choose a promise.
template <class Plan>
blur_kernel kernel(const char *name, const char *summary, uint32_t formats, uint32_t edges, int most_threads,
                   const void *context = nullptr) {
  blur_kernel made = {};
  made.name = name;
  made.summary = summary;
  made.formats = formats;
  made.edges = edges;
  made.most_threads = most_threads;
  made.context = context;
  made.plan = [](const void *context, const blur_request *request, void **plan, blur_message message) {
    return guarded(message, [&] { *plan = new Plan(*request, context); });
  };
  made.blur = [](void *plan, const void *source, int64_t source_stride, void *destination,
                 int64_t destination_stride, blur_message message) {
    return guarded(message, [&] {
      (*static_cast<Plan *>(plan))(source, source_stride, destination, destination_stride);
    });
  };
  made.destroy = [](void *plan) { delete static_cast<Plan *>(plan); };
  return made;
}

/// Returns the table of a plug-in, which keeps the kernels of the first call.
inline const blur_plugin_table *table(std::vector<blur_kernel> kernels) {
  static const std::vector<blur_kernel> kept = std::move(kernels);
  static const blur_plugin_table made = {BLUR_PLUGIN_VERSION, static_cast<uint32_t>(kept.size()),
                                         kept.data()};
  return &made;
}
