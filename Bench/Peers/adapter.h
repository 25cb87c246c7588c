// What every adapter in C or C++ shares: a class becomes a kernel of blur_plugin.h.
//
// The class is the plan. Its constructor takes the request and the kernel's context, and throws Unsupported
// for what the library doesn't do alike; its call operator takes source, stride, destination, stride. Other
// exceptions become the case's error.

#pragma once

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
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

/// Bytes of one component.
inline int depth(const blur_request &request) { return blur_component_bytes(request.format); }

/// The sampled Gaussian cut at `radius` and normalised: 2 * radius + 1 weights. Sigma 0 is the identity.
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

/// Four sigma: cutting there costs less than .03 level.
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

/// The kernel whose plan is `Plan`. It promises nothing unless the adapter says so afterwards.
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

inline const blur_plugin_table *table(const std::vector<blur_kernel> &kernels) {
  static blur_plugin_table made;
  made = {BLUR_PLUGIN_VERSION, static_cast<uint32_t>(kernels.size()), kernels.data()};
  return &made;
}
