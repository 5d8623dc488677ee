#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep::record {

// What a step spends its time on, in the order in which it does.
enum class Phase : std::uint8_t { input, forward, backward, exchange, update };
inline constexpr std::size_t kPhases = 5;
inline constexpr std::array<std::string_view, kPhases> kPhaseNames = {
    "input", "forward", "backward", "exchange", "update"};

// One step on one rank, raw. Times in seconds; `begin` on the rank's monotonic clock, counted from
// the rank's first step. A step ends where the next one begins.
struct Sample {
  std::int64_t step = 0;  // 0 is the first step of the run, warm-up included
  double begin = 0;
  double end = 0;
  std::array<double, kPhases> phases{};
  double waiting = 0;   // the part of `exchange` in which the rank waited for others
  double wire = 0;      // work of the wire's thread for this rank, beside all phases
  float loss = 0;       // with the weight-decay term
  float base_loss = 0;  // without it
  float top_1 = 0;      // share of the batch; 0 where accuracy is not asked for
  float top_5 = 0;
};

}  // namespace lockstep::record
