#pragma once

#include <filesystem>
#include <string>

namespace lockstep::machine {

// What the kernel says in a file of /proc or /sys, trimmed; empty when it says nothing.
std::string kernel_file(const std::filesystem::path& path);

}  // namespace lockstep::machine
