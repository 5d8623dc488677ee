#include "launch/launchers.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "launch/local.h"

namespace lockstep::launch {
namespace {

std::vector<Command> nothing(const Job&, const Site&) {
  return {};
}

constexpr LauncherRow kLaunchers[] = {
    {"local", local, nothing, "this machine: a thread, or a process, for each device"},
};

}  // namespace

std::span<const LauncherRow> launchers() {
  return kLaunchers;
}

const LauncherRow& find_launcher(std::string_view name) {
  std::vector<std::string> known;
  for (const LauncherRow& row : kLaunchers) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  const auto meant = closest(name, known);
  throw Error(ExitCode::usage, fmt::format("there is no launcher '{}'", name),
              fmt::format("{}known: {}", meant ? fmt::format("did you mean {}? ", *meant) : "",
                          join(known, ", ")));
}

}  // namespace lockstep::launch
