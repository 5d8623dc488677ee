#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep {

// Whether it is known to be; one that cannot be looked for is not.
bool is_there(const std::filesystem::path& path);

// The whole file; throws Error(usage) that names the file and the reason.
std::string read_file(const std::filesystem::path& path);

// Writes beside the target and renames, so that a reader sees the old file or the new one.
void write_file(const std::filesystem::path& path, std::string_view content);

// With those above it, unless it is there. Throws Error(environment) where it cannot be made.
void make_directory(const std::filesystem::path& path, std::string_view hint = {});

}  // namespace lockstep
