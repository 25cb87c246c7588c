#ifndef BLUR_H
#define BLUR_H

/* The Gaussian blur of BlurBench's library, for C, C++ and every language that can call C. For C++, there is
 * also blur.hpp. One call blurs one image:
 *
 *   blur_options options = {.size = sizeof options, .format = BLUR_RGBA8, .width = 1920, .height = 1080,
 *                           .sigma_x = 12, .sigma_y = 12};
 *   if (blur_image(&options, source, 0, destination, 0)) fprintf(stderr, "%s\n", blur_last_error());
 *
 * To blur many images, make a plan once, and blur with it as often as you like:
 *
 *   blur_plan *plan;
 *   if (blur_plan_create(&options, &plan) || blur_execute(plan, source, 0, destination, 0))
 *     fprintf(stderr, "%s\n", blur_last_error());
 *   blur_destroy(plan);
 *
 * Sigma can also differ from pixel to pixel. A mask then says how much each pixel is blurred; see the
 * functions below whose names begin with `blur_variable`.
 *
 * Threads: every function may be called from any thread. Calls of `blur_execute` on the same plan wait for
 * each other, so threads that should blur at the same time need a plan each.
 *
 * Memory: images are read and written where they are. Only with BLUR_STRAIGHT, the plan keeps wider copies of
 * both images. `blur_plan_create` and `blur_image` allocate all the memory that a plan needs, and
 * `blur_execute` allocates none. With several threads, however, Dispatch itself allocates a few blocks
 * of 64 bytes to wake them. Images may begin at any address and have any stride, however unaligned.
 *
 * Recent plans: `blur_destroy` keeps a plan with its memory, and the next call of `blur_plan_create` with the
 * same options returns it again. So a program that makes a plan for each blur is nearly as fast as one that
 * uses the same plan for all blurs. At most 16 plans are kept, with at most 16 MiB of scratch memory in all,
 * and `blur_clear_plans` frees them.
 *
 * Errors: functions that can fail return a blur_error, which is 0 for success. `blur_last_error` has the
 * details. No value of an argument ends the program, but the library trusts addresses: each one must point
 * to as much memory as the call needs.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. `blur_version` returns the version of the library. */
#define BLUR_VERSION 1

/* BlurBench's header for plug-ins, blur_plugin.h, defines the same formats and edge modes. A program may
 * include both headers. */
#ifndef BLUR_FORMATS_AND_EDGES
#define BLUR_FORMATS_AND_EDGES

/* A pixel format. The components of a pixel are interleaved and have native byte order, and the colours of
 * rgba pixels are premultiplied by alpha, unless the option `pixels` says otherwise. Full scale is 255 for 8
 * bits, 65535 for 16 bits and 1.0 for float. */
typedef enum blur_format {
  BLUR_GRAY8 = 0,
  BLUR_RGBA8 = 1,
  BLUR_GRAY16 = 2,
  BLUR_RGBA16 = 3,
  BLUR_GRAYF32 = 4,
  BLUR_RGBAF32 = 5,
  BLUR_RGB8 = 6,
  BLUR_RGB16 = 7,
  BLUR_RGBF32 = 8
} blur_format;

/* An edge mode, which says what lies beyond the edges of the image. In the sketches, abcd is the image. */
typedef enum blur_edge {
  BLUR_CLAMP = 0,    /* aaa|abcd|ddd */
  BLUR_MIRROR = 1,   /* dcb|abcd|cba */
  BLUR_REFLECT = 2,  /* cba|abcd|dcb */
  BLUR_WRAP = 3,     /* bcd|abcd|abc */
  BLUR_CONSTANT = 4  /* kkk|abcd|kkk, where k is the pixel `constant` of the options */
} blur_edge;

#endif

/* The order of the channels, from the lowest address to the highest, and the meaning of the fourth channel.
 * One order and one meaning can be combined: BLUR_BGRA | BLUR_STRAIGHT. 0 stands for red, green, blue and
 * premultiplied alpha.
 *
 * With BLUR_STRAIGHT, the error bound holds for alpha. The error of a colour is at most the bound divided by
 * alpha. Both limits hold before the result is rounded. Where the blurred alpha is 0, the colours become 0.
 * With sigma 0, no pixel changes. In a variable blur, however, a mask value of 0 still rounds float colours,
 * and still sets the colours to 0 where alpha is 0. */
typedef enum blur_pixels {
  BLUR_BGRA = 1,      /* blue, green, red, alpha; in an rgb format blue, green, red */
  BLUR_ARGB = 2,      /* alpha, red, green, blue */
  BLUR_ABGR = 3,      /* alpha, blue, green, red */
  BLUR_STRAIGHT = 16, /* colours are not multiplied by alpha, as in PNG files */
  BLUR_OPAQUE = 32    /* the fourth channel has no meaning. It becomes full scale in the result */
} blur_pixels;

