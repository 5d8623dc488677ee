#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lockstep::machine {

// What a directory can take, be it one that is still to be made.
struct Disk {
  std::filesystem::path directory;  // that is there: it, or the nearest one above it
  std::int64_t free_bytes = 0;      // for us
  std::string refusal = {};         // why nothing can be written there; empty: it can
};
Disk disk(const std::filesystem::path& directory);

}  // namespace lockstep::machine
