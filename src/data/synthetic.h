#pragma once

#include <cstdint>
#include <span>

#include "data/images.h"

namespace lockstep::data {

// Made-up images, as tf_cnn_benchmarks makes them: every value of an image is drawn from a normal
// distribution with mean 127 and standard deviation 60, cut off at two deviations.
// tf_cnn_benchmarks feeds that to the network as it is; here, as for images from files, 0..255
// becomes -1..1 (x / 127.5 - 1), so that the first losses are those of a fresh network and fall
// from there.
//
// An image is a function of the seed and its global index alone: ranks that fill their shards of
// a global batch see what one rank would see that fills it all.
void fill_images(const Images& images, std::uint64_t seed, std::uint64_t first_sample);

// Labels likewise, uniform in 0..classes - 2 as there: a sample keeps its label, so that there is
// something to learn.
void fill_labels(std::span<int> labels, int classes, std::uint64_t seed,
                 std::uint64_t first_sample);

}  // namespace lockstep::data