/* The reason why a function failed. */
typedef enum blur_error {
  BLUR_SUCCESS = 0,
  BLUR_ERROR_ARGUMENT = 1,    /* a null pointer, a struct of the wrong size, an unknown format or edge mode */
  BLUR_ERROR_LAYOUT = 2,      /* a size, stride, order or alpha that images of the format cannot have */
  BLUR_ERROR_SIGMA = 3,       /* a sigma that is not a number from 0 to 1000, or that was never set */
  BLUR_ERROR_REGION = 4,      /* a region that is empty, reaches outside the image or cannot be downscaled, or
                               * a `downscaled` that is not allowed */
  BLUR_ERROR_THREADS = 5,     /* a number of threads outside 0 to 1024 */
  BLUR_ERROR_KERNEL = 6,      /* no kernel has that name */
  BLUR_ERROR_ACCURACY = 7,    /* an error bound that no kernel keeps, that is negative, or that is NaN */
  BLUR_ERROR_UNSUPPORTED = 8, /* the kernel does not support the request */
  BLUR_ERROR_OVERLAP = 9,     /* source and destination share memory */
  BLUR_ERROR_MEMORY = 10,     /* the system does not have enough memory */
  BLUR_ERROR_FAILED = 11      /* the kernel accepted the request and then failed */
} blur_error;

/* A rectangle of pixels. If all members are zero, it stands for the whole image. */
typedef struct blur_region {
  int64_t x, y;          /* left column and top row of the rectangle, counted from 0 */
  int64_t width, height; /* size of the rectangle in pixels */
} blur_region;

/* The options of a plan. Set all members to zero first, which selects the defaults, and then set `size`. */
typedef struct blur_options {
  size_t size;        /* sizeof(blur_options), which tells the library the version of this struct */
  int32_t format;     /* a blur_format */
  int32_t edge;       /* a blur_edge */
  int64_t width;      /* pixels, 1 to 16,777,216 */
  int64_t height;     /* pixels, 1 to 16,777,216 */
  double sigma_x;     /* standard deviation along a row in pixels, 0 to 1000; 0 leaves rows unchanged */
  double sigma_y;     /* standard deviation along a column in pixels, 0 to 1000; 0 leaves columns unchanged.
                       * If both sigmas are 0, they were probably never set, and the request is an error */
  float constant[4];  /* the pixel of BLUR_CONSTANT: red, green, blue and alpha in the units of the format.
                       * With BLUR_STRAIGHT, colours are not multiplied by alpha. Gray uses only the first
                       * component, and rgb the first three */
  blur_region region; /* the part of the blurred image that is wanted. Pixels around it are read, too */
  double max_error;   /* the largest error that is allowed in any pixel, in levels (1/255 of full scale); 0
                       * stands for 1 */
  const char *kernel; /* the name of a kernel in UTF-8, see `blur_kernel_name`, or NULL to let the library
                       * choose the fastest kernel within `max_error` */
  int32_t threads;    /* the number of threads that blur one image, 1 to 1024; 0 stands for 1. The result
                       * does not depend on this number */
  int32_t allow_copy; /* 1 allows both sigmas to be 0, for example in an animation that begins with a sharp
                       * image. The image is then copied */
  int32_t pixels;     /* a combination of blur_pixels, or 0 */
  int32_t downscaled; /* 2 or 4 makes the result half or a quarter as wide and high as the region; 0 or 1
                       * keeps its size. Each pixel of a smaller result is the mean of a block of pixels.
                       * Columns and rows at the end of the region that do not fill a block are left out. The
                       * region must begin at a multiple of this number */
} blur_options;

/* Blurs one image. The options describe the image and the blur, and the other arguments are as in
 * `blur_execute`. A plan with the same options gives the same result. */
int32_t blur_image(const blur_options *options, const void *source, int64_t source_stride, void *destination,
                   int64_t destination_stride);

/* A kernel prepared for one format, size, sigma and edge mode. */
typedef struct blur_plan blur_plan;

/* Makes a plan and stores its address at `plan`. If the return value is not 0, NULL is stored there instead.
 * The plan belongs to the caller, who frees it with `blur_destroy`.
 *
 * If the options name a kernel and `max_error` is not 0, the kernel must promise an error of at most
 * `max_error`. Otherwise the function fails with BLUR_ERROR_ACCURACY. */
int32_t blur_plan_create(const blur_options *options, blur_plan **plan);

/* Blurs an image of the planned format and size.
 *
 * `source` is the address of the first pixel of the whole image. `destination` is the address of the first
 * pixel of the result, which has the size of the planned region, divided by `downscaled`. A stride is the
 * number of bytes from one row to the next. It is at least the length of a row, or 0 for rows without
 * padding. It may differ from call to call. Padding is neither read nor written. Source and destination must
 * not overlap, but they may be parts of one larger image, side by side in the same rows. */
int32_t blur_execute(blur_plan *plan, const void *source, int64_t source_stride, void *destination,
                     int64_t destination_stride);

/* Gives a plan back to the library. The library frees it, or keeps it for a later call of `blur_plan_create`
 * with the same options. No call may still be using the plan. Does nothing if `plan` is NULL. */
