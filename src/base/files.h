#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep {

// Whether it is known to be; one that cannot be looked for is not.
bool is_there(const std::filesystem::path& path);

// The largest files that are read back, in bytes, by what they are (docs/formats.md): whoever puts
// a larger one in their place, or one that never ends, gets an error and not all of our memory.
inline constexpr std::int64_t kLargestSpec = std::int64_t{1} << 20;       // and lists of hosts
inline constexpr std::int64_t kLargestDocument = std::int64_t{64} << 20;  // JSON, logs
inline constexpr std::int64_t kLargestData = std::int64_t{1} << 30;     // samples, an index, images
inline constexpr std::int64_t kLargestArchive = std::int64_t{8} << 30;  // checkpoints, datasets

// The whole file; throws Error(usage) that names the file and the reason, also for what is not a
// regular file (a pipe, a device) and for what is larger than `most`.
std::string read_file(const std::filesystem::path& path, std::int64_t most = kLargestDocument);

// At most `length` bytes from `begin` on; fewer where the file ends before. Throws as read_file.
std::string read_part(const std::filesystem::path& path, std::int64_t begin, std::size_t length);

// Writes beside the target and renames, so that a reader sees the old file or the new one.
void write_file(const std::filesystem::path& path, std::string_view content);

// With those above it, unless it is there. Throws Error(environment) where it cannot be made.
void make_directory(const std::filesystem::path& path, std::string_view hint = {});

}  // namespace lockstep
