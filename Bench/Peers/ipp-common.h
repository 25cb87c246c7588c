// The parts that all adapters of Intel IPP have in common. The adapters use one thread, because the threading
// layer of IPP does not contain the functions used here.
//
// Packages of the virtual environment: ipp-static, ipp-include

#pragma once

#include <ipp.h>

#include "adapter.h"

inline void check(IppStatus status) {
  if (status < ippStsNoErr) throw std::runtime_error(ippGetStatusString(status));
}

/// A request, translated to the types of Intel IPP.
struct Request {
  IppiSize size;
  IppDataType type;
  int count;  // the number of channels
  double sigma;
  std::vector<Ipp8u> scratch;

  explicit Request(const blur_request &r)
      : size{int(r.width), int(r.height)}, type(depth(r) == 1 ? ipp8u : depth(r) == 2 ? ipp16u : ipp32f),
        count(channels(r)), sigma(r.sigma_x) {
    if (r.sigma_x != r.sigma_y) throw Unsupported("different sigmas for the axes");
  }
};
