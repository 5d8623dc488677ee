#include "stats/input.h"

#include <algorithm>
#include <numeric>

#include "stats/ranks.h"

namespace lockstep::stats {
namespace {

constexpr double kNoticed = 0.01;  // share of the time

}  // namespace

std::optional<InputSummary> summarise_input(std::span<const RankSamples> ranks) {
  InputSummary summary;
  std::array<double, 4> seconds{};
  double waited = 0, time = 0;
  for (const RankSamples& rank : ranks) {
    const RankInput& input = rank.input;
    if (input.threads == 0 || rank.timed.empty()) continue;
    summary.images += input.images;
    summary.skipped += input.skipped;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i] += input.stages[i];
      if (input.stages[i] > 0) {
        summary.images_per_second[i] +=
            input.threads * static_cast<double>(input.images) / input.stages[i];
      }
    }
    const double all = std::accumulate(input.stages.begin(), input.stages.end(), 0.0);
    if (all > 0) summary.all_per_second += input.threads * static_cast<double>(input.images) / all;
    waited += input.waited;
    time += rank.timed.back().end - rank.timed.front().begin;
  }
  if (time <= 0) return std::nullopt;
  summary.waited = waited / time;
  if (summary.waited >= kNoticed) {
    summary.limited_by =
        kInputStages[static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin())];
  }
  return summary;
}

}  // namespace lockstep::stats
