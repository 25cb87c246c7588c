/* A small program that calls the kernels of one plug-in without BlurBench, so that a sanitizer, valgrind or a
 * debugger can watch them. The plug-in is compiled into the program. The file compiles as C and as C++. Put
 * the name of your own file in place of template.c:
 *
 *   flags='-g -O1 -ISources/CBlur/include Bench/Peers/Template/host.c Bench/Peers/Template/template.c'
 *   cc $flags -o host -lm -lpthread -fsanitize=address && ./host
 *   cc $flags -o host -lm -lpthread -fsanitize=thread && ./host 2
 *   cc $flags -o host -lm -lpthread && valgrind -q --error-exitcode=1 ./host
 *
 * AddressSanitizer finds accesses outside of memory and leaks. ThreadSanitizer finds data races, and valgrind
 * finds uses of uninitialised memory.
 *
 * The argument is the number of threads that blur at the same time, each with plans and images of its own. It
 * is 1 by default. BlurBench itself calls a plug-in from one thread only. If a kernel can use several threads
 * for one image, the host also asks for up to 4 of them.
 *
 * Each image lies between two pages of memory that cannot be accessed. A kernel that reads or writes outside
 * of an image crashes there. The source is write-protected. Each plan blurs the same image twice, with other
 * values around the pixels. The two results must be equal, and the padding between rows must not change.
 *
 * The exit code is 0 if no mistake was found. Whether the results are good blurs is a question for `blurbench
 * verify`.
 */

#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "blur_plugin.h"

static const char *const format_names[] = {"gray8",   "rgba8",   "gray16", "rgba16", "grayf32",
                                           "rgbaf32", "rgb8",    "rgb16",  "rgbf32"};
static const char *const edge_names[] = {"clamp", "mirror", "reflect", "wrap", "constant"};
enum { size_count = 4, sigma_count = 4 };
static const struct {
  int64_t width, height;
} sizes[size_count] = {{1, 1}, {1, 19}, {33, 1}, {37, 23}};
static const double sigmas[sigma_count] = {0, 0.8, 3, 9};

/* What one of the calling threads has done. */
typedef struct {
  int number; /* 0 for the thread that reports which kernels run */
  long blurs, mistakes, refused;
} caller;

/* The memory of an image, between two pages that cannot be accessed. */
typedef struct {
  unsigned char *pixels; /* the first pixel of the image */
  int64_t row, stride, height;
  unsigned char *pages; /* the accessible pages, in which the image lies */
  size_t page, size;    /* the bytes of one page, and of all accessible pages */
} image;

