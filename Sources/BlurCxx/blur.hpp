#ifndef BLUR_HPP
#define BLUR_HPP

/* The Gaussian blur of BlurBench's library for C++20, on top of blur.h. Link the same library.
 *
 *   std::vector<std::uint8_t> source(1920 * 1080 * 4), result(source.size());
 *   blur::image from{source, 1920, 1080, 4}, to{result, 1920, 1080, 4};
 *   blur::blur(from, to, 12);                                      // once
 *   blur::plan soften(from, {12, 3}, {.edge = BLUR_MIRROR});       // or planned once, for many images
 *   soften.blur(from, to);
 *
 * All functions that can fail throw a blur::error. The sizes of all spans are checked, so no call reads or
 * writes beyond them. The rules of blur.h for threads and memory apply. */

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "blur.h"

namespace blur {

/* The reason why a call failed, as a blur_error and as one line of text. */
class error : public std::runtime_error {
 public:
  error(blur_error code, const std::string &text) : runtime_error(text), code_(code) {}
  blur_error code() const noexcept { return code_; }

 private:
  blur_error code_;
};

/* The type of a pixel's components. It is const if the pixels are only read. */
template <class T>
concept component = std::same_as<std::remove_const_t<T>, std::uint8_t> ||
                    std::same_as<std::remove_const_t<T>, std::uint16_t> ||
                    std::same_as<std::remove_const_t<T>, float>;

/* A view of the pixels of an image. The components of a pixel lie side by side. */
template <component T>
struct image {
  std::span<T> components;    /* not owned */
  std::int64_t width, height; /* pixels */
  int channels = 1;           /* 1 for gray, 3 for rgb, or 4 for rgba */
  std::int64_t stride = 0;    /* components from one row to the next, or 0 for rows without padding */
};
template <std::ranges::contiguous_range R, class... Rest>
image(R &&, Rest...) -> image<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/* A standard deviation in pixels: one number for both axes, or one along rows (x) and one along columns (y).
 */
struct sigma {
  sigma(double both) : x(both), y(both) {}
  sigma(double across, double down) : x(across), y(down) {}
  double x, y;
};

/* The members of blur_options that have a default, except for `allow_copy`, which is always 1. */
struct options {
  blur_edge edge = BLUR_CLAMP;
  std::array<float, 4> constant{};
  blur_region region{};
  double max_error = 0;
  std::string kernel{}; /* empty to let the library choose */
  int threads = 1;
  int pixels = 0; /* a combination of blur_pixels, such as BLUR_BGRA | BLUR_STRAIGHT */
  int downscaled = 1; /* 2 or 4 for a smaller result; see blur_options */
};

namespace detail {

inline void check(std::int32_t code) {
  if (code != 0) throw error(static_cast<blur_error>(code), blur_last_error());
}

/* Returns the stride of an image in bytes, after a check that all its pixels lie inside the span. */
template <component T>
std::int64_t stride(const image<T> &image) {
  const auto room = static_cast<std::int64_t>(image.components.size());
  if (image.channels != 1 && image.channels != 3 && image.channels != 4)
    throw error(BLUR_ERROR_ARGUMENT, "channels " + std::to_string(image.channels) + ": must be 1, 3 or 4");
  const bool has_row = image.width >= 1 && image.height >= 1 && image.width <= room / image.channels;
  const std::int64_t row = has_row ? image.width * image.channels : 0;
  const std::int64_t step = image.stride ? image.stride : row;
  if (!has_row || step < row || image.height - 1 > (room - row) / step)
    throw error(BLUR_ERROR_LAYOUT, std::to_string(image.width) + "x" + std::to_string(image.height) +
                                       " pixels with stride " + std::to_string(image.stride) +
                                       " do not fit into " + std::to_string(room) + " components");
  // The stride of a single row does not matter. In bytes, it could be too large for an integer.
  return image.height == 1 ? 0 : step * static_cast<std::int64_t>(sizeof(T));
}

/* The format and the size of an image, which must be those that a plan was made for. */
struct shape {
  std::int32_t format;
  std::int64_t width, height;

  template <component T>
  explicit shape(const image<T> &image) : width(image.width), height(image.height) {
    const int depth = sizeof(T) == 4 ? 2 : sizeof(T) - 1;
    format = image.channels == 3 ? BLUR_RGB8 + depth : 2 * depth + (image.channels == 4);
  }

  template <component T>
  void check(const image<T> &image, const char *argument) const {
    const shape other(image);
    if (other.format != format || other.width != width || other.height != height)
      throw error(BLUR_ERROR_LAYOUT, std::string("the ") + argument + " must be " + text() + ", not " +
                                         other.text());
  }

