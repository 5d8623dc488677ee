#pragma once

#include <limits>
#include <string_view>

#include "spec/flags.h"

// What the tables of flags are written with. `value` is the default; empty: not set.
namespace lockstep::spec {

constexpr double kMaxInt = std::numeric_limits<int>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Type boolean(std::string_view value = "false") {
  return {.kind = Kind::boolean, .default_text = value};
}
inline Type integer(std::string_view value, double low = 0, double high = kMaxInt) {
  return {.kind = Kind::integer, .default_text = value, .low = low, .high = high};
}
inline Type real(std::string_view value, double low = 0, double high = kInfinity) {
  return {.kind = Kind::real, .default_text = value, .low = low, .high = high};
}
inline Type above_zero(std::string_view value = "", double high = kInfinity) {
  Type type = real(value, 0, high);
  type.low_excluded = true;
  return type;
}
inline Type text(std::string_view value = "") {
  return {.kind = Kind::text, .default_text = value};
}
inline Type list(std::string_view value = "") {
  return {.kind = Kind::list, .default_text = value};
}

}  // namespace lockstep::spec
