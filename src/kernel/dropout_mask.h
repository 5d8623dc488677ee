#pragma once

#include <cmath>
#include <cstdint>

#include "base/rng.h"

namespace lockstep::kernel {

// Which features dropout keeps in one layer and step. The answer is a function of the global index
// of the image and of the feature's plain index (channel, row, column) within it, so it depends
// neither on the layout in memory nor on how the images are dealt out to ranks and threads.
class DropoutMask {
 public:
  // `layer` is the index in the graph; `features` is how many one image has.
  DropoutMask(std::uint64_t seed, std::uint64_t layer, std::uint64_t step, std::uint64_t features,
              float keep)
      : stream_(Rng(seed).stream(layer).stream(step)),
        features_(features),
        threshold_(static_cast<std::uint64_t>(std::ceil(keep * 0x1p24F))),
        scale_(1.0F / keep) {}

  bool keeps(std::uint64_t sample, std::uint64_t feature) const {
    // The same as stream_.uniform(...) < keep, without leaving the integers.
    return stream_.bits(sample * features_ + feature) >> 40 < threshold_;
  }

  // What a value is multiplied by, forward and backward.
  float factor(std::uint64_t sample, std::uint64_t feature) const {
    return keeps(sample, feature) ? scale_ : 0.0F;
  }

 private:
  Rng stream_;
  std::uint64_t features_;
  std::uint64_t threshold_;
  float scale_;  // 1 / keep: the expected value of a feature stays what it was
};

}  // namespace lockstep::kernel
