// Adapter for GEGL's gaussian-blur, with a recursive or a finite filter. GEGL uses its own threads. Their
// number is the number in the request.
//
// The components are declared as linear and premultiplied, so GEGL converts them to floats and back, but not
// between colour spaces. The graph is built once and used again for all calls, and the buffers are views of
// the caller's memory. The recursive filter does not treat pixels beyond the image as 0, which would cause
// errors of 50 levels at the edges, so only the finite filter offers the edge mode constant.
//
// Packages: libgegl-dev

// GEGL's own header does not declare this function as C.
extern "C" void gegl_get_version(int *major, int *minor, int *micro);

#include <gegl.h>

#include <string>

#include "adapter.h"

namespace {

struct Blur {
  blur_request request;
  const Babl *format;
  GeglRectangle area;
  GeglNode *graph, *input, *blur;

  Blur(const blur_request &r, const void *filter) : request(r), area{0, 0, int(r.width), int(r.height)} {
    for (double value : r.constant)
      if (r.edge == BLUR_CONSTANT && value != 0) throw Unsupported("a constant other than 0");
    const char *names[] = {"Y u8", "RaGaBaA u8", "Y u16", "RaGaBaA u16", "Y float", "RaGaBaA float",
                           "RGB u8", "RGB u16", "RGB float"};
    format = babl_format(names[r.format]);
    graph = gegl_node_new();
    input = gegl_node_new_child(graph, "operation", "gegl:buffer-source", nullptr);
    blur = gegl_node_new_child(graph, "operation", "gegl:gaussian-blur", "std-dev-x", r.sigma_x, "std-dev-y",
                               r.sigma_y, "clip-extent", TRUE, nullptr);
    gegl_node_set(blur, "abyss-policy", r.edge == BLUR_CLAMP ? 1 : 0, "filter",
                  *static_cast<const int *>(filter), nullptr);
    gegl_node_link(input, blur);
  }

  ~Blur() { g_object_unref(graph); }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    g_object_set(gegl_config(), "threads", request.threads, nullptr);
    GeglBuffer *buffer = gegl_buffer_linear_new_from_data(const_cast<void *>(source), format, &area,
                                                          int(from), nullptr, nullptr);
    gegl_node_set(input, "buffer", buffer, nullptr);  // also makes GEGL discard its cached result
    gegl_node_blit(blur, 1, &area, format, destination, int(to), GEGL_BLIT_DEFAULT);
    g_object_unref(buffer);
  }
};

const int chosen = 0, fir = 1;

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  gegl_init(nullptr, nullptr);
  int major, minor, micro;
  gegl_get_version(&major, &minor, &micro);
  // These strings are static because the kernels hold pointers to them.
  static const std::string name =
      "GEGL " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro);
  static const std::string auto_summary = name + ", gaussian-blur, filter auto: recursive from sigma 1",
                           fir_summary = name + ", gaussian-blur, filter fir, its own window";
  g_object_set(gegl_config(), "use-opencl", FALSE, nullptr);
  const uint32_t clamp = bits({BLUR_CLAMP}), both = bits({BLUR_CLAMP, BLUR_CONSTANT});
  static const std::vector<blur_kernel> kernels = {
      kernel<Blur>("gegl-gaussian", auto_summary.c_str(), every_format, clamp, 0, &chosen),
      kernel<Blur>("gegl-gaussian-fir", fir_summary.c_str(), every_format, both, 0, &fir)};
  return table(kernels);
}
