#include "cli/load_results.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/command_line.h"

namespace lockstep::cli {

result::ResultDirectory load_results(const std::string& directory) {
  result::ResultDirectory results = result::read_results(directory);
  for (const std::string& problem : results.problems) print_warning(problem);
  return results;
}

const spec::Flag& min_effect_flag() {
  static const spec::Flag flag = {
      .name = "min_effect",
      .group = "What to decide",
      .type = {.kind = spec::Kind::text, .default_text = "2%"},
      .help = "the smallest difference that matters, as a share of the speed: 2% or 0.02"};
  return flag;
}

double parse_min_effect(std::string_view text, std::string_view shown) {
  const bool percent = text.ends_with('%');
  const auto number = parse_double(percent ? text.substr(0, text.size() - 1) : text);
  const double share = number.value_or(-1) / (percent ? 100 : 1);
  if (share >= 0 && share < 1) return share;
  throw Error(ExitCode::usage,
              fmt::format("{}: expected a share from 0 to below 1, such as 2% or 0.02", shown));
}

}  // namespace lockstep::cli
