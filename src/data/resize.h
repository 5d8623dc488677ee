#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/images.h"

namespace lockstep::data {

// As TensorFlow resizes with align_corners=False: position x of the result is at x * scale of the
// source, and where the result is smaller, only `area` looks at all pixels.
enum class ResizeMethod : std::uint8_t { nearest, bilinear, bicubic, area };
constexpr std::array<std::string_view, 4> kResizeMethods = {"nearest", "bilinear", "bicubic",
                                                            "area"};

// Pixels as decoders give them: row by row, channels beside each other.
struct PixelView {
  const std::uint8_t* pixels = nullptr;
  int height = 0, width = 0, channels = 3;
};

// The source becomes whole_height x whole_width; of that a window is wanted, and nothing else is
// computed. Mirrored: the source's left and right change places first.
struct ResizeTo {
  int whole_height = 0, whole_width = 0;
  int top = 0, left = 0, height = 0, width = 0;
  bool mirrored = false;
};

// A pixel p of channel c becomes p * factor + shift[c].
struct Scaling {
  float factor = 1;
  std::array<float, 3> shift = {};
};

// [0, 255] to [-1, 1], and less the means of ImageNet's channels.
constexpr Scaling kToMinusOneToOne = {1 / 127.5F, {-1, -1, -1}};
constexpr Scaling kLessChannelMeans = {1, {-123.68F, -116.78F, -103.94F}};

// Which pixels of an axis, and how much of each, make up each position of the result. All methods
// weigh rows and columns apart, so that they differ in nothing else.
struct Taps {
  std::size_t each = 0;  // taps of a position
  std::vector<int> index = {};
  std::vector<float> weight = {};
};

// Resizes with memory that is used again for the next image.
class Resizer {
 public:
  // Writes the window as the one image of `out`, which has as many channels as the source.
  void resize(const PixelView& source, ResizeMethod method, const ResizeTo& to,
              const Scaling& scaling, const Images& out);

 private:
  Taps rows_, columns_;
  std::vector<float> row_;
};

}  // namespace lockstep::data
