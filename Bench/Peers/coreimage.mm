// Adapter for Apple's Core Image: CIGaussianBlur with its software renderer, without colour management.
//
// This adapter was written from Apple's documentation and type-checked against a stub of the header
// (Tests/ports/stubs). It has never run. Each blur builds a lazy graph and renders it, which is the intended
// use of Core Image. Core Image chooses its number of threads itself, so a request is refused unless it asks
// for one thread per core. The radius of the filter is set to sigma. Needs macOS 10.13 or later.

#if __has_include(<CoreImage/CoreImage.h>)

#import <CoreImage/CoreImage.h>

#include <thread>

#include "adapter.h"

namespace {

struct Blur {
  blur_request request;
  CIContext *context;
  CIFilter *filter;
  CIFormat format;

  Blur(const blur_request &r, const void *) : request(r) {
    if (r.sigma_x != r.sigma_y) throw Unsupported("CIGaussianBlur has one sigma for both axes");
    if (r.threads != int(std::thread::hardware_concurrency()))
      throw Unsupported("Core Image takes the threads it likes: ask for --threads all");
    for (double component : r.constant)
      if (r.edge == BLUR_CONSTANT && component != 0) throw Unsupported("a constant other than 0");
    format = format_of(r.format);
    context = [CIContext contextWithOptions:@{
      kCIContextUseSoftwareRenderer : @YES,
      kCIContextWorkingColorSpace : [NSNull null],
      kCIContextOutputColorSpace : [NSNull null],
      kCIContextWorkingFormat : @(kCIFormatRGBAf),
      kCIContextCacheIntermediates : @NO,
    }];
    filter = [CIFilter filterWithName:@"CIGaussianBlur"];
    if (!context || !filter) throw std::runtime_error("Core Image has no context or no CIGaussianBlur");
    [filter setValue:@(r.sigma_x) forKey:kCIInputRadiusKey];
  }

  static CIFormat format_of(int32_t format) {
    switch (format) {
      case BLUR_GRAY8: return kCIFormatR8;
      case BLUR_GRAY16: return kCIFormatR16;
      case BLUR_GRAYF32: return kCIFormatRf;
      case BLUR_RGBA8: return kCIFormatRGBA8;
      case BLUR_RGBA16: return kCIFormatRGBA16;
      default: return kCIFormatRGBAf;
    }
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    @autoreleasepool {
      const size_t row = size_t(request.width) * channels(request) * depth(request);
      NSData *pixels = [NSData dataWithBytesNoCopy:const_cast<void *>(source)
                                            length:size_t(from) * size_t(request.height - 1) + row
                                      freeWhenDone:NO];
      const CGSize size = CGSizeMake(CGFloat(request.width), CGFloat(request.height));
      CIImage *image = [CIImage imageWithBitmapData:pixels
                                        bytesPerRow:size_t(from)
                                               size:size
                                             format:format
                                         colorSpace:nullptr];
      if (request.edge == BLUR_CLAMP) image = [image imageByClampingToExtent];
      [filter setValue:image forKey:kCIInputImageKey];
      CIImage *blurred = filter.outputImage;
      if (!blurred) throw std::runtime_error("CIGaussianBlur has no output");
      [context render:blurred
             toBitmap:destination
             rowBytes:to
               bounds:CGRectMake(0, 0, size.width, size.height)
               format:format
           colorSpace:nullptr];
    }
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  const uint32_t formats =
      bits({BLUR_GRAY8, BLUR_RGBA8, BLUR_GRAY16, BLUR_RGBA16, BLUR_GRAYF32, BLUR_RGBAF32});
  static const std::vector<blur_kernel> kernels = {
      kernel<Blur>("coreimage-gaussian", "Apple Core Image, CIGaussianBlur in software (never tried)",
                   formats, bits({BLUR_CLAMP, BLUR_CONSTANT}), 0)};
  return table(kernels);
}

#else
#error "Core Image is a part of macOS: there is no CoreImage/CoreImage.h here"
#endif
