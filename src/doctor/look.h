#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "machine/environment.h"
#include "machine/finding.h"

namespace lockstep::doctor {

// What is to be done on this machine.
struct Purpose {
  std::filesystem::path result_dir;
  std::optional<int> port = {};  // where ranks are to meet; nothing: they need none
};

// What can be seen at once, in a tenth of a second: the guard before a sweep.
std::vector<machine::Finding> glance(const machine::Environment& environment,
                                     const Purpose& purpose);

// What takes measurements: about two seconds with all cores busy.
std::vector<machine::Finding> measured_findings(const machine::Environment& environment);

}  // namespace lockstep::doctor