  std::string text() const {
    return std::string(blur_format_name(format)) + " " + std::to_string(width) + "x" + std::to_string(height);
  }
};

inline blur_options request(const shape &of, sigma sigma, const options &options) {
  blur_options request{};
  request.size = sizeof request;
  request.format = of.format;
  request.edge = options.edge;
  request.width = of.width;
  request.height = of.height;
  request.sigma_x = sigma.x;
  request.sigma_y = sigma.y;
  std::ranges::copy(options.constant, request.constant);
  request.region = options.region;
  request.max_error = options.max_error;
  request.kernel = options.kernel.empty() ? nullptr : options.kernel.c_str();
  request.threads = options.threads;
  request.allow_copy = 1;
  request.pixels = options.pixels;
  request.downscaled = options.downscaled;
  return request;
}

/* Returns the format and the size of the result, which shows the region if there is one. */
inline shape result(shape whole, const options &options) {
  const blur_region &region = options.region;
  if (region.width != 0) whole.width = region.width, whole.height = region.height;
  const int factor = std::max(1, options.downscaled);
  whole.width /= factor, whole.height /= factor;
  return whole;
}

/* Calls a function of blur.h that blurs an image with a plan, or with options, after a check that both images
 * lie inside their spans and have the given shapes. */
template <class S, class T>
void run(auto *function, auto *plan, const shape &whole, const image<S> &from, const shape &result,
         const image<T> &to) {
  const std::int64_t strides[] = {stride(from), stride(to)};
  whole.check(from, "image");
  result.check(to, "result");
  check(function(plan, from.components.data(), strides[0], to.components.data(), strides[1]));
}

/* Frees a plan with a function of blur.h. */
template <auto destroy>
struct deleter {
  void operator()(auto *plan) const { destroy(plan); }
};

}  // namespace detail

/* A source and a result have components of one type, and the components of the result can be written. */
template <class S, class T>
concept blurs_into = component<S> && component<T> && std::same_as<const S, const T> && !std::is_const_v<T>;

/* Blurs one image into `to`, which has the size of the image, or of the region in the options, divided by
 * `downscaled`. */
template <class S, class T>
  requires blurs_into<S, T>
void blur(const image<S> &from, const image<T> &to, sigma sigma, const options &options = {}) {
  const detail::shape whole(from);
  const blur_options request = detail::request(whole, sigma, options);
  detail::run(blur_image, &request, whole, from, detail::result(whole, options), to);
}

/* A kernel prepared for images of one format and size. Calls of `blur` on the same plan wait for each other.
 */
class plan {
 public:
  /* Plans for images with the format and the size of `like`, whose pixels are not read. */
  template <component T>
  plan(const image<T> &like, sigma sigma, const options &options = {})
      : whole_((detail::stride(like), like)), result_(detail::result(whole_, options)) {
    const blur_options request = detail::request(whole_, sigma, options);
    blur_plan *made = nullptr;
    detail::check(blur_plan_create(&request, &made));
    plan_.reset(made);
  }

  /* Blurs an image into `to`, which has the size of the image, or of the planned region, divided by
   * `downscaled`. */
  template <class S, class T>
    requires blurs_into<S, T>
  void blur(const image<S> &from, const image<T> &to) const {
    detail::run(blur_execute, plan_.get(), whole_, from, result_, to);
  }

  /* The name of the kernel that the plan runs. */
  std::string kernel() const { return blur_plan_kernel(plan_.get()); }

 private:
  detail::shape whole_, result_;
  std::unique_ptr<blur_plan, detail::deleter<blur_destroy>> plan_;
};

/* The members of blur_variable_options that have a default, except for `allow_copy`, which is always 1. */
struct variable_options {
  blur_edge edge = BLUR_CLAMP;
  std::array<float, 4> constant{};
  std::string kernel{}; /* empty to let the library choose */
  blur_variable_method method = BLUR_VARIABLE_LEVELS;
  int threads = 1;
  int pixels = 0; /* a combination of blur_pixels, such as BLUR_BGRA | BLUR_STRAIGHT */
};

/* A blur whose sigma differs from pixel to pixel, prepared for one mask, and for images of one format and
 * size. Calls of `blur` on the same plan wait for each other. */
class variable_plan {
 public:
  /* Plans for images with the format and the size of `like`, whose pixels are not read. The sigma of each
   * pixel is `sigma` times the mask's value at the pixel, divided by 255. The mask is a gray image of the
   * same size, and is copied. */
  template <component T, class M>
    requires std::same_as<const M, const std::uint8_t>
  variable_plan(const image<T> &like, double sigma, const image<M> &mask,
                const variable_options &options = {})
      : whole_((detail::stride(like), like)) {
    blur_variable_options request{};
    request.size = sizeof request;
    request.format = whole_.format;
    request.edge = options.edge;
    request.width = whole_.width;
    request.height = whole_.height;
    request.sigma = sigma;
    std::ranges::copy(options.constant, request.constant);
    request.mask = mask.components.data();
    request.mask_stride = detail::stride(mask);
    request.kernel = options.kernel.empty() ? nullptr : options.kernel.c_str();
    request.method = options.method;
    request.threads = options.threads;
    request.allow_copy = 1;
    request.pixels = options.pixels;
    detail::shape gray = whole_;
    gray.format = BLUR_GRAY8;
    gray.check(mask, "mask");
    blur_variable_plan *made = nullptr;
    detail::check(blur_variable_plan_create(&request, &made));
    plan_.reset(made);
  }

  /* Blurs an image into `to`, which has the size of the image. */
  template <class S, class T>
    requires blurs_into<S, T>
  void blur(const image<S> &from, const image<T> &to) const {
    detail::run(blur_variable_execute, plan_.get(), whole_, from, whole_, to);
  }

 private:
  detail::shape whole_;
  std::unique_ptr<blur_variable_plan, detail::deleter<blur_variable_destroy>> plan_;
};

}  // namespace blur

#endif
