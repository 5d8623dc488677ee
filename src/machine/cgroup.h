#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lockstep::machine {

// What the control groups of this process leave it, in version 1, version 2 or a mix of both. Each
// enclosing group limits what is in it, so these are the smallest along the path. `root` is where
// /proc and /sys are looked for.

// Processors' worth of time; 0: unlimited.
double cpu_quota(const std::filesystem::path& root = "/");

// Bytes until the memory limit, counting what the kernel would reclaim as free.
std::optional<std::int64_t> cgroup_memory_left(const std::filesystem::path& root = "/");

}  // namespace lockstep::machine
