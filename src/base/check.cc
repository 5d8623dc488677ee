#include "base/check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace lockstep {

void check_failed(std::string_view condition, std::source_location place) {
  fmt::print(stderr, "internal error: expected {} in {} ({}:{})\n", condition,
             place.function_name(), place.file_name(), place.line());
  std::abort();
}

}  // namespace lockstep
