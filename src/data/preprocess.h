#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "data/decode_jpeg.h"
#include "data/decode_png.h"
#include "data/images.h"
#include "data/index.h"
#include "data/resize.h"
#include "data/source.h"

namespace lockstep::data {

// What is done to an image on its way to the network, as tf_cnn_benchmarks does it.
//
// Files of images are for training cropped at random and flipped or not, and resized to the
// network's size; for evaluation the middle is taken. Pixels are resized unless they fit.
struct Preprocessing {
  bool training = true;
  int height = 0, width = 0;                                    // the network's
  std::optional<ResizeMethod> resize = ResizeMethod::bilinear;  // nothing: round robin
  // In training. Of files: their colours are changed. Of pixels in colour: 4 more on each side,
  // black, of which a random part of the old size is taken, flipped or not.
  bool distortions = false;
  bool distort_color_in_yiq = true;
  Scaling scaling = kToMinusOneToOne;
  std::uint64_t seed = 0;
};

// Makes what a network takes of what a record holds, in memory that is used again for the next one.
// All that is random is a function of the seed and the position in training (data/order.h) alone.
class Preprocessor {
 public:
  Preprocessor(const Index& index, const Preprocessing& preprocessing);

  // The part of the image that is wanted, and what is to become of it; valid until the next call.
  struct Decoded {
    PixelView pixels = {};
    ResizeTo to = {};
  };
  // A fault's offset counts from where the image starts.
  Parsed<Decoded> decode(const Stored& stored, std::uint64_t position);

  // Writes it as the one image of `out`, of which the network takes one channel or three.
  void assemble(const Decoded& decoded, std::uint64_t position, const Images& out);

 private:
  Parsed<Decoded> decode_file(const Stored& stored, const Rng& rng);
  Decoded arrange_pixels(Bytes planes, const Rng& rng);

  Preprocessing preprocessing_;
  Encoding encoding_;
  int channels_, height_, width_;  // of pixels
  JpegDecoder jpeg_;
  PngDecoder png_;
  Resizer resizer_;
  std::vector<std::uint8_t> pixels_;
  std::vector<float> planes_;
};

}  // namespace lockstep::data
