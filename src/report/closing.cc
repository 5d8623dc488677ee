#include "report/closing.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"

namespace lockstep::report {
namespace {

constexpr auto kAbovePeak =
    " (which is possible: the operations of direct convolutions count, and some are computed with "
    "fewer)";

std::string step_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::string input_text(const stats::InputSummary& input) {
  std::string text = fmt::format("waited for images {:.1f} % of the time", 100 * input.waited);
  if (input.limited_by != "compute") {
    text += fmt::format(": the input alone makes {:.0f} images/s, limited by {}",
                        input.all_per_second, input.limited_by);
  }
  return text;
}

// Of servers that do not wait for all workers.
std::string servers_text(std::span<const stats::ServerSummary> servers) {
  std::int64_t gradients = 0, dropped = 0, oldest = 0;
  double ages = 0;
  for (const stats::ServerSummary& server : servers) {
    gradients += server.gradients;
    dropped += server.dropped;
    oldest = std::max(oldest, server.staleness_max);
    ages += server.staleness_mean * static_cast<double>(server.gradients - server.dropped);
  }
  if (dropped > 0) {
    return fmt::format("; {:.1f} % of the gradients came too late to count",
                       100 * static_cast<double>(dropped) / static_cast<double>(gradients));
  }
  if (gradients == 0) return {};
  return fmt::format("; gradients were {:.2f} updates old on average, at most {}",
                     ages / static_cast<double>(gradients), oldest);
}

}  // namespace

std::string closing_text(const result::Measured& measured) {
  const stats::Summary& summary = measured.summary;
  const result::Usage& usage = measured.usage;
  std::string text = fmt::format("median step {}, p95 {}", step_text(summary.step_median),
                                 step_text(summary.step_p95));
  if (summary.images_per_second_interval) {
    text +=
        fmt::format("; 95 % interval {}", stats::speed_range(*summary.images_per_second_interval));
  }
  text += fmt::format("; {:.1f} effective GFLOP/s", usage.gflops);
  if (usage.peak_gflops) {
    text += fmt::format(", {:.0f} % of the peak", 100 * usage.gflops / *usage.peak_gflops);
    if (usage.gflops > *usage.peak_gflops) text += kAbovePeak;
  }
  text += servers_text(measured.servers);
  if (measured.input) text += "; " + input_text(*measured.input);
  text += fmt::format("; peak memory {}; first step after {}",
                      human_bytes(double(usage.peak_rss_bytes)),
                      human_seconds(usage.seconds_to_first_step));
  text += usage.joules_per_image ? fmt::format("; {:.3g} J/image", *usage.joules_per_image)
                                 : "; J/image not available";
  if (usage.cost_per_million_images) {
    text += fmt::format("; a million images cost {:.3g}", *usage.cost_per_million_images);
  }
  return text;
}

}  // namespace lockstep::report
