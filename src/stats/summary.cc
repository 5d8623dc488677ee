#include "stats/summary.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "stats/quantile.h"
#include "stats/speed.h"
#include "stats/steady.h"

namespace lockstep::stats {
namespace {

// "the first 2 of 100 timed steps differ from the steady ones", and what becomes of one or of them.
std::string unsteady_steps(std::int64_t count, std::int64_t of, std::string_view one,
                           std::string_view several) {
  return count == 1
             ? fmt::format("the first of {} timed steps differs from the steady ones {}", of, one)
             : fmt::format("the first {} of {} timed steps differ from the steady ones {}", count,
                           of, several);
}

double drift_of(std::span<const double> times) {
  const std::size_t half = times.size() / 2;
  if (half == 0) return 0;
  return median(times.last(half)) / median(times.first(half)) - 1;
}

// Whoever looks after every step stops at the first interval that is narrow by chance, and then it
// misses the truth one time in five. Looking rarely keeps it honest: after 20, 30, 45, 67 ...
// steps.
bool is_look(std::size_t steps) {
  std::size_t look = kFewestForPrecision;
  while (look < steps) look = look * 3 / 2;
  return look == steps;
}

}  // namespace

std::vector<double> step_times(std::span<const record::Sample> samples) {
  std::vector<double> times;
  times.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool last = i + 1 == samples.size();
    times.push_back((last ? samples[i].end : samples[i + 1].begin) - samples[i].begin);
  }
  return times;
}

Summary summarise(std::span<const record::Sample> timed, int global_batch, UnsteadyStart start) {
  LOCKSTEP_CHECK(!timed.empty() && global_batch > 0);
  const std::vector<double> all_times = step_times(timed);
  const std::size_t unsteady = steady_start(all_times);
  const std::size_t cut = start == UnsteadyStart::cut ? unsteady : 0;
  const auto kept = timed.subspan(cut);
  const auto times = std::span(all_times).subspan(cut);
  const auto steps = static_cast<double>(kept.size());
  const double batch = global_batch;

  Summary summary;
  summary.steps = static_cast<std::int64_t>(kept.size());
  summary.cut = static_cast<std::int64_t>(cut);
  summary.kept_unsteady = static_cast<std::int64_t>(unsteady - cut);
  summary.seconds = kept.back().end - kept.front().begin;
  summary.images_per_second = steps * batch / summary.seconds;
  const Speed speeds = speed(times, batch);
  summary.standard_error = speeds.standard_error;
  summary.jitter = speeds.jitter;
  summary.step_mean = mean(times);
  summary.step_median = median(times);
  summary.images_per_second_median = batch / summary.step_median;
  summary.step_p90 = quantile(times, 0.90);
  summary.step_p95 = quantile(times, 0.95);
  summary.step_p99 = quantile(times, 0.99);
  for (const record::Sample& sample : kept) {
    for (std::size_t p = 0; p < record::kPhases; ++p) summary.phases[p] += sample.phases[p] / steps;
  }
  summary.drift = drift_of(times);
  if (const auto interval = mean_interval(times)) {
    summary.stable =
        interval->half_width() <= kStable * summary.step_mean && std::abs(summary.drift) <= kStable;
    // A mean step time of 0 or less cannot be excluded: neither can any speed.
    summary.images_per_second_interval = {batch / interval->high,
                                          interval->low > 0 ? batch / interval->low : INFINITY};
  }
  return summary;
}

std::string speed_range(const Interval& images_per_second) {
  const auto [low, high] = images_per_second;
  return std::isfinite(high) ? fmt::format("{:.1f} to {:.1f} images/s", low, high)
                             : fmt::format("from {:.1f} images/s, no upper bound", low);
}

std::vector<std::string> warnings(const Summary& summary) {
  std::vector<std::string> sentences;
  if (summary.cut > 0) {
    sentences.push_back(
        fmt::format("{} left out of the speed",
                    unsteady_steps(summary.cut, summary.cut + summary.steps, "and is", "and are")));
  }
  if (summary.kept_unsteady > 0) {
    sentences.push_back(
        fmt::format("{}, since --num_warmup_batches is given; raise it by {}, or leave it out",
                    unsteady_steps(summary.kept_unsteady, summary.steps, "but counts", "but count"),
                    summary.kept_unsteady));
  }
  if (!summary.stable) {
    const auto& interval = summary.images_per_second_interval;
    sentences.push_back(
        interval ? fmt::format("the speed is not stable: 95 % interval {}; step time of the second "
                               "half {:+.1f} %",
                               speed_range(*interval), 100 * summary.drift)
                 : std::string("one step is too few to tell how stable the speed is"));
  }
  return sentences;
}

bool precise_enough(std::span<const record::Sample> timed, double target, UnsteadyStart start) {
  if (!is_look(timed.size())) return false;
  const std::vector<double> all_times = step_times(timed);
  const std::size_t cut = start == UnsteadyStart::cut ? steady_start(all_times) : 0;
  const auto times = std::span(all_times).subspan(cut);
  if (times.size() < kFewestForPrecision) return false;
  return mean_interval(times)->half_width() <= target * mean(times);
}

}  // namespace lockstep::stats
