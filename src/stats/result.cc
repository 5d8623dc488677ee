#include "stats/result.h"

namespace lockstep::stats {

double gflops(double macs_per_image, double images_per_second, spec::Mode mode) {
  const double passes = mode == spec::Mode::training ? 3 : 1;
  return 2 * passes * macs_per_image * images_per_second / 1e9;
}

Result measured_result(spec::Trial trial, nlohmann::ordered_json environment,
                       std::vector<std::string> warnings, Measured measured) {
  for (std::string& sentence : stats::warnings(measured.summary)) {
    warnings.push_back(std::move(sentence));
  }
  return {std::move(trial), std::move(environment), std::move(warnings), std::move(measured)};
}

Result failed_result(spec::Trial trial, nlohmann::ordered_json environment,
                     std::vector<std::string> warnings, const Error& error) {
  return {std::move(trial), std::move(environment), std::move(warnings),
          Failure{error.code(), error.what(), error.hint()}};
}

}  // namespace lockstep::stats
