#include "cli/sweep_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cli/command_line.h"
#include "report/progress.h"

namespace lockstep::cli {

SweepLog::SweepLog(const spec::Plan& plan)
    : plan_(plan), terminal_(report::Progress::standard_error().terminal) {
  for (const spec::Point& point : plan.points) widest_ = std::max(widest_, point.id.size());
}

void SweepLog::begin(const spec::Sweep& sweep, const std::string& directory) {
  const auto launches = static_cast<int>(plan_.points.size()) * sweep.repeats;
  print_note(fmt::format("points: {}, launches: {}{}; results go to {}", plan_.points.size(),
                         launches, sweep.target_precision ? " at least" : "", directory));
}

void SweepLog::start(const SweepProgress& progress) {
  if (!terminal_) return;
  const std::string left =
      progress.left > 0 ? fmt::format(", ETA {}", human_seconds(progress.left)) : "";
  fmt::print(stderr, "\r\x1b[K[{}/{}] {}, launch {} ... ({}{})", progress.done + 1,
             progress.expected, plan_.points[progress.point].id, progress.round + 1,
             human_seconds(progress.elapsed), left);
  std::fflush(stderr);
  shown_ = true;
}

void SweepLog::end(const SweepProgress& progress, const Launched& launched, bool again) {
  hide();
  const std::string what =
      launched.numbers
          ? fmt::format("{:.1f} images/s", launched.numbers->images_per_second)
          : fmt::format("failed{}: {}", again ? ", is tried again" : "", launched.failure);
  const std::string left =
      progress.left > 0 ? fmt::format(", ETA {}", human_seconds(progress.left)) : "";
  fmt::print(stderr, "[{}/{}] {:<{}}  launch {}: {} ({}{})\n", progress.done, progress.expected,
             plan_.points[progress.point].id, widest_, progress.round + 1, what,
             human_seconds(progress.elapsed), left);
}

void SweepLog::hide() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace lockstep::cli
