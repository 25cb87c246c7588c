#ifndef BLUR_PLUGIN_H
#define BLUR_PLUGIN_H

/* The interface between BlurBench and kernels of other libraries, version 1.
 *
 * A plug-in is a shared library that exports one function, `blur_plugin`, which returns a table of kernels.
 * It may be written in C, C++, Rust, Swift or anything else that can export a C function; it needs this
 * header and nothing else. `Bench/Peers/Template` holds the smallest complete ones, in C and in C++.
 *
 * For each case the harness calls `plan` once, `blur` many times and `destroy` once, in a separate process: a
 * kernel that crashes, hangs, fails or writes outside its buffer becomes an error row with that reason, and
 * the run goes on. Several plans may be alive at once in one process, but all calls come from one thread:
 * keep all state in the plan.
 *
 * A kernel blurs whole images with one sigma by axis. Where sigma differs by pixel, the library mixes blurs
 * of whole images, which may be a plug-in's (`VariableBlurPlan` in Swift); there are no masks here.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. The harness refuses plug-ins that state another. */
#define BLUR_PLUGIN_VERSION 1

/* The library's own header (blur.h) has the same formats and edge modes. */
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
  BLUR_MIRROR = 1,   /* dcb|abcd|cba, OpenCV's BORDER_REFLECT_101 */
  BLUR_REFLECT = 2,  /* cba|abcd|dcb, OpenCV's BORDER_REFLECT */
  BLUR_WRAP = 3,     /* bcd|abcd|abc */
  BLUR_CONSTANT = 4  /* 000|abcd|000, `constant` of the request in general */
} blur_edge;

#endif

/* Components of a pixel of a blur_format: 1, 3 or 4. */
static inline int blur_channels(int32_t format) { return format >= BLUR_RGB8 ? 3 : format % 2 ? 4 : 1; }

/* Bytes of a component of a blur_format: 1, 2 or 4. */
static inline int blur_component_bytes(int32_t format) {
  return 1 << (format >= BLUR_RGB8 ? format - BLUR_RGB8 : format / 2);
}

/* What `plan` and `blur` return. */
typedef enum blur_status {
  BLUR_OK = 0,
  BLUR_UNSUPPORTED = 1, /* from `plan`: the case is SKIPPED with "kernel NAME does not support " + message */
  BLUR_FAILED = 2       /* something went wrong; the case is an error row with the message */
} blur_status;

/* What a kernel claims about its error; the harness holds it to this. A level is 1/255 of full scale. */
typedef enum blur_promise {
  BLUR_PROMISE_NONE = 0,          /* nothing: errors are measured and shown */
  BLUR_PROMISE_EXACT = 1,         /* the Gaussian: `promise_levels` in 8 bits, `promise_share` in others */
  BLUR_PROMISE_APPROXIMATION = 2  /* near the Gaussian: `promise_levels` in any image of any format */
} blur_promise;

/* What a plan is made for. */
typedef struct blur_request {
  int32_t format;       /* a blur_format */
  int32_t edge;         /* a blur_edge */
  int64_t width;        /* pixels, at least 1 */
  int64_t height;       /* pixels, at least 1 */
  double sigma_x;       /* standard deviation along a row, in pixels, 0 to 1000 */
  double sigma_y;       /* standard deviation along a column, in pixels */
  double constant[4];   /* the constant pixel, as the format stores it; the format's channels are used */
  int32_t threads;      /* how many threads to use, at least 1; a kernel that can't use as many refuses */
} blur_request;

/* Where a message goes: at most `capacity` bytes of UTF-8, the terminating 0 included. */
typedef struct blur_message {
  char *text;
  size_t capacity;
} blur_message;

/* One kernel. Strings are UTF-8 and live as long as the plug-in. */
typedef struct blur_kernel {
  const char *name;       /* lower case, digits, '-' and '.'; no other kernel of the run has it, nor
                           * one of BlurBench's own: as "opencv-gaussian" */
  const char *summary;    /* one line: algorithm, window, library and version */
  int32_t promise;        /* a blur_promise */
  double promise_levels;  /* the largest error, in levels */
  double promise_share;   /* the largest error in 16 bits and float as a share of full scale, as 2e-5; set it
                           * where an EXACT kernel offers those formats */
  uint32_t formats;       /* bit (1 << blur_format) for each format it may support */
  uint32_t edges;         /* bit (1 << blur_edge) for each edge mode it may support */
  int32_t most_threads;   /* the most threads it can use; 0 for any number */

  /* Handed to `plan` as it is: lets one function serve several kernels. */
  const void *context;

  /* Makes a plan, or explains in `message` why not. `*plan` may stay null when there is nothing to keep. */
  int32_t (*plan)(const void *context, const blur_request *request, void **plan, blur_message message);

  /* Blurs `source` into `destination`, two buffers that don't overlap, of the planned format and size.
   * Strides are the bytes from one row to the next, at least a row's. Rows may begin at any address, and
   * strides may be odd, in 16-bit and float formats too: load and store by memcpy or unaligned instructions.
   * Writes only the `width` pixels of each destination row, never the padding between rows. */
  int32_t (*blur)(void *plan, const void *source, int64_t source_stride, void *destination,
                  int64_t destination_stride, blur_message message);

  /* Frees the plan. May be null. */
  void (*destroy)(void *plan);
} blur_kernel;

/* What a plug-in exports. */
typedef struct blur_plugin_table {
  uint32_t version;  /* BLUR_PLUGIN_VERSION */
  uint32_t count;    /* how many kernels */
  const blur_kernel *kernels;
} blur_plugin_table;

/* Marks what a plug-in exports, also where a compiler hides all else. */
#if defined(__GNUC__)
#define BLUR_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define BLUR_PLUGIN_EXPORT
#endif

/* The one exported function. The table lives as long as the plug-in; null: the plug-in can't start. */
BLUR_PLUGIN_EXPORT const blur_plugin_table *blur_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
