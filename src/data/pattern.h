#pragma once

#include <cstdint>
#include <span>

namespace lockstep::data {

// Made-up images that can be learned: waves whose class is in what they are made of, not in where
// they are bright. A class is one of five directions (mirrored or not, so that flips change
// nothing) and, of grey images, a wavelength; of colour images, a pair of opposite colours, so that
// crops and scales change nothing. The phase is random: every pixel has the same mean in every
// class, and a classifier without hidden layers, which weighs pixels, learns nothing that holds.
struct Pattern {
  int channels = 1, height = 28, width = 28;
  int classes = 10;
  std::uint64_t seed = 0;
};

// Image and label of each number, always the same.
int pattern_label(const Pattern& pattern, std::uint64_t number);
// Channel by channel, row by row.
void draw_pattern(const Pattern& pattern, std::uint64_t number, std::span<std::uint8_t> pixels);

}  // namespace lockstep::data
