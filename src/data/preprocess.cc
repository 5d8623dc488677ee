#include "data/preprocess.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
#include "data/crop.h"
#include "data/distort_color.h"
#include "data/image_file.h"

namespace lockstep::data {
namespace {

// A few bytes can claim to be a picture of gigabytes.
constexpr std::int64_t kMostPixels = std::int64_t{1} << 27;
constexpr int kBorder = 4;  // that pixels get in training

// Apart from all else that the seed stands for.
constexpr std::uint64_t kPreprocessingStream = 0x70726570;
// Of a position.
constexpr std::uint64_t kCropStream = 0, kFlipStream = 1, kColorStream = 2;

Rng rng_at(std::uint64_t seed, std::uint64_t position) {
  return Rng(seed).stream(kPreprocessingStream).stream(position);
}

bool flips(const Rng& rng) {
  return rng.stream(kFlipStream).bits(0) % 2 == 1;
}

// Values from 0 to 1 become those of the network: of channels as they are, of a grey one for all,
// or of one that is as bright as three look.
void store(std::span<const float> planes, int channels, const Scaling& scaling, const Images& out) {
  constexpr float kBrightness[] = {.299F, .587F, .114F};
  const std::size_t plane = planes.size() / static_cast<std::size_t>(channels);
  const float factor = scaling.factor * 255;
  for (int c = 0; c < out.c; ++c) {
    const float shift = scaling.shift[static_cast<std::size_t>(c)];
    std::size_t i = channels == out.c ? static_cast<std::size_t>(c) * plane : 0;
    for (int y = 0; y < out.h; ++y) {
      float* to = out.first + c * out.stride_c + y * out.stride_h;
      for (int x = 0; x < out.w; ++x, ++i, to += out.stride_w) {
        const float value = channels <= out.c
                                ? planes[i]
                                : kBrightness[0] * planes[i] + kBrightness[1] * planes[i + plane] +
                                      kBrightness[2] * planes[i + 2 * plane];
        *to = value * factor + shift;
      }
    }
  }
}

}  // namespace

Preprocessor::Preprocessor(const Index& index, const Preprocessing& preprocessing)
    : preprocessing_(preprocessing),
      encoding_(index.encoding),
      channels_(index.channels.most),
      height_(index.height.most),
      width_(index.width.most) {}

Parsed<Preprocessor::Decoded> Preprocessor::decode(const Stored& stored, std::uint64_t position) {
  const Rng rng = rng_at(preprocessing_.seed, position);
  if (encoding_ == Encoding::pixels) return arrange_pixels(stored.image, rng);
  return decode_file(stored, rng);
}

Parsed<Preprocessor::Decoded> Preprocessor::decode_file(const Stored& stored, const Rng& rng) {
  auto parsed = parse_image_header(stored.image);
  if (auto* fault = std::get_if<Fault>(&parsed)) return std::move(*fault);
  const auto& header = std::get<ImageHeader>(parsed);
  if (std::int64_t{header.height} * header.width > kMostPixels) {
    return Fault{0, "a picture that is too large"};
  }
  Crop crop{0, 0, header.height, header.width};
  ResizeTo to =
      evaluation_window(header.height, header.width, preprocessing_.height, preprocessing_.width);
  DecodeOptions options{.fast = true};
  if (preprocessing_.training) {
    crop = sample_crop(header.height, header.width, stored.boxes, rng.stream(kCropStream));
    to = {.whole_height = preprocessing_.height,
          .whole_width = preprocessing_.width,
          .height = preprocessing_.height,
          .width = preprocessing_.width,
          .mirrored = flips(rng)};
    options.least_height = preprocessing_.height;
    options.least_width = preprocessing_.width;
  }
  auto decoded = header.kind == ImageHeader::Kind::png ? png_.decode(stored.image, crop)
                                                       : jpeg_.decode(stored.image, crop, options);
  if (auto* fault = std::get_if<Fault>(&decoded)) return std::move(*fault);
  return Decoded{std::get<PixelView>(decoded), to};
}

// From channel by channel to channels beside each other.
Preprocessor::Decoded Preprocessor::arrange_pixels(Bytes planes, const Rng& rng) {
  const auto plane = static_cast<std::size_t>(height_) * static_cast<std::size_t>(width_);
  const auto channels = static_cast<std::size_t>(channels_);
  LOCKSTEP_CHECK(planes.size() == plane * channels);
  Decoded decoded{.to = {.whole_height = preprocessing_.height,
                         .whole_width = preprocessing_.width,
                         .height = preprocessing_.height,
                         .width = preprocessing_.width}};
  int down = 0, right = 0;
  if (preprocessing_.training && preprocessing_.distortions && channels_ > 1) {
    const auto offset = [&](std::uint64_t draw) {
      constexpr std::uint64_t kOffsets = 2 * kBorder + 1;
      return static_cast<int>(rng.stream(kCropStream).bits(draw) % kOffsets) - kBorder;
    };
    down = offset(0);
    right = offset(1);
    decoded.to.mirrored = flips(rng);
  }
  pixels_.assign(planes.size(), 0);
  for (int y = std::max(0, -down); y < std::min(height_, height_ - down); ++y) {
    for (int x = std::max(0, -right); x < std::min(width_, width_ - right); ++x) {
      const int from = (y + down) * width_ + x + right, to = y * width_ + x;
      for (std::size_t c = 0; c < channels; ++c) {
        pixels_[static_cast<std::size_t>(to) * channels + c] =
            planes[c * plane + static_cast<std::size_t>(from)];
      }
    }
  }
  decoded.pixels = {pixels_.data(), height_, width_, channels_};
  return decoded;
}

void Preprocessor::assemble(const Decoded& decoded, std::uint64_t position, const Images& out) {
  LOCKSTEP_CHECK(out.c == 1 || out.c == 3);
  const ResizeMethod method =
      preprocessing_.resize.value_or(static_cast<ResizeMethod>(position % kResizeMethods.size()));
  const int channels = decoded.pixels.channels;
  const bool distorts =
      preprocessing_.training && preprocessing_.distortions && encoding_ != Encoding::pixels;
  if (!distorts && channels == out.c) {
    resizer_.resize(decoded.pixels, method, decoded.to, preprocessing_.scaling, out);
    return;
  }
  const auto plane = static_cast<std::size_t>(out.h) * static_cast<std::size_t>(out.w);
  planes_.resize(plane * static_cast<std::size_t>(channels));
  resizer_.resize(decoded.pixels, method, decoded.to, {.factor = 1 / 255.0F},
                  planar_images(planes_.data(), 1, channels, out.h, out.w));
  if (distorts) {
    const Rng rng = rng_at(preprocessing_.seed, position).stream(kColorStream);
    const std::span<float> all(planes_);
    distort_color(sample_distortion(rng, position, preprocessing_.distort_color_in_yiq),
                  all.first(plane), all.subspan(plane, plane), all.last(plane));
  }
  store(planes_, channels, preprocessing_.scaling, out);
}

}  // namespace lockstep::data
