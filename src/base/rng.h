#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace lockstep {

// Random numbers as a function of a key and a position: no state, so any thread can compute any
// element, and the same key always gives the same stream whatever the number of threads.
class Rng {
 public:
  explicit Rng(std::uint64_t key) : key_(mix(key + 0x9e3779b97f4a7c15ULL)) {}

  // A stream of its own for each value of `child`.
  Rng stream(std::uint64_t child) const { return Rng(key_ ^ mix(child + 0x632be59bd9b4e019ULL)); }

  std::uint64_t bits(std::uint64_t position) const {
    return mix(key_ + position * 0x9e3779b97f4a7c15ULL);
  }
  // In [0, 1), 24 bits: exact in float.
  float uniform(std::uint64_t position) const {
    return static_cast<float>(bits(position) >> 40) * 0x1p-24F;
  }
  // Standard normal by Box-Muller, from two halves of the same 64 bits.
  float normal(std::uint64_t position) const {
    const std::uint64_t b = bits(position);
    const float u = (static_cast<float>(b >> 40) + 1.0F) * 0x1p-24F;
    const float v = static_cast<float>(b & 0xffffffU) * 0x1p-24F;
    return std::sqrt(-2.0F * std::log(u)) * std::cos(2.0F * std::numbers::pi_v<float> * v);
  }
  // Standard normal, drawn again while it lies beyond two standard deviations.
  float truncated_normal(std::uint64_t position) const {
    for (std::uint64_t attempt = 0;; ++attempt) {
      const float x = normal(position + (attempt << 48));
      if (std::abs(x) <= 2.0F) return x;
    }
  }

 private:
  // The finaliser of SplitMix64: every input bit flips every output bit with probability 1/2.
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
};

}  // namespace lockstep
