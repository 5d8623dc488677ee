#pragma once

#include <source_location>
#include <string_view>

namespace lockstep {

// Prints the broken expectation with its place and aborts.
[[noreturn]] void check_failed(std::string_view condition, std::source_location place);

}  // namespace lockstep

// We are wrong: a broken invariant of our own. On in release builds, so never per element.
#define LOCKSTEP_CHECK(condition)                                                            \
  do {                                                                                       \
    if (!(condition)) ::lockstep::check_failed(#condition, std::source_location::current()); \
  } while (false)
