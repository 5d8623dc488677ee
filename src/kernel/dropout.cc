#include "kernel/dropout.h"

#include <algorithm>

#include "kernel/parallel.h"

namespace lockstep::kernel {

void dropout(const DropoutMask& mask, std::uint64_t first_sample, const float* x, float* out,
             const Layout& layout, bool samples_are_pixels) {
  const int samples = samples_are_pixels ? layout.pixels : layout.images;
  const int pixels = samples_are_pixels ? 1 : layout.pixels;
  if (layout.channels % layout.block != 0 && out != x) std::fill(out, out + layout.size(), 0.0F);
  parallel_for(samples, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = static_cast<int>(begin); s < end; ++s) {
      const std::uint64_t sample = first_sample + static_cast<std::uint64_t>(s);
      for (int c = 0; c < layout.channels; ++c) {
        for (int p = 0; p < pixels; ++p) {
          const std::int64_t i = samples_are_pixels ? layout.at(0, c, s) : layout.at(s, c, p);
          const auto feature = static_cast<std::uint64_t>(std::int64_t{c} * pixels + p);
          out[i] = x[i] * mask.factor(sample, feature);
        }
      }
    }
  });
}

}  // namespace lockstep::kernel
