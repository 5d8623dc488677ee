#include "data/crop.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lockstep::data {
namespace {

constexpr int kAttempts = 100;
constexpr double kLeastAspect = 0.75, kMostAspect = 1.33;  // width over height
constexpr double kLeastArea = 0.05;                        // of the image's
constexpr double kLeastCovered = 0.1;                      // of a box's area
constexpr float kMargin = 1.145F;

// Random numbers of one attempt.
constexpr std::uint64_t kAspect = 0, kHeight = 1, kTop = 2, kLeft = 3, kDraws = 4;

int round(double value) {
  return static_cast<int>(std::lround(value));
}

// A size of the aspect, as likely as any other that is within the image and large enough; nothing
// if there is none.
std::optional<Crop> sample_size(int height, int width, double aspect, float share) {
  const double area = static_cast<double>(height) * width;
  const int most =
      std::min({height, round(std::sqrt(area / aspect)), static_cast<int>((width + 0.5) / aspect)});
  const int least = std::min(most, round(std::sqrt(kLeastArea * area / aspect)));
  Crop crop{.height = least + static_cast<int>(share * static_cast<float>(most - least + 1))};
  crop.height = std::min(crop.height, most);
  crop.width = round(crop.height * aspect);
  const double covered = static_cast<double>(crop.height) * crop.width;
  if (covered < kLeastArea * area || crop.height < 1 || crop.width < 1 || crop.width > width) {
    return std::nullopt;
  }
  return crop;
}

bool shows(const Crop& crop, const Box& box, int height, int width) {
  const auto overlap = [](double begin, double end, double low, double high) {
    return std::max(0.0, std::min(end, high) - std::max(begin, low));
  };
  const double rows = height, columns = width;
  const double ymin = box.ymin * rows, ymax = box.ymax * rows;
  const double xmin = box.xmin * columns, xmax = box.xmax * columns;
  const double shown = overlap(crop.top, crop.top + crop.height, ymin, ymax) *
                       overlap(crop.left, crop.left + crop.width, xmin, xmax);
  return shown > 0 && shown >= kLeastCovered * (ymax - ymin) * (xmax - xmin);
}

}  // namespace

Crop sample_crop(int height, int width, std::span<const Box> boxes, const Rng& rng) {
  const Box whole;
  if (boxes.empty()) boxes = {&whole, 1};
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    const auto draw = [&](std::uint64_t which) { return rng.uniform(attempt * kDraws + which); };
    const double aspect = kLeastAspect + (kMostAspect - kLeastAspect) * draw(kAspect);
    auto crop = sample_size(height, width, aspect, draw(kHeight));
    if (!crop) continue;
    const auto place = [](int room, float share) {
      return std::min(room, static_cast<int>(share * static_cast<float>(room + 1)));
    };
    crop->top = place(height - crop->height, draw(kTop));
    crop->left = place(width - crop->width, draw(kLeft));
    if (std::ranges::any_of(boxes, [&](const Box& b) { return shows(*crop, b, height, width); })) {
      return *crop;
    }
  }
  return {0, 0, height, width};
}

ResizeTo evaluation_window(int image_height, int image_width, int height, int width) {
  // In single precision, and in this order, as TensorFlow computes it: 256 is not to become 255.
  const auto rows = static_cast<float>(image_height), columns = static_cast<float>(image_width);
  const float ratio =
      std::max(static_cast<float>(height) / rows, static_cast<float>(width) / columns);
  const int whole_height = static_cast<int>(rows * ratio * kMargin);
  const int whole_width = static_cast<int>(columns * ratio * kMargin);
  return {.whole_height = whole_height,
          .whole_width = whole_width,
          .top = (whole_height - height) / 2,
          .left = (whole_width - width) / 2,
          .height = height,
          .width = width};
}

}  // namespace lockstep::data
