#include "result/result.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::result {

double gflops(double macs_per_image, double images_per_second, spec::Mode mode) {
  const double passes = mode == spec::Mode::training ? 3 : 1;
  return 2 * passes * macs_per_image * images_per_second / 1e9;
}

std::optional<double> joules(std::span<const stats::RankSamples> ranks, std::size_t hosts) {
  double sum = 0;
  std::size_t told = 0;
  for (const stats::RankSamples& rank : ranks) {
    sum += rank.joules.value_or(0);
    told += rank.joules ? 1 : 0;
  }
  return told == hosts ? std::optional(sum) : std::nullopt;
}

double cost_per_million_images(double price_per_hour, std::size_t hosts, double images_per_second) {
  return 1e6 * price_per_hour / 3600 * static_cast<double>(hosts) / images_per_second;
}

Result measured_result(spec::Trial trial, machine::Environment environment,
                       std::vector<std::string> warnings, Measured measured) {
  for (std::string& sentence : stats::warnings(measured.summary)) {
    warnings.push_back(std::move(sentence));
  }
  if (const auto& slow = measured.straggler) {
    warnings.push_back(fmt::format(
        "rank {} on {} arrived last in {} of {}; the others waited {:.1f} ms a step for it, "
        "{:.0f} % of the step",
        slow->rank, measured.ranks[static_cast<std::size_t>(slow->rank)].host, slow->arrived_last,
        counted(slow->steps, "step"), 1e3 * slow->cost,
        100 * slow->cost / measured.summary.step_mean));
  }
  return {std::move(trial), std::move(environment), std::move(warnings), std::move(measured)};
}

Result failed_result(spec::Trial trial, machine::Environment environment,
                     std::vector<std::string> warnings, const Error& error) {
  return {std::move(trial), std::move(environment), std::move(warnings),
          Failure{error.code(), error.what(), error.hint()}};
}

}  // namespace lockstep::result
