#include "data/images.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::data {

Images Images::image(int i) const {
  Images one = *this;
  one.first += i * stride_n;
  one.n = 1;
  return one;
}

Images planar_images(float* first, int n, int c, int h, int w) {
  return {.first = first,
          .n = n,
          .c = c,
          .h = h,
          .w = w,
          .stride_n = std::int64_t{c} * h * w,
          .stride_c = std::int64_t{h} * w,
          .stride_h = w,
          .stride_w = 1};
}

std::int64_t floats_spanned(const Images& images) {
  return (images.n - 1) * images.stride_n + (images.c - 1) * images.stride_c +
         (images.h - 1) * images.stride_h + (images.w - 1) * images.stride_w + 1;
}

void copy_images(const Images& from, const Images& to) {
  Images here = from;
  here.first = to.first;
  LOCKSTEP_CHECK(here == to);
  const std::int64_t values = std::int64_t{1} * to.n * to.c * to.h * to.w;
  if (floats_spanned(to) == values) {
    std::copy_n(from.first, values, to.first);
    return;
  }
  // Row by row; with channels beside each other a row has them all.
  const bool beside = to.stride_c == 1 && to.stride_w == to.c;
  LOCKSTEP_CHECK(beside || to.stride_w == 1);
  const int planes = beside ? 1 : to.c;
  const std::int64_t row = beside ? std::int64_t{to.w} * to.c : to.w;
  for (int n = 0; n < to.n; ++n) {
    for (int c = 0; c < planes; ++c) {
      for (int y = 0; y < to.h; ++y) {
        const std::int64_t at = n * to.stride_n + c * to.stride_c + y * to.stride_h;
        std::copy_n(from.first + at, row, to.first + at);
      }
    }
  }
}

}  // namespace lockstep::data
