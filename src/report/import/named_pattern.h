#pragma once

#include <cstddef>
#include <map>
#include <regex>
#include <string>
#include <string_view>

namespace lockstep::report {

// A regular expression as in JavaScript, whose groups may have names: (?<devices>[0-9]+), or as
// Python writes it (?P<devices>[0-9]+).
struct NamedPattern {
  std::regex expression;
  std::map<std::string, std::size_t> names = {};  // the number of each group that has one
  std::size_t first_unnamed = 0;                  // 0: there is none
};

// `flag` is who brings it, for errors. Throws Error(usage).
NamedPattern compile_pattern(std::string_view flag, std::string_view pattern);

}  // namespace lockstep::report
