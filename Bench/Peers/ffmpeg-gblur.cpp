// Adapter for FFmpeg's filter gblur, a recursive filter, with six steps, the most that it allows. The default
// of one step has exponential weights, which are no Gaussian.
//
// FFmpeg 5.1 returns wrong pixels for images that are at most 16 pixels wide. With images that are only a few
// pixels high, it damages the heap. So this adapter refuses small images. It uses a single thread, because
// several threads would divide an image into such small parts.
//
// gblur takes images whose channels are stored apart, so only the gray formats are offered. Edges are clamped
// only roughly: in noise, pixels near the edges are off by up to 40 levels. gblur works in place if it may
// write to the frame. Therefore this adapter copies the source to the destination and passes the destination
// as the frame. If the rows of the destination begin in the middle of a component, it passes packed rows.
//
// Packages: libavfilter-dev

#define __STDC_CONSTANT_MACROS  // as FFmpeg's headers require of C++

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "adapter.h"

namespace {

struct FreeGraph {
  void operator()(AVFilterGraph *graph) const { avfilter_graph_free(&graph); }
};
struct FreeFrame {
  void operator()(AVFrame *frame) const { av_frame_free(&frame); }
};

template <class Error = std::runtime_error>
void check(int status) {
  char text[AV_ERROR_MAX_STRING_SIZE];
  if (status < 0) throw Error(std::string("FFmpeg: ") + av_make_error_string(text, sizeof text, status));
}

struct Blur {
  blur_request request;
  AVPixelFormat format;
  std::vector<uint8_t> packed;
  std::unique_ptr<AVFilterGraph, FreeGraph> graph;
  std::unique_ptr<AVFrame, FreeFrame> frame;
  AVFilterContext *input = nullptr, *output = nullptr;

  Blur(const blur_request &r, const void *)
      : request(r), graph(avfilter_graph_alloc()), frame(av_frame_alloc()) {
    if (!r.sigma_x != !r.sigma_y) throw Unsupported("sigma 0 along only one axis");
    if (std::min(r.width, r.height) < 17) throw Unsupported("images smaller than 17 pixels");
    format = depth(r) == 1 ? AV_PIX_FMT_GRAY8 : depth(r) == 2 ? AV_PIX_FMT_GRAY16 : AV_PIX_FMT_GRAYF32;
    graph->nb_threads = 1;
    add(&input, "buffer",
        "video_size=" + std::to_string(r.width) + "x" + std::to_string(r.height) +
            ":time_base=1/1:pix_fmt=" + av_get_pix_fmt_name(format));
    AVFilterContext *blur = nullptr;
    add(&blur, "gblur",
        "steps=6:sigma=" + std::to_string(r.sigma_x) + ":sigmaV=" + std::to_string(r.sigma_y));
    add(&output, "buffersink", "");
    check<Unsupported>(avfilter_link(input, 0, blur, 0));
    check<Unsupported>(avfilter_link(blur, 0, output, 0));
    check<Unsupported>(avfilter_graph_config(graph.get(), nullptr));
  }

  void add(AVFilterContext **filter, const char *name, const std::string &options) {
    check<Unsupported>(avfilter_graph_create_filter(filter, avfilter_get_by_name(name), name,
                                                    options.c_str(), nullptr, graph.get()));
  }

  void operator()(const void *source, int64_t from, void *destination, int64_t to) {
    const size_t row = size_t(request.width) * depth(request);
    auto *result = static_cast<uint8_t *>(destination);
    if (to % depth(request)) packed.resize(row * request.height);
    uint8_t *const work = to % depth(request) ? packed.data() : result;
    const int64_t step = work == result ? to : int64_t(row);
    copy(source, from, work, step, row);
    const auto keep = [](void *, uint8_t *) {};
    frame->buf[0] = av_buffer_create(work, (request.height - 1) * step + row, keep, nullptr, 0);
    frame->data[0] = work;
    frame->linesize[0] = int(step);
    frame->format = format;
    frame->width = int(request.width);
    frame->height = int(request.height);
    check(av_buffersrc_add_frame(input, frame.get()));  // also resets `frame`
    check(av_buffersink_get_frame(output, frame.get()));
    if (frame->data[0] != result) copy(frame->data[0], frame->linesize[0], result, to, row);
    av_frame_unref(frame.get());
  }

  void copy(const void *source, int64_t from, uint8_t *destination, int64_t to, size_t row) const {
    const auto *lines = static_cast<const uint8_t *>(source);
    for (int64_t y = 0; y < request.height; y++) std::memcpy(destination + y * to, lines + y * from, row);
  }
};

}  // namespace

extern "C" const blur_plugin_table *blur_plugin(void) {
  av_log_set_level(AV_LOG_QUIET);
  static const std::string summary = std::string("FFmpeg ") + av_version_info() + ", gblur, six steps";
  const uint32_t gray = bits({BLUR_GRAY8, BLUR_GRAY16, BLUR_GRAYF32});
  static const std::vector<blur_kernel> kernels = {
      kernel<Blur>("ffmpeg-gblur", summary.c_str(), gray, bits({BLUR_CLAMP}), 1)};
  return table(kernels);
}
