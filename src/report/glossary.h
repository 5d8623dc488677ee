#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::report {

// What a word of a report means: docs/measurement.md in short.
struct Term {
  std::string_view name;
  std::string_view text;
};
std::vector<Term> glossary();

// "def-speed-up": the anchor of a term, which must be one of the glossary's.
std::string anchor(std::string_view name);

}  // namespace lockstep::report
