// The parts that all adapters of OpenCV from Debian or Ubuntu have in common. OpenCV uses its own threads, as
// many as the request asks for.
//
// Packages: libopencv-imgproc-dev

#pragma once

#include <opencv2/imgproc.hpp>

#include "adapter.h"

/// A request, translated to the types and constants of OpenCV.
struct Request {
  int type, border, threads;
  cv::Size size;
  double sigma_x, sigma_y;

  explicit Request(const blur_request &r)
      : type(CV_MAKETYPE(depth(r) == 1 ? CV_8U : depth(r) == 2 ? CV_16U : CV_32F, channels(r))),
        border(r.edge == BLUR_CLAMP ? cv::BORDER_REPLICATE
               : r.edge == BLUR_MIRROR ? cv::BORDER_REFLECT_101
               : r.edge == BLUR_REFLECT ? cv::BORDER_REFLECT : cv::BORDER_CONSTANT),
        threads(r.threads), size(int(r.width), int(r.height)), sigma_x(r.sigma_x), sigma_y(r.sigma_y) {
    for (double value : r.constant)
      if (r.edge == BLUR_CONSTANT && value != 0) throw Unsupported("a constant other than 0");
    if (sigma_x == 0 || sigma_y == 0) throw Unsupported("sigma 0: OpenCV would take the other axis' sigma");
  }

  cv::Mat view(const void *pixels, int64_t stride) const {
    static bool set = false;  // changing the number makes new threads; other adapters may have changed it
    if (!set || cv::getNumThreads() != threads) cv::setNumThreads(threads);
    set = true;
    return cv::Mat(size, type, const_cast<void *>(pixels), size_t(stride));
  }
};
