#include "cli/sweep_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/streams.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "report/progress.h"

namespace lockstep::cli {

SweepLog::SweepLog(const spec::Plan& plan)
    : plan_(plan), terminal_(report::Progress::standard_error().terminal) {
  for (const spec::Point& point : plan.points) widest_ = std::max(widest_, point.id.size());
}

std::string SweepLog::on_one_line(const std::string& text) const {
  return terminal_ ? report::one_line(text, report::Progress::standard_error().width()) : text;
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
  // What changes comes first: a narrow terminal cuts off the end.
  write_message("\r\x1b[K" +
                on_one_line(fmt::format("[{}/{}] {}{}: {}, launch {} ...", progress.done + 1,
                                        progress.expected, human_seconds(progress.elapsed), left,
                                        plan_.points[progress.point].id, progress.round + 1)));
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
  const std::string& id = plan_.points[progress.point].id;
  const std::string count = fmt::format("[{}/{}]", progress.done, progress.expected);
  const std::string whole =
      fmt::format("{} {:<{}}  launch {}: {} ({}{})", count, id, widest_, progress.round + 1, what,
                  human_seconds(progress.elapsed), left);
  const std::string brief =
      fmt::format("{} {}: {}, launch {}", count, what, id, progress.round + 1);
  write_message((on_one_line(whole) == whole ? whole : on_one_line(brief)) + '\n');
}

void SweepLog::hide() {
  if (shown_) print_message("\r\x1b[K");
  shown_ = false;
}

}  // namespace lockstep::cli
