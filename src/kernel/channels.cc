#include "kernel/channels.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "kernel/parallel.h"

namespace lockstep::kernel {
namespace {

void copy_floats(const float* from, float* to, std::int64_t count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}

// Calls f(position in plain rows, position in the layout) for every feature of every sample.
template <typename F>
void for_each_feature(const Layout& layout, bool samples_are_pixels, const F& f) {
  const int samples = samples_are_pixels ? layout.pixels : layout.images;
  const int pixels = samples_are_pixels ? 1 : layout.pixels;
  parallel_for(samples, 8, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = static_cast<int>(begin); s < end; ++s) {
      for (int c = 0; c < layout.channels; ++c) {
        for (int p = 0; p < pixels; ++p) {
          f((std::int64_t{s} * layout.channels + c) * pixels + p,
            samples_are_pixels ? layout.at(0, c, s) : layout.at(s, c, p));
        }
      }
    }
  });
}

}  // namespace

void copy_channels(const float* from, const Layout& from_layout, int from_first, float* to,
                   const Layout& to_layout, int to_first, int count) {
  const int pixels = from_layout.pixels;
  const bool planes = from_layout.block == to_layout.block && from_first % from_layout.block == 0 &&
                      to_first % to_layout.block == 0;
  const bool rows =
      from_layout.block == from_layout.channels && to_layout.block == to_layout.channels;
  LOCKSTEP_CHECK(planes || rows);
  if (planes) {
    const int block = from_layout.block;
    const std::int64_t run = std::int64_t{(count + block - 1) / block} * pixels * block;
    parallel_for(from_layout.images, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto n = static_cast<int>(begin); n < end; ++n) {
        copy_floats(from + from_layout.at(n, from_first, 0), to + to_layout.at(n, to_first, 0),
                    run);
      }
    });
    return;
  }
  const std::int64_t all = std::int64_t{from_layout.images} * pixels;
  parallel_for(all, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      copy_floats(from + i * from_layout.channels + from_first,
                  to + i * to_layout.channels + to_first, count);
    }
  });
}

void pad_shortcut(const Subsampling& s, const float* from, const Layout& from_layout, float* to,
                  const Layout& to_layout) {
  const int before = (to_layout.channels - from_layout.channels) / 2;
  parallel_for(to_layout.images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto n = static_cast<int>(begin); n < end; ++n) {
      float* image = to + n * to_layout.image_size();
      std::fill(image, image + to_layout.image_size(), 0.0F);
      for (int c = 0; c < from_layout.channels; ++c) {
        for (int y = 0; y < s.to_h; ++y) {
          for (int x = 0; x < s.to_w; ++x) {
            to[to_layout.at(n, before + c, y * s.to_w + x)] =
                from[from_layout.at(n, c, y * s.stride * s.from_w + x * s.stride)];
          }
        }
      }
    }
  });
}

void pad_shortcut_gradient(const Subsampling& s, const float* d_to, const Layout& to_layout,
                           float* d_from, const Layout& from_layout) {
  const int before = (to_layout.channels - from_layout.channels) / 2;
  parallel_for(from_layout.images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto n = static_cast<int>(begin); n < end; ++n) {
      float* image = d_from + n * from_layout.image_size();
      std::fill(image, image + from_layout.image_size(), 0.0F);
      for (int c = 0; c < from_layout.channels; ++c) {
        for (int y = 0; y < s.to_h; ++y) {
          for (int x = 0; x < s.to_w; ++x) {
            d_from[from_layout.at(n, c, y * s.stride * s.from_w + x * s.stride)] =
                d_to[to_layout.at(n, before + c, y * s.to_w + x)];
          }
        }
      }
    }
  });
}

void gather_rows(const float* from, const Layout& layout, bool samples_are_pixels, float* plain) {
  for_each_feature(layout, samples_are_pixels,
                   [&](std::int64_t row, std::int64_t position) { plain[row] = from[position]; });
}

void scatter_rows(const float* plain, const Layout& layout, bool samples_are_pixels, float* to) {
  if (layout.channels % layout.block != 0) std::fill(to, to + layout.size(), 0.0F);
  for_each_feature(layout, samples_are_pixels,
                   [&](std::int64_t row, std::int64_t position) { to[position] = plain[row]; });
}

}  // namespace lockstep::kernel