/* Returns memory for an image. The image begins at the start of its pages or ends at their end. */
static image make_image(const blur_request *request, int64_t padding, int is_at_end) {
  image made;
  made.row = request->width * blur_channels(request->format) * blur_component_bytes(request->format);
  made.stride = made.row + padding;
  made.height = request->height;
  made.page = (size_t)sysconf(_SC_PAGESIZE);
  size_t bytes = (size_t)(made.stride * (made.height - 1) + made.row);
  made.size = (bytes + made.page - 1) / made.page * made.page;
  void *all = mmap(NULL, made.size + 2 * made.page, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (all == MAP_FAILED || mprotect((char *)all + made.page, made.size, PROT_READ | PROT_WRITE) != 0) {
    perror("host: no memory for an image");
    exit(2);
  }
  made.pages = (unsigned char *)all + made.page;
  made.pixels = made.pages + (is_at_end ? made.size - bytes : 0);
  return made;
}

static void free_image(const image *freed) {
  munmap(freed->pages - freed->page, freed->size + 2 * freed->page);
}

/* Draws noise. Floats are from 0 to 1, and alpha is full scale. */
static void draw(const image *target, const blur_request *request) {
  int bytes = blur_component_bytes(request->format), channels = blur_channels(request->format);
  uint32_t state = 1;
  for (int64_t y = 0; y < target->height; y++)
    for (int64_t x = 0; x < target->row / bytes; x++) {
      state = state * 1664525 + 1013904223;
      uint16_t value = channels == 4 && x % 4 == 3 ? 65535 : (uint16_t)(state >> 16);
      float single = (float)value / 65535;
      unsigned char byte = (unsigned char)(value >> 8);
      const void *component = bytes == 1 ? (void *)&byte : bytes == 2 ? (void *)&value : (void *)&single;
      memcpy(target->pixels + y * target->stride + x * bytes, component, (size_t)bytes);
    }
}

/* Fills everything but the pixels. */
static void fill_around(const image *target, int byte) {
  unsigned char *end = target->pages + target->size;
  memset(target->pages, byte, (size_t)(target->pixels - target->pages));
  for (int64_t y = 0; y < target->height; y++) {
    unsigned char *after = target->pixels + y * target->stride + target->row;
    memset(after, byte, (size_t)(y + 1 < target->height ? target->stride - target->row : end - after));
  }
}

/* Returns whether everything but the pixels still has this value. */
static int is_untouched_around(const image *target, int byte) {
  for (unsigned char *at = target->pages; at < target->pages + target->size; at++) {
    int64_t offset = at - target->pixels;
    int is_inside = offset >= 0 && offset / target->stride < target->height;
    if (!(is_inside && offset % target->stride < target->row) && *at != byte) return 0;
  }
  return 1;
}

static void report(caller *self, const blur_kernel *kernel, const blur_request *request, const char *what) {
  self->mistakes++;
  fprintf(stderr, "%s %s %s %lldx%lld sigma %g threads %d: %s\n", kernel->name, format_names[request->format],
          edge_names[request->edge], (long long)request->width, (long long)request->height, request->sigma_x,
          (int)request->threads, what);
}

/* Blurs one image twice with one plan, and compares the results. */
static void try_plan(caller *self, const blur_kernel *kernel, const blur_request *request, void *plan,
                     int64_t padding, int is_at_end) {
  char text[512] = "blur returned an error without a message";
  blur_message message = {text, sizeof text};
  image source = make_image(request, padding, is_at_end);
  image results[2];
  draw(&source, request);
  for (int turn = 0; turn < 2; turn++) {
    int byte = turn ? 0xFF : 0x11;
    results[turn] = make_image(request, padding + 2 * turn, is_at_end);
    memset(results[turn].pages, byte, results[turn].size);
    fill_around(&source, byte);
    mprotect(source.pages, source.size, PROT_READ);
    self->blurs++;
    if (kernel->blur(plan, source.pixels, source.stride, results[turn].pixels, results[turn].stride, message))
      report(self, kernel, request, text);
    mprotect(source.pages, source.size, PROT_READ | PROT_WRITE);
    if (!is_untouched_around(&results[turn], byte))
      report(self, kernel, request, "the kernel wrote outside the rows of its result");
  }
  for (int64_t y = 0; y < source.height; y++)
    if (memcmp(results[0].pixels + y * results[0].stride, results[1].pixels + y * results[1].stride,
               (size_t)source.row)) {
      report(self, kernel, request, "two blurs of the same image differ");
      break;
    }
  free_image(&source);
  free_image(&results[0]);
  free_image(&results[1]);
}

/* Tries one format, edge mode and number of threads with all sizes and sigmas. */
static void try_requests(caller *self, const blur_kernel *kernel, blur_request request) {
  for (int i = 0; i < size_count * sigma_count; i++) {
    request.width = sizes[i / sigma_count].width;
    request.height = sizes[i / sigma_count].height;
    request.sigma_x = request.sigma_y = sigmas[i % sigma_count];
    char text[512] = "plan returned an error without a message";
    blur_message message = {text, sizeof text};
    void *plan = NULL;
    int32_t status = kernel->plan(kernel->context, &request, &plan, message);
    if (status == BLUR_UNSUPPORTED) {
      self->refused++;
    } else if (status == BLUR_OK) {
      try_plan(self, kernel, &request, plan, 0, 1);
      try_plan(self, kernel, &request, plan, 13, 0);
    } else {
      report(self, kernel, &request, text);
    }
    if (status == BLUR_OK && kernel->destroy) kernel->destroy(plan);
  }
}

static void *call_kernels(void *opaque) {
  caller *self = (caller *)opaque;
  const blur_plugin_table *table = blur_plugin();
  for (uint32_t k = 0; k < table->count; k++) {
    const blur_kernel *kernel = table->kernels + k;
    int most = kernel->most_threads > 0 && kernel->most_threads < 4 ? kernel->most_threads : 4;
    for (int i = 0; i < 9 * 5; i++) {
      blur_request request;
      memset(&request, 0, sizeof request);
      request.format = i / 5;
      request.edge = i % 5;
      if (!(kernel->formats >> request.format & 1) || !(kernel->edges >> request.edge & 1)) continue;
      if (self->number == 0) {
        printf("%s %s %s\n", kernel->name, format_names[request.format], edge_names[request.edge]);
        fflush(stdout);
      }
      for (request.threads = 1; request.threads <= most; request.threads++)
        try_requests(self, kernel, request);
    }
  }
  return NULL;
}

int main(int count, char **words) {
  enum { most = 64 };
  int threads = count > 1 ? atoi(words[1]) : 1;
  if (threads < 1 || threads > most) {
    fprintf(stderr, "usage: host [THREADS]; the number of threads must be from 1 to %d\n", most);
    return 64;
  }
  const blur_plugin_table *table = blur_plugin();
  if (!table || table->version != BLUR_PLUGIN_VERSION) {
    fprintf(stderr, "host: the plug-in has no table, or a table of another version\n");
    return 1;
  }
  caller callers[most] = {{0, 0, 0, 0}};
  pthread_t others[most];
  for (int i = 1; i < threads; i++) {
    callers[i].number = i;
    if (pthread_create(&others[i], NULL, call_kernels, &callers[i])) {
      fprintf(stderr, "host: cannot start %d threads\n", threads);
      return 2;
    }
  }
  call_kernels(&callers[0]);
  long blurs = callers[0].blurs, mistakes = callers[0].mistakes, refused = callers[0].refused;
  for (int i = 1; i < threads; i++) {
    pthread_join(others[i], NULL);
    blurs += callers[i].blurs;
    mistakes += callers[i].mistakes;
    refused += callers[i].refused;
  }
  if (refused > 0) printf("%ld requests refused\n", refused);
  printf("%ld blurs, %ld mistakes\n", blurs, mistakes);
  return mistakes > 0 || blurs == 0;
}
