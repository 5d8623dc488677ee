#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace lockstep::data {

// What is wrong with bytes, and where. A value, not an exception: whoever asked decides whether a
// damaged record ends everything or is left out.
struct Fault {
  std::uint64_t offset = 0;
  std::string what = {};

  bool operator==(const Fault&) const = default;
};

// What bytes say, or why they say nothing. Parsers are pure functions from Bytes to this.
template <typename T>
using Parsed = std::variant<T, Fault>;

}  // namespace lockstep::data
