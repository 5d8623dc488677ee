#pragma once

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::bench {

// A number of rounds, threads or the like; Error(usage) with the usage for anything else.
inline int positive(const std::string& text, const std::string& usage) {
  const auto value = parse_int(text);
  if (!value || *value < 1 || *value > 1'000'000) {
    throw Error(ExitCode::usage, fmt::format("'{}' is not a positive number", text), usage);
  }
  return static_cast<int>(*value);
}

}  // namespace lockstep::bench
