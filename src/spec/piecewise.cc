#include "spec/piecewise.h"

#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::spec {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
  throw Error(ExitCode::usage,
              fmt::format("the piecewise learning-rate schedule '{}' {}", text, reason),
              "write rates and the epochs where they change in turn: 0.1;30;0.01;60;0.001");
}

// A number that a rate or an epoch can be.
double parse_number(std::string_view schedule, std::string_view number) {
  const std::optional<double> value = parse_double(trim(number));
  if (!value || !std::isfinite(*value) || *value < 0) {
    refuse(schedule, fmt::format("has '{}' where a number of at least 0 belongs", number));
  }
  return *value;
}

}  // namespace

std::vector<EpochPiece> parse_piecewise(std::string_view text) {
  const std::vector<std::string> parts = split(text, ';');
  if (parts.size() % 2 == 0) refuse(text, "ends in an epoch without a rate");
  std::vector<EpochPiece> pieces = {{0, parse_number(text, parts[0])}};
  for (std::size_t i = 1; i < parts.size(); i += 2) {
    const double epoch = parse_number(text, parts[i]);
    if (epoch <= pieces.back().from_epoch) {
      refuse(text, fmt::format("has epoch {} behind epoch {}", epoch, pieces.back().from_epoch));
    }
    pieces.push_back({epoch, parse_number(text, parts[i + 1])});
  }
  return pieces;
}

}  // namespace lockstep::spec
