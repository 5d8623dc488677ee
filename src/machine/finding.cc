#include "machine/finding.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::machine {

std::string_view name(Level level) {
  constexpr std::string_view kNames[] = {"ok", "warning", "problem"};
  return kNames[static_cast<std::size_t>(level)];
}

Level worst(std::span<const Finding> findings) {
  Level level = Level::ok;
  for (const Finding& finding : findings) level = std::max(level, finding.level);
  return level;
}

std::vector<std::string> warnings(std::span<const Finding> findings) {
  std::vector<std::string> sentences;
  for (const Finding& finding : findings) {
    if (finding.level == Level::ok) continue;
    sentences.push_back(finding.remedy.empty()
                            ? finding.sentence
                            : fmt::format("{}; {}", finding.sentence, finding.remedy));
  }
  return sentences;
}

}  // namespace lockstep::machine
