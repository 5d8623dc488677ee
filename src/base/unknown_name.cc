#include "base/unknown_name.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep {

std::string did_you_mean(std::string_view name, std::span<const std::string> known,
                         std::string_view prefix) {
  const auto near = closest(name, known);
  return near && !near->empty() ? fmt::format("did you mean {}{}?", prefix, *near) : "";
}

Error unknown_name(std::string_view kind, std::string_view name,
                   std::span<const std::string> known) {
  const std::string near = did_you_mean(name, known);
  return {ExitCode::usage, fmt::format("unknown {} '{}'", kind, name),
          fmt::format("{}{}known: {}", near, near.empty() ? "" : " ", join(known, ", "))};
}

}  // namespace lockstep
