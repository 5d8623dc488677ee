#pragma once

#include <cstdint>

namespace lockstep::kernel {

// Where the elements of a batch of images lie. Channels stand in blocks of `block`, each block a
// plane of pixels: block 1 is NCHW, block 8 is nChw8c, block == channels is NHWC. The last block
// may be padded; padding is zero and stays zero.
struct Layout {
  int images = 0, channels = 0, pixels = 0, block = 1;

  int blocks() const { return (channels + block - 1) / block; }
  std::int64_t image_size() const { return std::int64_t{blocks()} * pixels * block; }
  std::int64_t size() const { return images * image_size(); }
  std::int64_t at(int n, int c, int pixel) const {
    return n * image_size() + (std::int64_t{c / block} * pixels + pixel) * block + c % block;
  }
  bool operator==(const Layout&) const = default;
};

}  // namespace lockstep::kernel
