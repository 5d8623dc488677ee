#include "stats/ranks.h"

#include <algorithm>
#include <cmath>

#include "stats/summary.h"

namespace lockstep::stats {
namespace {

std::size_t common_steps(std::span<const RankSamples> ranks) {
  std::size_t steps = ranks.empty() ? 0 : ranks.front().timed.size();
  for (const RankSamples& rank : ranks) steps = std::min(steps, rank.timed.size());
  return steps;
}

std::size_t last_to_arrive(std::span<const RankSamples> ranks, std::size_t step) {
  const auto last = std::ranges::min_element(
      ranks, {}, [&](const RankSamples& rank) { return rank.timed[step].waiting; });
  return static_cast<std::size_t>(last - ranks.begin());
}

std::vector<std::int64_t> arrivals(std::span<const RankSamples> ranks) {
  std::vector<std::int64_t> last(ranks.size());
  if (ranks.size() < 2) return last;
  for (std::size_t step = 0; step < common_steps(ranks); ++step)
    ++last[last_to_arrive(ranks, step)];
  return last;
}

// Far oftener than its share: halfway from that to always, and more than chance would explain in so
// few steps.
double far_oftener(std::size_t ranks, std::size_t steps) {
  constexpr double kDeviations = 3;
  const double even = 1.0 / static_cast<double>(ranks);
  const auto all = static_cast<double>(steps);
  return std::max((even + 1) / 2 * all,
                  even * all + kDeviations * std::sqrt(all * even * (1 - even)));
}

}  // namespace

std::vector<RankSummary> summarise_ranks(std::span<const RankSamples> ranks) {
  const std::vector<std::int64_t> last = arrivals(ranks);
  std::vector<RankSummary> summaries;
  for (const RankSamples& rank : ranks) {
    RankSummary summary{.host = rank.host,
                        .bytes_sent = rank.bytes_sent,
                        .bytes_received = rank.bytes_received,
                        .arrived_last = last[summaries.size()],
                        .flight = rank.flight};
    const auto steps = static_cast<double>(rank.timed.size());
    for (const double seconds : step_times(rank.timed)) summary.step += seconds / steps;
    for (const record::Sample& sample : rank.timed) {
      for (std::size_t p = 0; p < record::kPhases; ++p) {
        summary.phases[p] += sample.phases[p] / steps;
      }
      summary.waiting += sample.waiting / steps;
      summary.wire += sample.wire / steps;
    }
    summaries.push_back(summary);
  }
  return summaries;
}

std::optional<Straggler> straggler(std::span<const RankSamples> ranks) {
  constexpr double kFewest = 0.01;  // of a step
  if (ranks.size() < 2) return std::nullopt;
  const std::vector<std::int64_t> last = arrivals(ranks);
  const auto most = std::ranges::max_element(last);
  const std::size_t steps = common_steps(ranks);
  if (steps == 0 || static_cast<double>(*most) < far_oftener(ranks.size(), steps)) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(most - last.begin());
  double cost = 0, mean_step = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t step = 0; step < steps; ++step) {
      const record::Sample& sample = ranks[r].timed[step];
      if (r == index) {
        mean_step += (sample.end - sample.begin) / static_cast<double>(steps);
      } else {
        cost += (sample.waiting - ranks[index].timed[step].waiting) /
                static_cast<double>(steps * (ranks.size() - 1));
      }
    }
  }
  if (cost < kFewest * mean_step) return std::nullopt;
  return Straggler{.rank = static_cast<int>(index),
                   .arrived_last = *most,
                   .steps = static_cast<std::int64_t>(steps),
                   .cost = cost};
}

std::vector<record::Sample> pooled(std::span<const RankSamples> ranks) {
  std::vector<std::vector<double>> times;
  for (const RankSamples& rank : ranks) times.push_back(step_times(rank.timed));
  std::vector<record::Sample> series;
  double begin = 0;
  for (std::size_t step = 0; step < common_steps(ranks); ++step) {
    double speed = 0;  // batches per second
    for (const std::vector<double>& rank : times) speed += 1 / rank[step];
    record::Sample sample = ranks.front().timed[step];
    sample.begin = begin;
    sample.end = begin += static_cast<double>(ranks.size()) / speed;
    series.push_back(sample);
  }
  return series;
}

}  // namespace lockstep::stats
