#include "base/check.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/streams.h"

namespace lockstep {

void check_failed(std::string_view condition, std::source_location place) {
  print_message("internal error: expected {} in {} ({}:{})\n", condition, place.function_name(),
                place.file_name(), place.line());
  std::abort();
}

}  // namespace lockstep
