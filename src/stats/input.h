#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lockstep::stats {

struct RankSamples;

// What a rank's input took in the timed steps. Seconds of the stages are summed over its threads.
struct RankInput {
  int threads = 0;                 // 0: made-up images, which take nothing
  std::array<double, 4> stages{};  // read, decode, assemble, hand over
  double waited = 0;               // that training stood still for it
  std::int64_t images = 0, skipped = 0;
};
inline constexpr std::array<std::string_view, 4> kInputStages = {"read", "decode", "assemble",
                                                                 "hand_over"};

// The input of all ranks.
struct InputSummary {
  std::int64_t images = 0;
  std::int64_t skipped = 0;  // damaged records
  // What all threads together could do if they did nothing else; 0: the stage took no time.
  std::array<double, 4> images_per_second{};
  double all_per_second = 0;  // what they do, one stage after the other: the input's own speed
  double waited = 0;          // share of the ranks' time
  // The slowest stage, or "compute" where training waited for less than 1 % of its time.
  std::string_view limited_by = "compute";
};

// Nothing for made-up images.
std::optional<InputSummary> summarise_input(std::span<const RankSamples> ranks);

}  // namespace lockstep::stats
