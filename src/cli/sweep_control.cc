#include "cli/sweep_control.h"

#include <algorithm>
#include <utility>

namespace lockstep::cli {
namespace {

// So many rounds at most where precision decides and no time limit does.
constexpr int kMostRounds = 30;

class Control {
 public:
  Control(const spec::Sweep& sweep, const spec::Plan& plan, const SweepHooks& hooks,
          std::vector<stats::PointRecord>& records)
      : sweep_(sweep),
        hooks_(hooks),
        records_(records),
        retries_(plan.points.size(), sweep.retries),
        start_(hooks.clock()) {
    records_.resize(plan.points.size());
    rounds_ = first_look();
  }

  SweepEnding run() {
    for (int round = 0; round < rounds_; ++round) {
      for (const std::size_t point : order(round)) {
        if (has(point, round) || !records_[point].failure.empty()) continue;
        if (sweep_.max_time && elapsed() >= *sweep_.max_time) return SweepEnding::time_up;
        if (!measure(point, round)) return SweepEnding::interrupted;
      }
      if (round + 1 == rounds_ && !precise_enough()) rounds_ = next_look(rounds_);
    }
    return SweepEnding::complete;
  }

 private:
  double elapsed() const { return hooks_.clock() - start_; }

  // An interval takes two launches.
  int first_look() const {
    return sweep_.target_precision ? std::max(sweep_.repeats, 2) : sweep_.repeats;
  }

  // Looking after every round would end the sweep at the first intervals that are narrow by chance.
  int next_look(int rounds) const {
    const int next = rounds + std::max(1, rounds / 2);
    return sweep_.max_time ? next : std::max(rounds, std::min(next, kMostRounds));
  }

  bool precise_enough() const {
    if (!sweep_.target_precision) return true;
    return std::ranges::all_of(records_, [&](const stats::PointRecord& record) {
      if (!record.failure.empty()) return true;
      const auto estimate = stats::estimate(stats::speeds(record));
      return estimate && estimate->precision().value_or(1) <= *sweep_.target_precision;
    });
  }

  std::vector<std::size_t> order(int round) const {
    std::vector<std::size_t> points(records_.size());
    for (std::size_t p = 0; p < points.size(); ++p) points[p] = p;
    if (round % 2 == 1) std::ranges::reverse(points);
    return points;
  }

  bool has(std::size_t point, int round) const {
    const auto& launches = records_[point].launches;
    return std::cmp_less(round, launches.size()) && launches[static_cast<std::size_t>(round)];
  }

  SweepProgress progress(std::size_t point, int round) const {
    SweepProgress progress{.point = point, .round = round, .elapsed = elapsed()};
    for (const stats::PointRecord& record : records_) {
      const auto got = static_cast<int>(std::ranges::count_if(
          record.launches, [](const auto& launch) { return launch.has_value(); }));
      progress.done += got;
      progress.expected += record.failure.empty() ? std::max(rounds_, got) : got;
    }
    if (launched_ > 0) {
      progress.left = spent_ / launched_ * (progress.expected - progress.done);
      if (sweep_.max_time) {
        progress.left = std::min(progress.left, std::max(0.0, *sweep_.max_time - elapsed()));
      }
    }
    return progress;
  }

  // False: interrupted.
  bool measure(std::size_t point, int round) {
    stats::PointRecord& record = records_[point];
    while (true) {
      hooks_.on_start(progress(point, round));
      const double begin = hooks_.clock();
      Launched launched = hooks_.launch(point, round);
      if (launched.interrupted) return false;
      spent_ += hooks_.clock() - begin;
      ++launched_;
      const bool again = !launched.numbers && launched.worth_retrying && retries_[point]-- > 0;
      if (launched.numbers) {
        if (std::cmp_less_equal(record.launches.size(), round)) {
          record.launches.resize(static_cast<std::size_t>(round) + 1);
        }
        record.launches[static_cast<std::size_t>(round)] = launched.numbers;
      } else if (!again) {
        record.failure = launched.failure.empty() ? "unknown" : launched.failure;
        record.code = launched.code;
      }
      hooks_.on_end(progress(point, round), launched, again);
      if (!again) return true;
    }
  }

  const spec::Sweep& sweep_;
  const SweepHooks& hooks_;
  std::vector<stats::PointRecord>& records_;
  std::vector<int> retries_;  // left, by point
  double start_;
  double spent_ = 0;  // seconds in launches
  int launched_ = 0;
  int rounds_ = 0;  // to be done, as far as is known
};

}  // namespace

SweepEnding run_sweep(const spec::Sweep& sweep, const spec::Plan& plan, const SweepHooks& hooks,
                      std::vector<stats::PointRecord>& records) {
  return Control(sweep, plan, hooks, records).run();
}

}  // namespace lockstep::cli
