#ifndef BLUR_H
#define BLUR_H

/* The Gaussian blur of BlurBench's library for C, C++ and all that can call C. Plan once, blur often:
 *
 *   blur_options options = {0};
 *   options.size = sizeof options;
 *   options.format = BLUR_RGBA8;
 *   options.width = 1920;
 *   options.height = 1080;
 *   options.sigma_x = options.sigma_y = 12;
 *   blur_plan *plan;
 *   if (blur_plan_create(&options, &plan) || blur_execute(plan, source, 0, destination, 0))
 *     fprintf(stderr, "%s\n", blur_last_error());
 *   blur_destroy(plan);
 *
 * A blur whose sigma differs by pixel has a mask, and functions that begin with `blur_variable`: see below.
 *
 * Threads: every function may be called from any thread. Calls of `blur_execute` on the same plan wait for
 * each other; threads that should blur at the same time want a plan each.
 *
 * Memory: pictures are read and written where they are, never copied. `blur_plan_create` allocates all that a
 * plan needs, `blur_execute` nothing; with several threads, Dispatch itself takes a few times 64 bytes to
 * wake them. Any address and any stride will do, however unaligned.
 *
 * Errors: functions that can fail return a blur_error, 0 for success; `blur_last_error` has the details. No
 * value of an argument ends the program, but addresses are trusted: memory must be there.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; `blur_version` has the library's. */
#define BLUR_VERSION 1

/* The plug-in border of BlurBench (blur_plugin.h) has the same formats and edge modes. */
#ifndef BLUR_FORMATS_AND_EDGES
#define BLUR_FORMATS_AND_EDGES

/* How one pixel is stored: interleaved, native byte order, rgba with premultiplied alpha.
 * Full scale is 255, 65535 or 1.0. */
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

/* What is read beyond the image. */
typedef enum blur_edge {
  BLUR_CLAMP = 0,    /* aaa|abcd|ddd */
  BLUR_MIRROR = 1,   /* dcb|abcd|cba */
  BLUR_REFLECT = 2,  /* cba|abcd|dcb */
  BLUR_WRAP = 3,     /* bcd|abcd|abc */
  BLUR_CONSTANT = 4  /* kkk|abcd|kkk, k is `constant` */
} blur_edge;

#endif

/* Why a function did not do what it was asked for. */
typedef enum blur_error {
  BLUR_SUCCESS = 0,
  BLUR_ERROR_ARGUMENT = 1,    /* a null pointer, a struct of another size, an unknown format or edge mode */
  BLUR_ERROR_LAYOUT = 2,      /* a size or stride that no picture can have */
  BLUR_ERROR_SIGMA = 3,       /* a sigma that is not a number from 0 to 1000 */
  BLUR_ERROR_REGION = 4,      /* a region that reaches outside the picture */
  BLUR_ERROR_THREADS = 5,     /* a number of threads outside 0 to 1024 */
  BLUR_ERROR_KERNEL = 6,      /* no kernel has that name */
  BLUR_ERROR_ACCURACY = 7,    /* a bound that no kernel keeps, or that is no bound */
  BLUR_ERROR_UNSUPPORTED = 8, /* the kernel refuses the request */
  BLUR_ERROR_OVERLAP = 9,     /* source and destination share memory */
  BLUR_ERROR_MEMORY = 10,     /* the system has not enough memory */
  BLUR_ERROR_FAILED = 11      /* the kernel failed */
} blur_error;

/* A rectangle of pixels; all zeros stand for the whole picture. */
typedef struct blur_region {
  int64_t x, y;          /* left column and top row */
  int64_t width, height; /* pixels */
} blur_region;

/* What a plan is made for. Begin with all zeros, which are the defaults, and set `size`. */
typedef struct blur_options {
  size_t size;        /* sizeof(blur_options): tells the library which version of this struct it reads */
  int32_t format;     /* a blur_format */
  int32_t edge;       /* a blur_edge */
  int64_t width;      /* pixels, 1 to 16,777,216 */
  int64_t height;     /* pixels, 1 to 16,777,216 */
  double sigma_x;     /* standard deviation along a row, in pixels, 0 to 1000; 0 leaves rows as they are */
  double sigma_y;     /* standard deviation along a column, in pixels, 0 to 1000 */
  float constant[4];  /* the pixel of BLUR_CONSTANT, in the format's units; gray uses the first, rgb three */
  blur_region region; /* the part of the blurred picture that is wanted; its neighbours are read */
  double max_error;   /* the largest error of any pixel, in levels (1/255 of full scale); 0 stands for 1 */
  const char *kernel; /* a name as `blur_kernel_name` gives, UTF-8; NULL for the best within `max_error` */
  int32_t threads;    /* how many blur one picture, 1 to 1024; 0 stands for 1. The result is the same */
  int32_t reserved;   /* 0 */
} blur_options;

