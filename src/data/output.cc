#include "data/output.h"

#include "base/error.h"

namespace lockstep::data {

namespace fs = std::filesystem;

std::string shard_name(Split split, std::uint64_t shard, std::uint64_t shards) {
  return fmt::format("{}-{:05}-of-{:05}", kSplitNames[static_cast<std::size_t>(split)], shard,
                     shards);
}

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw Error(ExitCode::environment,
                fmt::format("cannot make {}: {}", directory.string(), error.message()));
  }
}

void make_empty_directory(const fs::path& directory) {
  make_directory(directory);
  if (!fs::is_empty(directory)) {
    throw Error(ExitCode::usage, fmt::format("{} is not empty", directory.string()),
                "a dataset wants a directory of its own");
  }
}

}  // namespace lockstep::data
