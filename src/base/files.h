#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep {

// The whole file; throws Error(usage) that names the file and the reason.
std::string read_file(const std::filesystem::path& path);

// Writes beside the target and renames, so that a reader sees the old file or the new one.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace lockstep