void blur_destroy(blur_plan *plan);

/* Frees the plans that `blur_destroy` and `blur_image` have kept. Plans that are not destroyed yet stay
 * valid. */
void blur_clear_plans(void);

/* Returns the name of the kernel that a plan runs, or NULL if `plan` is NULL. The text stays valid as long as
 * the plan does. */
const char *blur_plan_kernel(const blur_plan *plan);

/* A method for blurs whose sigma differs from pixel to pixel. */
typedef enum blur_variable_method {
  BLUR_VARIABLE_LEVELS = 0,     /* mixes blurs of fixed sigma, each a tenth wider than the one before.
                                 * Mixing adds an error of less than a level (1/255 of full scale) */
  BLUR_VARIABLE_LAYERS = 1,     /* mixes eight blurs with evenly spaced sigmas. The error is large where the
                                 * mask is dark */
  BLUR_VARIABLE_CROSS_FADE = 2, /* mixes the image with one blurred version of it. This is the cheapest
                                 * method, but sharp edges show through the blur */
  BLUR_VARIABLE_TWO_PASS = 3    /* makes two passes, each with the sigma of the pixel that it writes. The
                                 * error is large where sigma changes from row to row */
} blur_variable_method;

/* The options of a plan for a variable blur. The sigma of each pixel is `sigma` times the mask's value at the
 * pixel, divided by 255. Set all members to zero first, which selects the defaults, and then set `size` and
 * `mask`. */
typedef struct blur_variable_options {
  size_t size;         /* sizeof(blur_variable_options) */
  int32_t format;      /* a blur_format */
  int32_t edge;        /* a blur_edge */
  int64_t width;       /* pixels, 1 to 16,777,216 */
  int64_t height;      /* pixels, 1 to 16,777,216 */
  double sigma;        /* standard deviation where the mask is 255, in pixels, 0 to 1000. A sigma of 0 was
                        * probably never set, and is an error */
  float constant[4];   /* the pixel of BLUR_CONSTANT, as in blur_options */
  const uint8_t *mask; /* one byte for each pixel; 0 leaves the pixel as it is (for exceptions, see
                        * blur_pixels). The mask is copied, so the caller need not keep it */
  int64_t mask_stride; /* bytes from one row of the mask to the next, at least `width`; 0 for no padding */
  const char *kernel;  /* the name in UTF-8 of the kernel that makes the blurs to be mixed, or NULL to let the
                        * library choose the fastest kernel within a level */
  int32_t method;      /* a blur_variable_method */
  int32_t threads;     /* the number of threads that blur one image, 1 to 1024; 0 stands for 1. The result
                        * does not depend on this number */
  int32_t allow_copy;  /* 1 allows a sigma of 0, which copies the image */
  int32_t pixels;      /* a combination of blur_pixels, or 0 */
} blur_variable_options;

/* A variable blur prepared for one format, size, mask and edge mode. */
typedef struct blur_variable_plan blur_variable_plan;

/* Makes a plan for a variable blur and stores its address at `plan`. If the return value is not 0, NULL is
 * stored there instead. The plan belongs to the caller, who frees it with `blur_variable_destroy`. The plan
 * blurs only the parts of the image where the mask requires it. */
int32_t blur_variable_plan_create(const blur_variable_options *options, blur_variable_plan **plan);

/* Blurs an image of the planned format and size. The rules for `blur_execute` apply, and the result is as
 * large as the image. */
int32_t blur_variable_execute(blur_variable_plan *plan, const void *source, int64_t source_stride,
                              void *destination, int64_t destination_stride);

/* Returns the largest error, in levels, that the method of the plan causes in any image. This does not
 * include the errors of the blurs that are mixed, nor the rounding of the result. Returns -1 if the method
 * has no such bound, as for BLUR_VARIABLE_TWO_PASS, or if `plan` is NULL. */
double blur_variable_plan_error(const blur_variable_plan *plan);

/* Frees a plan. No call may still be using the plan. Does nothing if `plan` is NULL. */
void blur_variable_destroy(blur_variable_plan *plan);

/* Returns the error message of the last call on this thread that failed. It is one line of UTF-8, which says
 * what was wrong and what is allowed. The text is empty if no call has failed. It stays valid until the next
 * call on this thread fails. */
const char *blur_last_error(void);

/* Returns a short text for a blur_error. Any other number also has a text, which says that it is no error
 * code. */
const char *blur_error_text(int32_t error);

/* Return the name of a format ("gray8"), of a kernel of the library ("pyramid"), or of a blur_variable_method
 * ("levels"), given its number. They return NULL if nothing has this number, so a program can list all names
 * by counting up from 0 until it gets NULL. */
const char *blur_format_name(int32_t format);
const char *blur_kernel_name(int32_t index);
const char *blur_variable_method_name(int32_t method);

/* Returns BLUR_VERSION of the header that the library was built with. */
int32_t blur_version(void);

#ifdef __cplusplus
}
#endif

#endif
