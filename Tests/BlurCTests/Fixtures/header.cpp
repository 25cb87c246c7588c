// Checks blur.hpp: strides, regions, pixels, masks, component types, and bad input, which must throw before
// any pixel is read or written. Prints a line for each check that fails, and then the number of failed
// checks.

#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "blur.hpp"

static int mistakes = 0;

static void check(bool is_right, const char *what) {
  if (!is_right) mistakes++, std::printf("%s\n", what);
}

static void refuses(blur_error code, const char *word, const std::function<void()> &call) {
  try {
    call();
    mistakes++, std::printf("not refused: %s\n", word);
  } catch (const blur::error &error) {
    const bool is_right = error.code() == code && std::string(error.what()).find(word) != std::string::npos;
    if (!is_right) mistakes++, std::printf("%s: %d, %s\n", word, error.code(), error.what());
  }
}

template <class T>
static std::vector<T> noise(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; i++) values[i] = static_cast<T>(i * 2654435761u >> 8 & 255);
  return values;
}

// Checks that the header gives the results of the C function for one image.
template <class T>
static void same_as_c(int channels, std::int32_t format) {
  constexpr std::int64_t width = 29, height = 17, padding = 5;
  const std::int64_t row = width * channels, stride = row + padding;
  const auto source = noise<T>(static_cast<std::size_t>(row * height));
  std::vector<T> expected(source.size()), result(source.size());
  std::vector<T> padded(static_cast<std::size_t>(stride * height), 77);
  blur_options options{};
  options.size = sizeof options;
  options.format = format;
  options.edge = BLUR_REFLECT;
  options.width = width;
  options.height = height;
  options.sigma_x = 3;
  options.sigma_y = 1;
  check(blur_image(&options, source.data(), 0, expected.data(), 0) == 0, "the C function fails");
  const blur::image from{source, width, height, channels};
  const blur::image to{result, width, height, channels};
  blur::blur(from, to, {3, 1}, {.edge = BLUR_REFLECT});
  check(result == expected && result != source, "blur::blur differs from C");
  const blur::plan plan(from, {3, 1}, {.edge = BLUR_REFLECT});
  plan.blur(from, blur::image{padded, width, height, channels, stride});
  for (std::int64_t y = 0; y < height; y++)
    for (std::int64_t x = 0; x < stride; x++) {
      const T found = padded[static_cast<std::size_t>(y * stride + x)];
      check(found == (x < row ? expected[static_cast<std::size_t>(y * row + x)] : T(77)), "a padded row");
    }
  plan.blur(blur::image{padded, width, height, channels, stride}, to);  // from padded rows
  std::vector<T> twice(source.size());
  plan.blur(blur::image{expected, width, height, channels}, blur::image{twice, width, height, channels});
  check(result == twice, "the stride of a source");
}

static void regions_and_colours() {
  const auto source = noise<std::uint8_t>(40 * 30);
  std::vector<std::uint8_t> whole(source.size()), part(7 * 5), result(source.size());
  const std::vector<std::uint8_t> white(source.size(), 255);
  const blur::image from{source, 40, 30};
  blur::blur(from, blur::image{whole, 40, 30}, 2);
  const blur::options options{.region = {11, 6, 7, 5}};
  blur::blur(from, blur::image{part, 7, 5}, 2, options);
  for (std::size_t i = 0; i < part.size(); i++)
    check(part[i] == whole[(6 + i / 7) * 40 + 11 + i % 7], "a region differs from the whole");
  blur::plan(from, 2, options).blur(from, blur::image{part, 7, 5});
  std::vector<std::uint8_t> small(10 * 7);
  blur::blur(blur::image{white, 40, 30}, blur::image{small, 10, 7}, 9, {.downscaled = 4});
  check(std::ranges::all_of(small, [](auto value) { return value == 255; }), "a smaller white image");
  refuses(BLUR_ERROR_REGION, "downscaled 3: must be 1, 2 or 4",
          [&] { blur::blur(from, blur::image{whole, 13, 10}, 9, {.downscaled = 3}); });
  refuses(BLUR_ERROR_LAYOUT, "must be gray8 7x5, not gray8 40x30",
          [&] { blur::blur(from, blur::image{whole, 40, 30}, 2, options); });
  blur::blur(blur::image{white, 40, 30}, blur::image{result, 40, 30}, 9,
             {.edge = BLUR_CONSTANT, .constant = {255}, .kernel = "simd", .threads = 2});
  check(result == white, "a white image with a white border changes");
  check(blur::plan(from, 2, {.kernel = "simd"}).kernel() == "simd", "another kernel");
  blur::blur(from, blur::image{result, 40, 30}, 0);
  check(result == source, "sigma 0 changes the image");
  std::vector<float> row(40, 1), soft(40);
  blur::blur(blur::image{row, 40, 1, 1, INT64_MAX}, blur::image{soft, 40, 1, 1, INT64_MAX}, 3);
  check(soft[0] > 0.99f && soft[39] > 0.99f, "the stride of a single row matters");
}

