#ifndef BLUR_PLUGIN_H
#define BLUR_PLUGIN_H

/* The interface between BlurBench and kernels of other libraries, version 1.
 *
 * A plug-in is a shared library that exports one function, `blur_plugin`, which returns a table of kernels.
 * A plug-in can be written in C, C++, Rust, Swift or any other language that can export a C function. It
 * needs only this header. The folder `Bench/Peers/Template` has the smallest complete plug-ins.
 *
 * For each test case, the harness calls `plan` once, `blur` many times and `destroy` once. These calls happen
 * in a separate process. If a kernel crashes, hangs, fails or writes outside its buffer, the case is reported
 * as an error with that reason, and the run continues. Several plans may exist at the same time in one
 * process, but all calls come from the same thread. Keep all state in the plan.
 *
 * A kernel blurs whole images, with one sigma for each axis. This interface has no masks: if sigma varies
 * from pixel to pixel, the library mixes several blurs of the whole image (`VariableBlurPlan` in Swift), and
 * a plug-in's kernel can make these blurs.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. The harness refuses a plug-in whose table states another version. */
#define BLUR_PLUGIN_VERSION 1

/* The header of the library itself, blur.h, defines the same formats and edge modes. A program may include
 * both headers. */
#ifndef BLUR_FORMATS_AND_EDGES
#define BLUR_FORMATS_AND_EDGES

/* A pixel format. The components of a pixel are interleaved and have native byte order, and the colours of
 * rgba pixels are premultiplied by alpha. Full scale is 255 for 8 bits, 65535 for 16 bits and 1.0 for float.
 */
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
  BLUR_MIRROR = 1,   /* dcb|abcd|cba, OpenCV's BORDER_REFLECT_101 */
  BLUR_REFLECT = 2,  /* cba|abcd|dcb, OpenCV's BORDER_REFLECT */
  BLUR_WRAP = 3,     /* bcd|abcd|abc */
  BLUR_CONSTANT = 4  /* kkk|abcd|kkk, where k is the pixel `constant` of the request, 0 in most cases */
} blur_edge;

#endif

/* Returns the number of components per pixel of a blur_format: 1, 3 or 4. */
static inline int blur_channels(int32_t format) { return format >= BLUR_RGB8 ? 3 : format % 2 ? 4 : 1; }

/* Returns the number of bytes per component of a blur_format: 1, 2 or 4. */
static inline int blur_component_bytes(int32_t format) {
  return 1 << (format >= BLUR_RGB8 ? format - BLUR_RGB8 : format / 2);
}

/* The status that `plan` and `blur` return. */
typedef enum blur_status {
  BLUR_OK = 0,
  BLUR_UNSUPPORTED = 1, /* only from `plan`; the case is SKIPPED: "kernel NAME does not support MESSAGE" */
  BLUR_FAILED = 2       /* something went wrong; the case is reported as an error with the message */
} blur_status;

/* The kind of promise that a kernel makes about its error. The harness checks that the kernel keeps it. A
 * level is 1/255 of full scale. */
typedef enum blur_promise {
  BLUR_PROMISE_NONE = 0,          /* no promise: errors are measured and shown, and the kernel is reported as
                                   * SUSPECT if its results do not even look like a Gaussian of this sigma */
  BLUR_PROMISE_EXACT = 1,         /* an error of at most `promise_levels` in 8-bit formats, and of at most
                                   * `promise_share` in the other formats */
  BLUR_PROMISE_APPROXIMATION = 2, /* an error of at most `promise_levels`, for every image and format */
  BLUR_PROMISE_NOT_GAUSSIAN = 3   /* the kernel is another filter, such as a single box, or blurs with another
                                   * sigma on purpose: errors are measured and shown, but not judged */
} blur_promise;

/* The problem that a plan is made for. */
typedef struct blur_request {
  int32_t format;       /* a blur_format */
  int32_t edge;         /* a blur_edge */
  int64_t width;        /* width in pixels, at least 1 */
  int64_t height;       /* height in pixels, at least 1 */
  double sigma_x;       /* standard deviation along a row, in pixels, from 0 to 1000 */
  double sigma_y;       /* standard deviation along a column, in pixels, from 0 to 1000 */
  double constant[4];   /* the pixel for BLUR_CONSTANT, with one value for each component of the format, in
                         * the scale of the format */
  int32_t threads;      /* the number of threads to use, at least 1; a kernel that cannot use that many must
                         * return BLUR_UNSUPPORTED */
} blur_request;

/* A buffer for a message to the user: at most `capacity` bytes of UTF-8, including the terminating 0. */
typedef struct blur_message {
  char *text;
  size_t capacity;
} blur_message;

/* A kernel. Its strings are UTF-8 and must stay valid as long as the plug-in is loaded. */
typedef struct blur_kernel {
  const char *name;       /* lower-case letters, digits, '-' and '.', such as "opencv-gaussian"; at most 64
                           * characters. No other kernel in BlurBench or in the run may have this name */
  const char *summary;    /* one line with the algorithm, the window, the library and its version */
  int32_t promise;        /* a blur_promise */
  double promise_levels;  /* the largest error, in levels */
  double promise_share;   /* the largest error in 16-bit and float formats, as a fraction of full scale,
                           * such as 2e-5; set it if an EXACT kernel offers those formats */
  uint32_t formats;       /* the bit (1 << blur_format) for each format that the kernel may support */
  uint32_t edges;         /* the bit (1 << blur_edge) for each edge mode that the kernel may support */
  int32_t most_threads;   /* the largest number of threads that the kernel can use, or 0 for any number */

  /* A pointer that is passed to `plan` unchanged, so that one function can serve several kernels. */
  const void *context;

  /* Makes a plan, or writes to `message` why it cannot. `*plan` may stay null if there is nothing to keep. */
  int32_t (*plan)(const void *context, const blur_request *request, void **plan, blur_message message);

  /* Blurs `source` into `destination`. The two buffers have the planned format and size and do not overlap.
   * A stride is the number of bytes from one row to the next, at least the bytes of one row. Rows may begin
   * at any address and strides may be odd, even in 16-bit and float formats, so load and store pixels with
   * memcpy or unaligned instructions. Write only the `width` pixels of each destination row, and never the
   * padding between rows. */
  int32_t (*blur)(void *plan, const void *source, int64_t source_stride, void *destination,
                  int64_t destination_stride, blur_message message);

  /* Frees the plan. This pointer may be null if plans need not be freed. */
  void (*destroy)(void *plan);
} blur_kernel;

/* The table of kernels that `blur_plugin` returns. */
typedef struct blur_plugin_table {
  uint32_t version;  /* BLUR_PLUGIN_VERSION */
  uint32_t count;    /* the number of kernels */
  const blur_kernel *kernels;
} blur_plugin_table;

/* Exports a function from a plug-in, even if the compiler hides all other symbols. */
#if defined(__GNUC__)
#define BLUR_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define BLUR_PLUGIN_EXPORT
#endif

/* The one function that a plug-in exports. The returned table must stay valid as long as the plug-in is
 * loaded. Return null if the plug-in cannot start. */
BLUR_PLUGIN_EXPORT const blur_plugin_table *blur_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
