#include "report/import/named_pattern.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep::report {
namespace {

Error wrong_pattern(std::string_view flag, std::string_view pattern, std::string_view why) {
  return Error(ExitCode::usage, fmt::format("{}={}: {}", flag, pattern, why),
               "an expression as in JavaScript, without references back");
}

// The length of "(?<" or "(?P<" at the begin of a text; 0: no group with a name begins there.
std::size_t name_begins(std::string_view text) {
  for (const std::string_view opening : {"(?<", "(?P<"}) {
    if (!text.starts_with(opening)) continue;
    const std::string_view rest = text.substr(opening.size());
    if (!rest.starts_with('=') && !rest.starts_with('!')) return opening.size();
  }
  return 0;
}

}  // namespace

// The library knows no names: they are taken out, and groups counted as it counts them.
NamedPattern compile_pattern(std::string_view flag, std::string_view pattern) {
  NamedPattern compiled;
  std::string plain;
  std::size_t groups = 0;
  bool in_class = false;  // [...]: parentheses are characters
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const std::string_view rest = pattern.substr(at);
    if (rest.starts_with('\\') && rest.size() > 1) {
      plain += rest.substr(0, 2);
      ++at;
      continue;
    }
    if (in_class || rest.front() == '[') in_class = rest.front() != ']';
    if (const std::size_t opening = in_class ? 0 : name_begins(rest); opening > 0) {
      const std::size_t end = rest.find('>');
      if (end == std::string_view::npos) throw wrong_pattern(flag, pattern, "a name has no end");
      const std::string name(rest.substr(opening, end - opening));
      if (!compiled.names.emplace(name, ++groups).second) {
        throw wrong_pattern(flag, pattern, fmt::format("two groups are called {}", name));
      }
      plain += '(';
      at += end;
      continue;
    }
    if (!in_class && rest.starts_with('(') && !rest.starts_with("(?")) {
      ++groups;
      if (compiled.first_unnamed == 0) compiled.first_unnamed = groups;
    }
    plain += rest.front();
  }
  try {
    // Without going back: whatever the expression and the line, it ends, and needs no deep stack.
    compiled.expression =
        std::regex(plain, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    throw wrong_pattern(flag, pattern, error.what());
  }
  return compiled;
}

}  // namespace lockstep::report