// Checks that the option `pixels` reaches the C function. A constant image does not change if its edge has
// the same colour, which is always red, green, blue, alpha.
static void pixels() {
  const std::uint8_t bgra[] = {0x10, 0x80, 0xF0, 5}, argb[] = {5, 0xF0, 0x80, 0x10};
  std::vector<std::uint8_t> source(4 * 12 * 9), result(source.size());
  const blur::image from{source, 12, 9, 4}, to{result, 12, 9, 4};
  blur::options options{.edge = BLUR_CONSTANT, .constant = {0xF0, 0x80, 0x10, 5}};
  for (std::size_t i = 0; i < source.size(); i++) source[i] = bgra[i % 4];
  options.pixels = BLUR_BGRA | BLUR_STRAIGHT;
  blur::blur(from, to, 3, options);
  check(result == source, "straight bgra pixels change");
  for (std::size_t i = 0; i < source.size(); i++) source[i] = argb[i % 4];
  options = {.pixels = BLUR_ARGB | BLUR_OPAQUE};
  blur::plan(from, 3, options).blur(from, to);
  for (std::size_t i = 0; i < source.size(); i += 4) source[i] = 255;
  check(result == source, "opaque argb pixels change");
}

// Checks that a variable blur gives the result of the C functions, also with padded rows of the mask, and
// that a mask of another size or format is refused. The order of the channels matters, because the edge has a
// colour.
static void variable() {
  const auto source = noise<std::uint16_t>(29 * 17 * 3);
  const auto mask = noise<std::uint8_t>(29 * 17);
  std::vector<std::uint16_t> expected(source.size()), result(source.size());
  std::vector<std::uint8_t> padded(40 * 17);
  for (std::size_t i = 0; i < mask.size(); i++) padded[i / 29 * 40 + i % 29] = mask[i];
  blur_variable_options options{};
  options.size = sizeof options;
  options.format = BLUR_RGB16;
  options.edge = BLUR_CONSTANT;
  options.constant[2] = 60000;
  options.width = 29;
  options.height = 17;
  options.sigma = 6;
  options.mask = mask.data();
  options.method = BLUR_VARIABLE_LAYERS;
  options.pixels = BLUR_BGRA;
  blur_variable_plan *plan = nullptr;
  check(blur_variable_plan_create(&options, &plan) == 0, "the C function fails");
  check(blur_variable_execute(plan, source.data(), 0, expected.data(), 0) == 0, "the C function fails");
  blur_variable_destroy(plan);
  const blur::image from{source, 29, 17, 3};
  const blur::image to{result, 29, 17, 3};
  const blur::variable_options same{.edge = BLUR_CONSTANT,
                                    .constant = {0, 0, 60000},
                                    .method = BLUR_VARIABLE_LAYERS,
                                    .threads = 2,
                                    .pixels = BLUR_BGRA};
  blur::variable_plan(from, 6, blur::image{padded, 29, 17, 1, 40}, same).blur(from, to);
  check(result == expected && result != source, "blur::variable_plan differs from C");
  refuses(BLUR_ERROR_LAYOUT, "the mask must be gray8 29x17, not gray8 28x17",
          [&] { blur::variable_plan(from, 6, blur::image{mask, 28, 17}); });
  refuses(BLUR_ERROR_LAYOUT, "do not fit into",
          [&] { blur::variable_plan(from, 6, blur::image{mask, 29, 18}); });
  refuses(BLUR_ERROR_SIGMA, "sigma -1", [&] { blur::variable_plan(from, -1, blur::image{mask, 29, 17}); });
  refuses(BLUR_ERROR_ARGUMENT, "pixels 4: must be at most one of",
          [&] { blur::variable_plan(from, 6, blur::image{mask, 29, 17}, {.pixels = 4}); });
  refuses(BLUR_ERROR_LAYOUT, "the result must be rgb16 29x17, not rgb16 17x29", [&] {
    blur::variable_plan(from, 6, blur::image{mask, 29, 17}).blur(from, blur::image{result, 17, 29, 3});
  });
}

