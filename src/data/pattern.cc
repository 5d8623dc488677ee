#include "data/pattern.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/rng.h"

namespace lockstep::data {
namespace {

constexpr int kDirections = 5;
constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kNoise = 24;  // the most that a value is off, of 255
constexpr int kMostChannels = 3;

// Streams of random numbers of an image, and positions in the first.
constexpr std::uint64_t kLooks = 0, kPixels = 1;
constexpr std::uint64_t kLabel = 0, kMirror = 1, kPhase = 2, kLevel = 3, kHeight = 4, kLength = 5;

Rng rng_of(const Pattern& pattern, std::uint64_t number) {
  return Rng(pattern.seed).stream(number);
}

float between(float low, float high, float share) {
  return low + (high - low) * share;
}

struct Wave {
  float x = 0, y = 0;  // radians per pixel
  float phase = 0, level = 0;
  std::array<float, kMostChannels> height{};
};

Wave wave_of(const Pattern& pattern, std::uint64_t number) {
  const Rng looks = rng_of(pattern, number).stream(kLooks);
  const int kind = pattern_label(pattern, number);
  const int kinds = (pattern.classes + kDirections - 1) / kDirections;
  const int which = kind / kDirections;
  const float share = static_cast<float>(which) / static_cast<float>(kinds);
  const auto side = static_cast<float>(std::min(pattern.height, pattern.width));
  const bool grey = pattern.channels == 1;

  const float direction =
      kPi / 2 * static_cast<float>(kind % kDirections) / static_cast<float>(kDirections - 1);
  const float length = side / 7 * std::pow(2.6F, grey ? 1.4F * share : looks.uniform(kLength));
  const float turn = (looks.bits(kMirror) & 1U) != 0 ? 1.0F : -1.0F;
  Wave wave{.x = turn * 2 * kPi * std::cos(direction) / length,
            .y = 2 * kPi * std::sin(direction) / length,
            .phase = 2 * kPi * looks.uniform(kPhase),
            .level = between(110, 145, looks.uniform(kLevel))};
  const float height = between(40, 80, looks.uniform(kHeight));
  // Colours of equal brightness are a circle; opposite ones are the two sides of the wave.
  for (std::size_t c = 0; c < kMostChannels; ++c) {
    wave.height[c] =
        grey ? height : height * std::cos(kPi * share + 2 * kPi / 3 * static_cast<float>(c));
  }
  return wave;
}

}  // namespace

int pattern_label(const Pattern& pattern, std::uint64_t number) {
  return static_cast<int>(rng_of(pattern, number).stream(kLooks).bits(kLabel) %
                          static_cast<std::uint64_t>(pattern.classes));
}

void draw_pattern(const Pattern& pattern, std::uint64_t number, std::span<std::uint8_t> pixels) {
  const auto channels = static_cast<std::size_t>(pattern.channels);
  const std::size_t plane = static_cast<std::size_t>(pattern.height) * pattern.width;
  LOCKSTEP_CHECK(channels <= kMostChannels && pixels.size() == channels * plane);
  const Wave wave = wave_of(pattern, number);
  const Rng noise = rng_of(pattern, number).stream(kPixels);
  std::size_t at = 0;
  for (int y = 0; y < pattern.height; ++y) {
    for (int x = 0; x < pattern.width; ++x, ++at) {
      const float swing =
          std::sin(wave.phase + wave.x * static_cast<float>(x) + wave.y * static_cast<float>(y));
      std::uint64_t bits = noise.bits(at);
      for (std::size_t c = 0; c < channels; ++c, bits >>= 16) {
        const float off = kNoise * (static_cast<float>(bits & 0xffffU) / 32768 - 1);
        pixels[c * plane + at] = static_cast<std::uint8_t>(
            std::clamp(wave.level + wave.height[c] * swing + off, 0.0F, 255.0F));
      }
    }
  }
}

}  // namespace lockstep::data