/* A kernel made ready for one format, size, sigma and edge mode. */
typedef struct blur_plan blur_plan;

/* Makes a plan. `*plan` is NULL unless the return value is 0; it is the caller's, until `blur_destroy`.
 * With a named kernel, `max_error` is a condition as well, unless it is 0: a kernel that does not promise as
 * much is BLUR_ERROR_ACCURACY. */
int32_t blur_plan_create(const blur_options *options, blur_plan **plan);

/* Blurs a picture of the planned format and size.
 *
 * `source` is the first pixel of the whole picture, `destination` the first of the result, which has the size
 * of the planned region. Strides are the bytes from one row to the next, at least a row, and 0 for rows
 * without padding; those of a plan's calls may differ. Padding is neither read nor written. The two must not
 * overlap, but they may be parts of one larger picture, side by side in the same rows. */
int32_t blur_execute(blur_plan *plan, const void *source, int64_t source_stride, void *destination,
                     int64_t destination_stride);

/* Frees a plan that no call uses any more; NULL is nothing to do. */
void blur_destroy(blur_plan *plan);

/* The name of the kernel that a plan runs; lives as long as the plan. NULL for NULL. */
const char *blur_plan_kernel(const blur_plan *plan);

/* How a blur whose sigma differs by pixel is made. */
typedef enum blur_variable_method {
  BLUR_VARIABLE_LEVELS = 0,     /* blurs a tenth apart are mixed: mixing errs by less than a level (1/255) */
  BLUR_VARIABLE_LAYERS = 1,     /* eight blurs at equal distances are mixed: far off where the mask is dark */
  BLUR_VARIABLE_CROSS_FADE = 2, /* picture and one blur are mixed: the cheapest, and no smaller blur at all */
  BLUR_VARIABLE_TWO_PASS = 3    /* two passes with the sigma of each pixel: off where it changes by row */
} blur_variable_method;

/* What a blur is made for whose sigma is, at each pixel, `sigma` times the mask there in 255ths. Begin with
 * all zeros, which are the defaults, and set `size` and `mask`. */
typedef struct blur_variable_options {
  size_t size;         /* sizeof(blur_variable_options) */
  int32_t format;      /* a blur_format */
  int32_t edge;        /* a blur_edge */
  int64_t width;       /* pixels, 1 to 16,777,216 */
  int64_t height;      /* pixels, 1 to 16,777,216 */
  double sigma;        /* standard deviation where the mask is 255, in pixels, 0 to 1000 */
  float constant[4];   /* the pixel of BLUR_CONSTANT, in the format's units; gray uses the first, rgb three */
  const uint8_t *mask; /* a byte for each pixel, 0 leaves it as it is; copied, and not needed afterwards */
  int64_t mask_stride; /* bytes from one row of the mask to the next, at least `width`; 0 for no padding */
  const char *kernel;  /* what makes the blurs that are mixed, UTF-8; NULL for the best within a level */
  int32_t method;      /* a blur_variable_method */
  int32_t threads;     /* how many blur one picture, 1 to 1024; 0 stands for 1. The result is the same */
} blur_variable_options;

/* A blur made ready for one format, size, mask and edge mode. */
typedef struct blur_variable_plan blur_variable_plan;

/* Makes a plan. `*plan` is NULL unless the return value is 0; it is the caller's, until
 * `blur_variable_destroy`. Blurs are made only where the mask needs them. */
int32_t blur_variable_plan_create(const blur_variable_options *options, blur_variable_plan **plan);

/* Blurs a picture of the planned format and size; as `blur_execute`. */
int32_t blur_variable_execute(blur_variable_plan *plan, const void *source, int64_t source_stride,
                              void *destination, int64_t destination_stride);

/* The largest error of any picture by the method, in levels, beside that of the blurs that are mixed and one
 * rounding; -1 where none is stated, as for BLUR_VARIABLE_TWO_PASS, and for NULL. */
double blur_variable_plan_error(const blur_variable_plan *plan);

/* Frees a plan that no call uses any more; NULL is nothing to do. */
void blur_variable_destroy(blur_variable_plan *plan);

/* What went wrong in the last call of this thread that failed: one line of UTF-8, which says what was wrong
 * and what is allowed. Valid until the thread's next failure; empty when there was none. */
const char *blur_last_error(void);

/* A few words for a blur_error, also for a number that is none. */
const char *blur_error_text(int32_t error);

/* The name of a format ("gray8"), a kernel of the library ("pyramid"), or a blur_variable_method ("levels");
 * NULL where there is none, so that counting up from 0 lists them all. */
const char *blur_format_name(int32_t format);
const char *blur_kernel_name(int32_t index);
const char *blur_variable_method_name(int32_t method);

/* The version of the header that the library was built with, BLUR_VERSION there. */
int32_t blur_version(void);

#ifdef __cplusplus
}
#endif

#endif