static void refusals() {
  auto source = noise<std::uint8_t>(8 * 6);
  std::vector<std::uint8_t> result(source.size());
  const blur::image from{source, 8, 6}, to{result, 8, 6};
  refuses(BLUR_ERROR_SIGMA, "sigma -1", [&] { blur::blur(from, to, -1); });
  refuses(BLUR_ERROR_SIGMA, "1000", [&] { blur::plan(from, {2, 1001}); });
  refuses(BLUR_ERROR_OVERLAP, "share memory", [&] { blur::blur(from, from, 1); });
  refuses(BLUR_ERROR_KERNEL, "did you mean 'pyramid'?",
          [&] { blur::blur(from, to, 1, {.kernel = "pyramyd"}); });
  refuses(BLUR_ERROR_LAYOUT, "BLUR_STRAIGHT", [&] { blur::blur(from, to, 1, {.pixels = BLUR_STRAIGHT}); });
  refuses(BLUR_ERROR_ARGUMENT, "pixels 4", [&] { blur::plan(from, 1, {.pixels = 4}); });
  refuses(BLUR_ERROR_ARGUMENT, "channels 2", [&] { blur::blur(blur::image{source, 4, 6, 2}, to, 1); });
  using image = blur::image<std::uint8_t>;
  const std::int64_t most = INT64_MAX, least = INT64_MIN;
  const image bad[] = {
      {source, 9, 6},           {source, 8, 7},          {source, 8, 6, 3},     {source, 8, 6, 1, 9},
      {source, 8, 6, 1, 7},     {source, 8, 6, 1, -8},   {source, 0, 6},        {source, 8, 0},
      {source, -8, 6},          {source, most, most, 4}, {source, 8, most},     {source, least, least},
      {source, 8, 6, 1, least}, {{}, 1, 1},              {source, 8, 6, 1, most}};
  for (const image &each : bad) {
    refuses(BLUR_ERROR_LAYOUT, "do not fit into", [&] { blur::blur(each, to, 1); });
    refuses(BLUR_ERROR_LAYOUT, "do not fit into", [&] { blur::blur(from, each, 1); });
    refuses(BLUR_ERROR_LAYOUT, "do not fit into", [&] { blur::plan plan(each, 1); });
    refuses(BLUR_ERROR_LAYOUT, "do not fit into", [&] { blur::plan(from, 1).blur(from, each); });
  }
  refuses(BLUR_ERROR_LAYOUT, "the image must be gray8 8x6, not gray8 6x8",
          [&] { blur::plan(from, 1).blur(blur::image{source, 6, 8}, to); });
  std::vector<float> floats(8 * 6), others(8 * 6);
  refuses(BLUR_ERROR_LAYOUT, "not grayf32 8x6",
          [&] { blur::plan(from, 1).blur(blur::image{floats, 8, 6}, blur::image{others, 8, 6}); });
}

static void threads() {
  const auto source = noise<std::uint16_t>(64 * 48);
  std::vector<std::uint16_t> results[3];
  const blur::image from{source, 64, 48};
  blur::plan first(from, 5), plan(std::move(first));
  const auto work = [&](std::vector<std::uint16_t> &result) {
    result.resize(source.size());
    for (int i = 0; i < 50; i++) plan.blur(from, blur::image{result, 64, 48});
  };
  work(results[2]);
  std::thread other(work, std::ref(results[0]));
  work(results[1]);
  other.join();
  check(results[0] == results[2] && results[1] == results[2], "threads change the result");
}

int main() {
  same_as_c<std::uint8_t>(1, BLUR_GRAY8);
  same_as_c<std::uint8_t>(3, BLUR_RGB8);
  same_as_c<std::uint8_t>(4, BLUR_RGBA8);
  same_as_c<std::uint16_t>(1, BLUR_GRAY16);
  same_as_c<std::uint16_t>(3, BLUR_RGB16);
  same_as_c<std::uint16_t>(4, BLUR_RGBA16);
  same_as_c<float>(1, BLUR_GRAYF32);
  same_as_c<float>(3, BLUR_RGBF32);
  same_as_c<float>(4, BLUR_RGBAF32);
  regions_and_colours();
  pixels();
  variable();
  refusals();
  threads();
  std::printf("%d mistakes\n", mistakes);
  return mistakes > 0;
}
