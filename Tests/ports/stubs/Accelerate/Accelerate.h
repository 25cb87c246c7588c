/* The declarations of Apple's Accelerate framework that Bench/Peers/accelerate.cpp uses, written from Apple's
 * documentation. With them, the compiler checks the types in that file on Linux. */
#ifndef BLUR_STUB_ACCELERATE_H
#define BLUR_STUB_ACCELERATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long vImagePixelCount;
typedef ssize_t vImage_Error;
typedef uint32_t vImage_Flags;
typedef uint8_t Pixel_8, Pixel_8888[4];
typedef uint16_t Pixel_16U;
typedef float Pixel_F, Pixel_FFFF[4];

typedef struct vImage_Buffer {
  void *data;
  vImagePixelCount height, width;
  size_t rowBytes;
} vImage_Buffer;

enum { kvImageNoError = 0 };
enum {
  kvImageBackgroundColorFill = 4,
  kvImageEdgeExtend = 8,
  kvImageDoNotTile = 16,
  kvImageGetTempBufferSize = 128
};

#define BLUR_STUB_IMAGES                                                                               \
  const vImage_Buffer *source, const vImage_Buffer *target, void *temporary, vImagePixelCount x,       \
      vImagePixelCount y
#define BLUR_STUB_WINDOWS \
  const float *kernelX, uint32_t widthX, const float *kernelY, uint32_t widthY, float bias

vImage_Error vImageSepConvolve_Planar8(
    BLUR_STUB_IMAGES, BLUR_STUB_WINDOWS, Pixel_16U background, vImage_Flags flags);
vImage_Error vImageSepConvolve_Planar16U(
    BLUR_STUB_IMAGES, BLUR_STUB_WINDOWS, Pixel_16U background, vImage_Flags flags);
vImage_Error vImageSepConvolve_PlanarF(
    BLUR_STUB_IMAGES, BLUR_STUB_WINDOWS, Pixel_F background, vImage_Flags flags);

vImage_Error vImageConvolve_ARGB8888(
    BLUR_STUB_IMAGES, const int16_t *kernel, uint32_t height, uint32_t width, int32_t divisor,
    const Pixel_8888 background, vImage_Flags flags);
vImage_Error vImageConvolve_ARGBFFFF(
    BLUR_STUB_IMAGES, const float *kernel, uint32_t height, uint32_t width, const Pixel_FFFF background,
    vImage_Flags flags);

#define BLUR_STUB_FILTER(NAME)                                                                            \
  vImage_Error NAME##_Planar8(                                                                            \
      BLUR_STUB_IMAGES, uint32_t height, uint32_t width, Pixel_8 background, vImage_Flags flags);         \
  vImage_Error NAME##_ARGB8888(                                                                           \
      BLUR_STUB_IMAGES, uint32_t height, uint32_t width, const Pixel_8888 background, vImage_Flags flags);
BLUR_STUB_FILTER(vImageTentConvolve)
BLUR_STUB_FILTER(vImageBoxConvolve)

#ifdef __cplusplus
}
#endif
#endif
