#pragma once

#include <filesystem>
#include <string>

namespace lockstep::machine {

// What the kernel takes the time from, and what it costs to ask.
struct ClockSource {
  std::string name;  // "tsc", "kvm-clock", "hpet"; empty: not known
  double read_ns = 0;
};
ClockSource clock_source(const std::filesystem::path& root = "/");

}  // namespace lockstep::machine
